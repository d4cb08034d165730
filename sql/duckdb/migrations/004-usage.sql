-- One record a completion request. started_at counts microseconds since 1970. Token counts are null when the
-- model server did not say; first_token_ms is null where nothing was streamed.
CREATE TABLE usage (
  request_id VARCHAR NOT NULL,
  key_id VARCHAR NOT NULL,
  user_id VARCHAR NOT NULL,
  project_id VARCHAR,
  model VARCHAR NOT NULL,
  started_at BIGINT NOT NULL,
  status INTEGER NOT NULL,
  streamed BOOLEAN NOT NULL,
  outcome VARCHAR NOT NULL,
  prompt_tokens BIGINT,
  completion_tokens BIGINT,
  cached_tokens BIGINT,
  latency_ms DOUBLE NOT NULL,
  first_token_ms DOUBLE
);

-- What each key used, by project and model.
CREATE VIEW usage_totals AS
SELECT
  key_id,
  user_id,
  project_id,
  model,
  count(*) AS requests,
  count(*) FILTER (outcome = 'failed') AS failed_requests,
  coalesce(sum(prompt_tokens), 0)::BIGINT AS prompt_tokens,
  coalesce(sum(completion_tokens), 0)::BIGINT AS completion_tokens,
  avg(latency_ms) AS mean_latency_ms,
  quantile_cont(latency_ms, 0.99) AS p99_latency_ms,
  avg(first_token_ms) AS mean_first_token_ms
FROM usage
GROUP BY ALL;
