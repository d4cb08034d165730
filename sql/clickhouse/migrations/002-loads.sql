-- One record a change of state of a load. open: it is being written; again with each sign of life of its writer. visible: a commit, of
-- number `commit`, that makes all of `loads` visible at once. dead: a commit that makes sure that none of `loads` ever becomes visible.
-- purged: nothing of it is stored any more. settled: every load up to it is visible or has left nothing.
-- counts: how many records of it each table has.
CREATE TABLE IF NOT EXISTS loads {cluster} (
  load UInt64,
  state Enum8('open' = 1, 'visible' = 2, 'dead' = 3, 'purged' = 4, 'settled' = 5),
  commit UInt64,
  loads Array(UInt64),
  counts Map(String, UInt64),
  writer String,
  at DateTime64(6, 'UTC') DEFAULT now64(6)
) ENGINE = {engine} ORDER BY (load, at)
