import { EvalcubeError, StoreError } from "../../errors.ts";
import { InvalidRecord } from "../../ingest/record/invalid-record.ts";
import { PAYLOADS, TEXTS } from "../../ingest/formats/record-columns.ts";
import type { ParquetFiles } from "../../ingest/formats/parquet-files.ts";
import type { RecordGroup } from "../../ingest/formats/record-source.ts";
import type { ColumnBatch, ColumnType, ColumnValues } from "../../store/columns.ts";
import type { Store } from "../../store/session.ts";
import { identifier, join, sql, statement, text, type Sql } from "../../store/sql.ts";
import { changedWithin } from "../../compile/table/nested-values.ts";
import { generatePieces } from "../../flow/pieces.ts";
import { isSet } from "../../arrow/bits.ts";

/** A DuckDB, which reads Parquet files. */
type ParquetReader = Pick<Store, "read">;

/** Reads Parquet files with DuckDB. */
export function parquetFiles(store: ParquetReader): ParquetFiles {
  return {
    groups: (path) => readable(path, parquetRecords(store, path)),
    texts: (path) => parquetTexts(store, path),
    columnTypes: (path) => columnTypes(store, path),
  };
}

/** Reads the records of a Parquet file as JSON texts, without a meaning of its columns' names. */
export async function* parquetTexts(store: ParquetReader, path: string): AsyncGenerator<string> {
  for await (const { records } of readable(path, parquetRecords(store, path, true)))
    for (const { text: record } of records) yield String(record);
}

async function columnTypes(store: ParquetReader, path: string): Promise<ReadonlyMap<string, string>> {
  try {
    const columns = await describe(store, parquetFile(path));
    return new Map(columns.map(({ name, type }) => [name, type]));
  } catch (error) {
    if (error instanceof StoreError && error.code === "query_failed") return new Map();
    throw error;
  }
}

/** DuckDB reads a name as a pattern, where a special character in brackets stands for itself. */
export function oneFile(path: string): Sql {
  return sql`${text(path.replaceAll(/[*?[]/g, "[$&]"))}`;
}

function parquetFile(path: string): Sql {
  return sql`read_parquet(${oneFile(path)}, hive_types_autocast = false)`;
}

async function describe(store: ParquetReader, file: Sql) {
  const described = await store.read((session) => session.rows(sql`DESCRIBE SELECT * FROM ${file}`));
  return described.map(([name, type]) => ({ name: String(name), type: String(type) }));
}

/** Types that DuckDB's own JSON spells differently from Arrow columns. */
const SPELLED_DIFFERENTLY = /BLOB|TIMESTAMP/;

type Shapes = ReadonlyMap<string, ColumnType>;

/** The types of the columns that have such values, also deep inside. */
async function shapesOf(
  store: ParquetReader,
  file: Sql,
  described: readonly { readonly name: string; readonly type: string }[],
): Promise<Shapes> {
  const names = described.flatMap(({ name, type }) => (SPELLED_DIFFERENTLY.test(type) ? [name] : []));
  if (names.length === 0) return new Map();
  const query = sql`SELECT ${join(names.map(identifier))} FROM ${file} LIMIT 0`;
  return store.read(async (session) => {
    const { fields } = await session.vectors(statement(query, session.dialect));
    return new Map(fields.map(({ name, type }) => [name, type]));
  });
}

async function* readable<T>(path: string, groups: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* groups;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Turns DuckDB's refusal of a file into an error about the source, in one line. */
export function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof StoreError) || error.code !== "query_failed") return error;
  const cause = error.cause instanceof Error ? error.cause.message : error.message;
  return new EvalcubeError("no_source", `${path}: cannot be read as Parquet: ${cause.split("\n")[0]}`, {
    cause: error,
  });
}

/** Making strings of this many records takes about a millisecond. */
const RECORDS_AT_A_TIME = 2048;

/** Reads each Parquet record as the JSON text that NDJSON would carry. Nulls are left out, except in `val`. */
async function* parquetRecords(
  store: ParquetReader,
  path: string,
  isTable = false,
): AsyncGenerator<RecordGroup> {
  const file = parquetFile(path);
  const described = await describe(store, file);
  const shapes = await shapesOf(store, file, described);
  const parquet = described.map(({ name, type }) =>
    isTable ? tableColumn(name, type, shapes) : parquetColumn(name, type, shapes),
  );
  const columns = parquet.map(({ name }) => name);
  yield { records: [], bytes: 0, columns };
  const record = sql`concat('{', concat_ws(',', ${join(parquet.map(memberText))}), '}')`;
  const query = sql`SELECT ${record}, ${firstName(parquet, notUtf8)}, ${firstName(parquet, notJson)} FROM ${file}`;
  const groups = generatePieces<readonly RecordText[]>((write, signal) =>
    store.read(async (session) => {
      const { batches } = await session.vectors(statement(query, session.dialect));
      for await (const batch of batches) {
        for (let from = 0; from < batch.length; from += RECORDS_AT_A_TIME) {
          await session.turns.take();
          await write(recordTexts(batch, from, Math.min(from + RECORDS_AT_A_TIME, batch.length)));
        }
      }
    }, signal),
  );
  let position = 0;
  for await (const texts of groups) {
    yield { records: texts.map((one) => ({ position: ++position, text: one })), bytes: 0, columns };
  }
}

type RecordText = string | InvalidRecord;

/**
 * Reads records from three columns: the record's text, the name of a column that is not UTF-8, and the name of a column
 * that is not JSON.
 */
function recordTexts({ columns }: ColumnBatch, from: number, to: number): RecordText[] {
  const [texts = [], bytes = [], payloads = []] = [0, 1, 2].map((i) => stringsOf(columns[i], from, to));
  return texts.map(
    (value, i) => invalid(bytes[i], "is not UTF-8") ?? invalid(payloads[i], NOT_JSON) ?? String(value),
  );
}

const NOT_JSON = "is not JSON; a payload column of text holds one JSON value a record";

function invalid(name: unknown, reason: string): InvalidRecord | null {
  return typeof name === "string" ? new InvalidRecord([name], reason) : null;
}

interface ParquetColumn {
  readonly name: string;
  /** The column in its own type. */
  readonly column: Sql;
  /** The column, with bytes that stand for text decoded. */
  readonly value: Sql;
  readonly type: string;
  /** Where its JSON is not as DuckDB writes it. */
  readonly shape: ColumnType | undefined;
  /** Whether its name means nothing. */
  readonly isTable?: boolean;
}

/** A column whose name means nothing: its value is what its type says. */
function tableColumn(name: string, type: string, shapes: Shapes): ParquetColumn {
  const column = identifier(name);
  return { name, column, value: column, type, shape: shapes.get(name), isTable: true };
}

function parquetColumn(name: string, type: string, shapes: Shapes): ParquetColumn {
  const column = identifier(name);
  if (type !== "BLOB" || !(TEXTS.has(name) || PAYLOADS.has(name)))
    return { name, column, value: column, type, shape: shapes.get(name) };
  return { name, column, value: sql`try(decode(${column}))`, type: "VARCHAR", shape: undefined };
}

/** SQL for the name of the first column where `fault` is true. */
function firstName(columns: readonly ParquetColumn[], fault: (column: ParquetColumn) => Sql | null): Sql {
  const tests = columns.flatMap((column) => {
    const test = fault(column);
    return test === null ? [] : [sql` WHEN ${test} THEN ${text(column.name)}`];
  });
  return tests.length === 0 ? sql`NULL::VARCHAR` : sql`CASE${join(tests, sql``)} END`;
}

function notUtf8({ column, value }: ParquetColumn): Sql | null {
  return column === value ? null : sql`${column} IS NOT NULL AND ${value} IS NULL`;
}

function notJson(column: ParquetColumn): Sql | null {
  return isJson(column) ? sql`NOT json_valid(${column.value})` : null;
}

function isJson({ name, type, isTable }: ParquetColumn): boolean {
  if (isTable === true) return type === "JSON";
  return type === "JSON" || (type === "VARCHAR" && PAYLOADS.has(name));
}

function memberText(column: ParquetColumn): Sql {
  const { name, value } = column;
  const label = text(`${JSON.stringify(name)}:`);
  const written = isJson(column) ? value : valueText(column);
  if (name === "val" && column.isTable !== true) return sql`concat(${label}, coalesce(${written}, 'null'))`;
  return sql`CASE WHEN ${value} IS NOT NULL THEN concat(${label}, ${written}) END`;
}

/** Timestamp columns of the record itself count as UTC where they have no zone. */
function valueText({ type, value, shape }: ParquetColumn): Sql {
  if (/^TIMESTAMP(_|$)/.test(type))
    return sql`to_json(strftime(${value}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%fZ'))`;
  return sql`to_json(${(shape === undefined ? null : changedWithin(shape, value, asText)) ?? value})`;
}

/** Timestamps as ISO 8601, bytes as base64. */
function asText(type: ColumnType, value: Sql): Sql | null {
  if (type.kind === "binary") return sql`base64(${value})`;
  if (type.kind !== "timestamp") return null;
  return type.utc
    ? sql`strftime(${value} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')`
    : sql`strftime(${value}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%f')`;
}

/** Reads the values of a text column from `from` up to but not including `to` as strings. */
function stringsOf(values: ColumnValues | undefined, from: number, to: number): (string | null)[] {
  const { validity, offsets, bytes } = values ?? {};
  if (offsets == null || bytes == null) throw new TypeError("a column that has no texts");
  const letters = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: to - from }, (_, k) => {
    const i = from + k;
    if (validity != null && !isSet(validity, i)) return null;
    return letters.toString("utf8", offsets[i], offsets[i + 1]);
  });
}
