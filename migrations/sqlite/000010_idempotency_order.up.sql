-- The oldest of a user's answers give way to newer ones: it tells which those are.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (user_id, expires_at, key);
