SELECT ledger_id, token, now_ms FROM sequence
