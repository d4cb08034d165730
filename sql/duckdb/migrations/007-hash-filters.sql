-- What the writer need not look for among the calls: the layers of its hash filters (src/ingest/hash-filter.ts).
-- kind: 0 hashes of calls, 1 hashes of their parents.
CREATE OR REPLACE TABLE hash_layers (
  kind INTEGER NOT NULL,
  layer INTEGER NOT NULL,
  capacity INTEGER NOT NULL,
  used INTEGER NOT NULL,
  words BLOB NOT NULL
);

-- One record, none before filters were stored. They have every call up to to_key; layers counts hash_layers.
CREATE OR REPLACE TABLE hash_coverage (
  to_key INTEGER NOT NULL,
  layers INTEGER NOT NULL
);

-- Parents that calls were given in place of others after the filters were stored.
CREATE OR REPLACE TABLE moved_parents (
  parent_hash UBIGINT NOT NULL
);
