-- What the calls of this database were read by (JSON lists of names), how many shards it has, and whether commits are taken from a
-- coordinator. Of several records the one with the lowest id counts.
CREATE TABLE IF NOT EXISTS conventions {cluster} (
  id UInt64,
  predict_and_score_ops String,
  attribute_namespaces String,
  shards UInt32,
  has_coordinator Bool
) ENGINE = {engine} ORDER BY (id)
