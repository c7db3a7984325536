SELECT noun, state, count(*) FROM reached GROUP BY noun, state
