-- Where the states that were counted as they were entered are not those that there are, as in a copy whose pages are not of one
-- moment.
SELECT noun, state, sum(counted) AS counted, sum(there) AS there FROM (
    SELECT namespace, noun, state, number AS counted, 0 AS there FROM state_count
    UNION ALL SELECT namespace, 'work', state, 0, 1 FROM work
    UNION ALL SELECT namespace, 'outbox', state, 0, 1 FROM outbox
    UNION ALL SELECT namespace, 'quarantine', state, 0, 1 FROM quarantine)
GROUP BY namespace, noun, state
HAVING sum(counted) <> sum(there)
LIMIT 1
