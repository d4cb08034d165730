-- Long texts: the JSON of a value of more than 4,096 bytes, in pieces of at most 4,096 bytes that end between characters, numbered from 0.
-- The record that owns a text has a stub instead of it: a JSON string of parts with colons between them, the mark, the hash of the text,
-- its bytes, its key and others (src/model/text-stubs.ts). The column text_bytes of a record counts the bytes of its texts; it is null
-- where there is none. Records that were stored before have their texts in them.
CREATE TABLE pieces (
  text_key BIGINT NOT NULL,
  piece INTEGER NOT NULL,
  txt VARCHAR NOT NULL USING COMPRESSION zstd
);

-- What the stubs of this file begin with: one record, a secret, so that no text from outside looks like a stub.
CREATE TABLE text_mark AS SELECT '~' || replace(uuid()::VARCHAR, '-', '') AS mark;

ALTER TABLE calls ADD COLUMN text_bytes BIGINT;
ALTER TABLE rows ADD COLUMN text_bytes BIGINT;

-- DuckDB alters no table with an index; it is made again when the file is opened.
DROP INDEX IF EXISTS trials_by_version_key;
ALTER TABLE trials ADD COLUMN text_bytes BIGINT;
