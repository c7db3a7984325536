UPDATE outbox SET lease_until_ms = min(lease_until_ms, ?1) WHERE state = 'sending'
