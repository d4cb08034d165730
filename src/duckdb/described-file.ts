import { EvalcubeError } from "../errors.ts";
import { openStore } from "./store.ts";
import { oneFile, parquetTexts, unreadable } from "./parquet/parquet.ts";
import type { JsonObject } from "../model/json.ts";
import { identifier, join, sql, text, type Sql } from "../store/sql.ts";

/** Columns by name; bytes are given and read as base64. */
export type Columns = ReadonlyMap<string, "INTEGER" | "FLOAT" | "BLOB" | "BOOLEAN[]" | "DOUBLE[]">;

/** The key of the description in the metadata of a file. */
const KEY = "evalcube";

/** Writes records to a Parquet file, in their order, with a description in its metadata. */
export async function writeDescribed(
  file: string,
  columns: Columns,
  records: readonly JsonObject[],
  description: string,
): Promise<void> {
  const types = [...columns].map(([column, type]): [string, unknown] => {
    if (type.endsWith("[]")) return [column, [type.slice(0, -2)]];
    return [column, type === "BLOB" ? "VARCHAR" : type];
  });
  const list = [...columns].map(([column, type]) => {
    const value = sql`r.${identifier(column)}`;
    return sql`${type === "BLOB" ? sql`from_base64(${value})` : value} AS ${identifier(column)}`;
  });
  const shape = text(JSON.stringify([Object.fromEntries(types)]));
  const rows = sql`SELECT unnest(from_json(${text(JSON.stringify(records))}, ${shape})) AS r`;
  const metadata = sql`KV_METADATA {${identifier(KEY)}: ${text(description)}}`;
  const copy = sql`COPY (SELECT ${join(list)} FROM (${rows})) TO ${text(file)}
    (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, ${metadata})`;
  await inMemory((store) => store.read((session) => session.rows(copy)));
}

/** More records do not fit into the memory of the process. */
const MOST_RECORDS = 3_000_000;

/** Reads such a file; null where it has no description. Throws `EvalcubeError` `no_source` where it cannot be read. */
export async function readDescribed(
  file: string,
): Promise<{ readonly description: string; readonly records: readonly JsonObject[] } | null> {
  return await inMemory(async (store) => {
    const metadata = sql`SELECT decode(value) FROM parquet_kv_metadata(${oneFile(file)}) WHERE decode(key) = ${text(KEY)}`;
    const [[found], [counted]] = await store
      .read(async (session) => [await session.rows(metadata), await session.rows(countOf(file))] as const)
      .catch((error: unknown) => Promise.reject(unreadable(file, error)));
    if (found === undefined) return null;
    if (Number(counted?.[0]) > MOST_RECORDS)
      throw new EvalcubeError("no_source", `${file}: has more than ${MOST_RECORDS} records`);
    const records: JsonObject[] = [];
    for await (const record of parquetTexts(store, file)) records.push(JSON.parse(record) as JsonObject);
    return { description: String(found[0]), records };
  });
}

function countOf(file: string): Sql {
  return sql`SELECT sum(num_rows)::DOUBLE FROM parquet_file_metadata(${oneFile(file)})`;
}

/** The number of records of a Parquet file, which stands at its end. */
export async function parquetRecords(file: string): Promise<number> {
  const [counted] = await inMemory((store) => store.read((session) => session.rows(countOf(file))));
  return Number(counted?.[0]);
}

/** One thread, so that the same records give the same bytes. */
const OPTIONS = { path: ":memory:", readOnly: false, threads: 1, memoryLimit: "1GiB" } as const;

async function inMemory<T>(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>): Promise<T> {
  const store = await openStore(OPTIONS);
  return await work(store).finally(() => store.close());
}
