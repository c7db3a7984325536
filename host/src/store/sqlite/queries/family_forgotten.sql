-- Whether an event that is not found may have been forgotten: its key is buried, or its original time lies before what the
-- step has forgotten, or before the marker that ends the step's window.
SELECT EXISTS (SELECT 1 FROM tombstone WHERE namespace = ?1 AND root_key = ?2)
    OR EXISTS (SELECT 1 FROM horizon WHERE namespace = ?1 AND step = ?3 AND ?4 <= until_ms)
    OR EXISTS (SELECT 1 FROM marker WHERE namespace = ?1 AND name = ?5 AND ?4 <= set_ms)
