SELECT call_key FROM call_steps LIMIT 1;
