DELETE FROM reached
