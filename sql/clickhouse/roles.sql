-- For an administrator, with the name of the database in place of evalcube. The database is made first: CREATE DATABASE evalcube.

-- Opens, migrates, loads and maintains. It drops nothing but the lease under which it makes tables.
CREATE ROLE IF NOT EXISTS evalcube_writer;
GRANT SELECT, INSERT, ALTER DELETE, ALTER ADD COLUMN, ALTER ADD PROJECTION, ALTER SETTINGS, CREATE TABLE ON evalcube.* TO evalcube_writer;
GRANT TABLE ENGINE ON MergeTree, TABLE ENGINE ON KeeperMap, TABLE ENGINE ON Memory TO evalcube_writer;
GRANT DROP TABLE ON evalcube.evalcube_lease TO evalcube_writer;
GRANT SELECT ON system.databases TO evalcube_writer;
GRANT SELECT ON system.tables TO evalcube_writer;
-- For a database with replicas, besides. The statements of this file are run on each replica.
GRANT TABLE ENGINE ON ReplicatedMergeTree TO evalcube_writer;
GRANT SYSTEM SYNC REPLICA, SYSTEM SYNC DATABASE REPLICA ON evalcube.* TO evalcube_writer;
GRANT SELECT ON system.replicas TO evalcube_writer;
GRANT SELECT ON system.clusters TO evalcube_writer;
-- For a database over a cluster, besides: the parts of the tables that are spread. The statements of this file are run on each server.
GRANT SELECT, INSERT, ALTER DELETE, ALTER ADD COLUMN, ALTER ADD PROJECTION, ALTER SETTINGS, CREATE TABLE ON evalcube_shard.* TO evalcube_writer;
GRANT TABLE ENGINE ON Distributed TO evalcube_writer;
GRANT CREATE TEMPORARY TABLE, REMOTE ON *.* TO evalcube_writer;
GRANT SELECT ON system.clusters TO evalcube_writer;

-- Opens with readOnly and asks. Who asks may lower the limits of the profile, and not raise them (0 would be no limit).
CREATE SETTINGS PROFILE IF NOT EXISTS evalcube_reads SETTINGS readonly = 2, max_execution_time = 300 MIN 1 MAX 300,
  max_memory_usage = 10000000000 MIN 1 MAX 10000000000;
CREATE ROLE IF NOT EXISTS evalcube_reader SETTINGS PROFILE evalcube_reads;
CREATE QUOTA IF NOT EXISTS evalcube_reads KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 100000, execution_time = 36000
  TO evalcube_reader;
GRANT SELECT ON evalcube.* TO evalcube_reader;
GRANT SELECT ON system.databases TO evalcube_reader;
GRANT SELECT ON system.tables TO evalcube_reader;
-- For a database with replicas, besides. To ask a replica what it has not yet is a statement that the profile forbids, so without readonly:
-- ALTER SETTINGS PROFILE evalcube_reads MODIFY SETTING readonly = 0. The role still writes nothing.
GRANT SYSTEM SYNC REPLICA, SYSTEM SYNC DATABASE REPLICA ON evalcube.* TO evalcube_reader;
GRANT SELECT ON system.replicas TO evalcube_reader;
GRANT SELECT ON system.clusters TO evalcube_reader;
-- For a database over a cluster, besides.
GRANT SELECT ON evalcube_shard.* TO evalcube_reader;
GRANT CREATE TEMPORARY TABLE, REMOTE ON *.* TO evalcube_reader;
GRANT SELECT ON system.clusters TO evalcube_reader;
