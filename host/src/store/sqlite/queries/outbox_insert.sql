INSERT INTO outbox (namespace, row_id, work_id, destination, slot, effect_version, payload, payload_hash, state, due_ms,
                    created_ms, updated_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'pending', ?9, ?9, ?9)
ON CONFLICT DO NOTHING
