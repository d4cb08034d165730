import { EvalcubeError, StoreError } from "../errors.ts";
import { InvalidRecord } from "../ingest/invalid-record.ts";
import { PAYLOADS } from "../ingest/record-columns.ts";
import type { RecordGroup, SourceRecord } from "../ingest/record-source.ts";
import type { Store } from "../model/session.ts";
import { identifier, join, sql, text, type Sql } from "../model/sql.ts";

/** The records of a Parquet file, read by DuckDB; folders `name=value` above it are columns of text. */
export function parquetGroups(store: Store, path: string): AsyncIterable<RecordGroup> {
  return readable(path, parquetRecords(store, path));
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
