-- For an administrator, with the name of the database in place of evalcube: one role that opens, migrates and loads, one that reads.
CREATE ROLE IF NOT EXISTS evalcube_writer;
GRANT SELECT, INSERT, ALTER DELETE, CREATE TABLE, DROP TABLE ON evalcube.* TO evalcube_writer;
GRANT SELECT ON system.databases TO evalcube_writer;
GRANT SELECT ON system.tables TO evalcube_writer;

CREATE SETTINGS PROFILE IF NOT EXISTS evalcube_reads SETTINGS max_execution_time = 300 CHANGEABLE_IN_READONLY,
  max_memory_usage = 10000000000 CHANGEABLE_IN_READONLY, readonly = 2;
CREATE ROLE IF NOT EXISTS evalcube_reader SETTINGS PROFILE evalcube_reads;
GRANT SELECT ON evalcube.* TO evalcube_reader;
GRANT SELECT ON system.databases TO evalcube_reader;
GRANT SELECT ON system.tables TO evalcube_reader;
