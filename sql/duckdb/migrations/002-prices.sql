-- What models cost in a project, per token, from a time on. Ids are per project; of equal times that price counts which was created last.
CREATE TABLE model_prices (
  project_id VARCHAR NOT NULL,
  id VARCHAR NOT NULL,
  model VARCHAR NOT NULL,
  provider VARCHAR NOT NULL,
  effective_date BIGINT NOT NULL,
  prompt DOUBLE NOT NULL,
  completion DOUBLE NOT NULL,
  cache_read DOUBLE NOT NULL,
  cache_creation DOUBLE NOT NULL,
  prompt_unit VARCHAR NOT NULL,
  completion_unit VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  created_by VARCHAR NOT NULL
);
