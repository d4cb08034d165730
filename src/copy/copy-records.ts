import type { Counts } from "../ingest/kept.ts";
import { writeRecords } from "../store/records.ts";
import type { Column, RecordStore, RecordTable } from "../store/session.ts";
import { identifier, join, sql, type Sql, type SqlType, type SqlValue } from "../store/sql.ts";
import { copyObjects, copyTables, copyFiles } from "./copy-weave.ts";

type Columns = Readonly<Record<string, SqlType>>;

/** A table whose records are copied as they are. */
interface PlainTable {
  readonly table: RecordTable;
  /** What tells its records apart, and orders them. */
  readonly keys: Columns;
  readonly others: Columns;
  /** The database counts the records that have the same value here, in the order of writes. */
  readonly countedBy?: string;
}

const TEXT = "VARCHAR";
export const PLAIN: readonly PlainTable[] = [
  {
    table: "feedback",
    keys: { project_id: TEXT, id: TEXT },
    others: { created_at: "BIGINT", svc_user_id: TEXT, svc_ref: TEXT, feedback_type: TEXT, content: TEXT },
  },
  {
    table: "model_prices",
    keys: { project_id: TEXT, id: TEXT },
    others: {
      model: TEXT,
      provider: TEXT,
      effective_date: "BIGINT",
      prompt: "DOUBLE",
      completion: "DOUBLE",
      cache_read: "DOUBLE",
      cache_creation: "DOUBLE",
      prompt_unit: TEXT,
      completion_unit: TEXT,
      created_at: "BIGINT",
      created_by: TEXT,
    },
  },
  {
    table: "training_models",
    keys: { id: TEXT },
    others: { entity: TEXT, project: TEXT, name: TEXT, base_model: TEXT },
  },
  {
    table: "training_jobs",
    keys: { id: TEXT },
    others: {
      model_id: TEXT,
      created_at: "BIGINT",
      project_id: TEXT,
      user_id: TEXT,
      request: TEXT,
      keyed: "BOOLEAN",
    },
  },
  {
    table: "training_idempotency",
    keys: { job_id: TEXT },
    others: { key_id: TEXT, idempotency_key: TEXT, request_hash: TEXT },
  },
  {
    table: "trajectories",
    keys: { job_id: TEXT, group_index: "INTEGER", trajectory_index: "INTEGER" },
    others: {
      reward: "DOUBLE",
      initial_policy_version: "DOUBLE",
      final_policy_version: "DOUBLE",
      metrics: TEXT,
      start_time: "BIGINT",
    },
  },
  { table: "checkpoints", keys: { id: TEXT }, others: { model_id: TEXT, step: "BIGINT", metrics: TEXT } },
  {
    table: "training_events",
    keys: { number: "BIGINT", job_id: TEXT },
    others: { id: TEXT, type: TEXT, data: TEXT },
    countedBy: "job_id",
  },
  {
    table: "usage",
    // A request id is what the client says, and may come again.
    keys: { started_at: "BIGINT", request_id: TEXT, key_id: TEXT, latency_ms: "DOUBLE" },
    others: {
      user_id: TEXT,
      project_id: TEXT,
      model: TEXT,
      status: "INTEGER",
      streamed: "BOOLEAN",
      outcome: TEXT,
      prompt_tokens: "BIGINT",
      completion_tokens: "BIGINT",
      cached_tokens: "BIGINT",
      first_token_ms: "DOUBLE",
    },
  },
  { table: "row_spellings", keys: { project_id: TEXT, digest: TEXT }, others: { val: TEXT } },
];

const TABLES: readonly RecordTable[] = [
  ...PLAIN.map(({ table }) => table),
  "object_versions",
  "row_tables",
  "stored_files",
];
const RECORDS_AT_ONCE = 1000;

/** How many records each table beside evaluations has. */
export async function countRecords(store: RecordStore, signal: AbortSignal | undefined): Promise<Counts> {
  return await store.read(async (session) => {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const [found] = await session.rows(sql`SELECT count(*) FROM ${identifier(table)}`);
      counts[table] = Number(found?.[0]);
    }
    return counts;
  }, signal);
}

/** Copies the records beside evaluations, page by page. */
export async function copyRecords(
  from: RecordStore,
  to: RecordStore,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const one of PLAIN) await copyPlain(from, to, one, signal);
  await copyObjects(from, to, signal);
  await copyTables(from, to, signal);
  await copyFiles(from, to, signal);
}

async function copyPlain(
  from: RecordStore,
  to: RecordStore,
  { table, keys, others, countedBy }: PlainTable,
  signal: AbortSignal | undefined,
): Promise<void> {
  const columns = { ...keys, ...others };
  const group = countedBy === undefined ? -1 : Object.keys(columns).indexOf(countedBy);
  for (let last: Page[number] | null = null; ;) {
    const page: Page = await from.read((session) => session.rows(pageOf(table, columns, keys, last)), signal);
    const end = page.at(-1);
    if (end === undefined) return;
    for (const run of group < 0 ? [page] : runsOf(page, group))
      await writeRecords(to, (session) => session.add(table, columnsOf(columns, run)), signal);
    last = end;
  }
}

type Page = readonly (readonly SqlValue[])[];

/** Records one after another of which no two have the same value in a column. */
function runsOf(page: Page, column: number): Page[] {
  const runs: (readonly SqlValue[])[][] = [];
  let seen = new Set<SqlValue>();
  for (const record of page) {
    const value = record[column] ?? null;
    if (runs.length === 0 || seen.has(value)) {
      runs.push([]);
      seen = new Set();
    }
    seen.add(value);
    runs.at(-1)?.push(record);
  }
  return runs;
}

/** The records after the one with these keys. */
function pageOf(table: RecordTable, columns: Columns, keys: Columns, last: readonly SqlValue[] | null): Sql {
  const names = join(Object.keys(keys).map(identifier), sql`, `);
  const bound = Object.values(keys).map((type, i) => sql`${{ type, value: last?.[i] ?? null }}`);
  const after = last === null ? sql`` : sql` WHERE (${names}) > (${join(bound, sql`, `)})`;
  const selected = join(Object.keys(columns).map(valueOf), sql`, `);
  return sql`SELECT ${selected} FROM ${identifier(table)}${after} ORDER BY ${names} LIMIT ${{ type: "BIGINT", value: BigInt(RECORDS_AT_ONCE) }}`;
}

/** Files do not store whether a job has an idempotency key. */
function valueOf(column: string): Sql {
  if (column !== "keyed") return identifier(column);
  return sql`id IN (SELECT job_id FROM training_idempotency) AS keyed`;
}

/** Numbers are given anew. */
function columnsOf(columns: Columns, page: Page): Column[] {
  return Object.entries(columns).flatMap(([name, type], i) => {
    const values = page.map((record) => record[i] ?? null);
    if (name === "number") return [];
    return [
      { name, type, values: type === "BOOLEAN" ? values.map((one) => one === true || one === 1) : values },
    ];
  });
}
