-- A search of outputs needs no length any more. In a step of its own: DuckDB drops no column before an index that goes in the same one.
ALTER TABLE trials DROP COLUMN model_output_bytes;
