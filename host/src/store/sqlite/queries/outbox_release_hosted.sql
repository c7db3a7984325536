-- A receiver that is asked whether it has the row may still be at work on it: those leases run their time.
UPDATE outbox SET lease_until_ms = min(lease_until_ms, ?1) WHERE state = 'sending' AND patient = 0
