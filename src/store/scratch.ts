/**
 * Where `Store.scratch` makes tables, as the database of their names. DuckDB names a database by its file, whose name has no
 * slash.
 */
export const SCRATCH = "/scratch";
