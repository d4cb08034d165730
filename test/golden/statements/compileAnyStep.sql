SELECT s.call_key FROM call_steps AS s WHERE s.operation > 0 OR s.by_usage LIMIT 1;
