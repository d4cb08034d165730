-- What tracing tools send beside calls and rows. Times count microseconds since 1970.

-- Where the display name of a call comes from: 1 its end, 2 a later renaming; no record: anything else. A call may end or be
-- renamed before its start arrives; it then has a record in calls, without op_name and started_at.
CREATE TABLE IF NOT EXISTS named_calls (
  call_key INTEGER NOT NULL,
  name_rank UTINYINT NOT NULL
);

-- One record a version of an object. val: JSON, with every number as it was sent. latest_number: the larger, the later the
-- version was published, also where it was published again.
CREATE TABLE IF NOT EXISTS object_versions (
  project_id VARCHAR NOT NULL,
  object_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  version_index INTEGER NOT NULL,
  latest_number BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  kind VARCHAR NOT NULL,
  base_object_class VARCHAR,
  leaf_object_class VARCHAR,
  user_id VARCHAR,
  val VARCHAR NOT NULL USING COMPRESSION zstd
);

-- One record a table: the digests of its rows, in order.
CREATE TABLE IF NOT EXISTS row_tables (
  project_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  row_digests VARCHAR[] NOT NULL
);

-- Rows of tables whose numbers were sent in another spelling than that of rows.val, such as 1.0.
CREATE TABLE IF NOT EXISTS row_spellings (
  project_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  val VARCHAR NOT NULL USING COMPRESSION zstd
);

CREATE TABLE IF NOT EXISTS stored_files (
  project_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  bytes BLOB NOT NULL
);
