import { createReadStream, statSync } from "node:fs";
import { EvalcubeError, StoreError } from "../errors.ts";
import { InvalidRecord } from "../ingest/invalid-record.ts";
import { ndjsonSource } from "../ingest/ndjson.ts";
import { objectSource, type RecordSource, type SourceRecord } from "../ingest/record-source.ts";
import { identifier, join, sql, text, type Sql } from "../model/sql.ts";
import type { Store } from "../model/session.ts";

/** NDJSON bytes that come from elsewhere than a file; `name` is used in errors. */
export interface NdjsonStream {
  readonly ndjson: AsyncIterable<Uint8Array>;
  readonly name: string;
}

/** A path or paths of files (.ndjson, .jsonl, each also as .gz, .parquet), NDJSON bytes, or objects. */
export type IngestSource =
  | string
  | readonly string[]
  | NdjsonStream
  | Iterable<unknown>
  | AsyncIterable<unknown>;

/** The sources that a caller's argument stands for; each is loaded in one transaction. */
export function openSources(store: Store, source: IngestSource): RecordSource[] {
  if (typeof source !== "object" && typeof source !== "string") throw invalidSource();
  if (source === null) throw invalidSource();
  if (typeof source === "string") return [fileSource(store, source)];
  if (isNdjsonStream(source)) return [ndjsonSource(source.ndjson, source.name, null)];
  if (Array.isArray(source) && source.length > 0 && source.every((item) => typeof item === "string")) {
    return (source as readonly string[]).map((path) => fileSource(store, path));
  }
  if (
    typeof source === "object" &&
    source !== null &&
    (Symbol.iterator in source || Symbol.asyncIterator in source)
  ) {
    return [objectSource(source as Iterable<unknown> | AsyncIterable<unknown>, "records")];
  }
  throw invalidSource();
}

function invalidSource(): EvalcubeError {
  return new EvalcubeError(
    "invalid_source",
    "a source is a file path, a list of paths, { ndjson, name }, or an iterable of objects",
  );
}

function isNdjsonStream(source: IngestSource): source is NdjsonStream {
  return typeof source === "object" && "ndjson" in source && "name" in source;
}

function fileSource(store: Store, path: string): RecordSource {
  let size: number;
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw new EvalcubeError("invalid_source", `${path}: is a folder, not a file`);
    size = found.size;
  } catch (error) {
    if (error instanceof EvalcubeError) throw error;
    throw new EvalcubeError("no_source", `${path}: cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  if (/\.parquet$/i.test(path))
    return { name: path, totalBytes: null, groups: readable(path, parquetRecords(store, path)) };
  return ndjsonSource(createReadStream(path, { highWaterMark: 1024 * 1024 }), path, size);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A file that DuckDB cannot read is the source's fault, and said in one line. */
async function* readable<T>(path: string, groups: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* groups;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "query_failed") throw error;
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new EvalcubeError("no_source", `${path}: cannot be read as Parquet: ${cause.split("\n")[0]}`, {
      cause: error,
    });
  }
}

/** Payload columns hold JSON text when they hold text. */
const PAYLOADS = new Set(["attributes", "inputs", "output", "summary", "val"]);

/** Each Parquet record as the JSON text that NDJSON would carry. Nulls are left out. */
async function* parquetRecords(store: Store, path: string) {
  // DuckDB takes the name as a pattern; a mark in brackets stands for itself.
  const file = text(path.replaceAll(/[*?[]/g, "[$&]"));
  const described: (readonly unknown[])[] = [];
  for await (const rows of store.stream(sql`DESCRIBE SELECT * FROM read_parquet(${file})`))
    described.push(...rows);
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  const members = columns.map(({ name, type }) => memberText(name, type));
  const record = sql`concat('{', concat_ws(',', ${join(members, sql`, `)}), '}')`;
  let position = 0;
  for await (const rows of store.stream(
    sql`SELECT ${record}, ${firstInvalid(columns)} FROM read_parquet(${file})`,
  )) {
    const records: SourceRecord[] = rows.map(([value, invalid]) => ({
      position: ++position,
      text:
        typeof invalid === "string"
          ? new InvalidRecord(
              [invalid],
              "is not JSON; a payload column of text holds one JSON value a record",
            )
          : String(value),
    }));
    yield { records, bytes: 0 };
  }
}

interface ParquetColumn {
  readonly name: string;
  readonly type: string;
}

/** The name of the first payload column whose text is not one JSON value. */
function firstInvalid(columns: readonly ParquetColumn[]): Sql {
  const tests = columns
    .filter(({ name, type }) => type === "VARCHAR" && PAYLOADS.has(name))
    .map(({ name }) => sql` WHEN NOT json_valid(${identifier(name)}) THEN ${text(name)}`);
  return tests.length === 0 ? sql`NULL::VARCHAR` : sql`CASE${join(tests, sql``)} END`;
}

function memberText(name: string, type: string): Sql {
  const column = identifier(name);
  const label = text(`${JSON.stringify(name)}:`);
  const value = valueText(name, type, column);
  if (name === "val") return sql`concat(${label}, coalesce(${value}, 'null'))`;
  return sql`CASE WHEN ${column} IS NOT NULL THEN concat(${label}, ${value}) END`;
}

function valueText(name: string, type: string, column: Sql): Sql {
  if (type === "JSON" || (type === "VARCHAR" && PAYLOADS.has(name))) return column;
  if (type.startsWith("TIMESTAMP WITH TIME ZONE")) {
    return sql`to_json(strftime(${column} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'))`;
  }
  if (type.startsWith("TIMESTAMP"))
    return sql`to_json(strftime(${column}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%fZ'))`;
  return sql`to_json(${column})`;
}
