import type { Conventions } from "../../model/conventions.ts";
import { isLack } from "../../errors.ts";
import type { FileSession, FileStore, Session, Store } from "../../store/session.ts";
import {
  type CheckResult,
  countOf,
  type Problem,
  readTables,
  unknownAfter,
} from "../../store/check-result.ts";
import { brokenTexts } from "./long-texts.ts";
import { lastWrite } from "./measure.ts";
import { countUnfiltered } from "../load/saved-filters.ts";
import { createTurnTaker } from "../../model/turns.ts";
import { constant, identifier, join, sql, type Sql, text } from "../../store/sql.ts";
import { operationName } from "../../model/references.ts";

/** Reads everything. After a block that cannot be read, tables are not compared: that would fail on the same block. */
export async function checkDatabase(
  store: FileStore,
  conventions: Conventions,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const { tables, problems, unknown } = await readAll(store, signal);
  // What could not be read above is told there.
  const last_write_at = await store.read(lastWrite, signal).catch(() => null);
  if (problems.length > 0) return { tables, problems, unknown, last_write_at };
  const found: Problem[] = [];
  const lacking = [...unknown];
  for (const { table, compare } of COMPARISONS)
    try {
      found.push(...(await store.read((session) => compare(session, conventions), signal)));
    } catch (error) {
      const lack = unknownAfter(table, error);
      if (lack === null) throw error;
      lacking.push(lack);
    }
  return { tables, problems: found, unknown: lacking, last_write_at };
}

/** Checks that the filters, with which a load recognises new calls, cover every stored call. */
async function missingHashes(session: FileSession): Promise<Problem[]> {
  const records = await countUnfiltered(session, createTurnTaker());
  if (records === 0) return [];
  const message = `hash_layers: ${countOf(records)} of calls lacks there, and could be stored twice`;
  return [{ kind: "missing", table: "hash_layers", records, message }];
}

/**
 * Reads every value of every table, each table in its own transaction, so that a damaged one does not hide the others.
 */
async function readAll(store: Store, signal?: AbortSignal): ReturnType<typeof readTables> {
  const names = await store.read(
    (session) => session.rows(sql`SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY ALL`),
    signal,
  );
  const read = async (table: string) => {
    const all = await store
      .read((session) => readRecords(session, table, sql`true`), signal)
      .catch((error: unknown) => {
        if (isLack(error) && error.code === "out_of_memory") return null;
        throw error;
      });
    return all ?? (await store.read((session) => readInRanges(session, table), signal));
  };
  return readTables(
    names.map(([name]) => String(name)),
    read,
  );
}

/** Reads the records of a table for which a condition holds; returns how many. */
async function readRecords(session: Session, table: string, where: Sql): Promise<number> {
  const [counted] = await session.rows(
    sql`SELECT count(*), bit_xor(hash(t)) FROM ${identifier(table)} AS t WHERE ${where}`,
  );
  return Number(counted?.[0]);
}

const RECORDS_AT_ONCE = 16;

/** Reads few records at once: DuckDB then unpacks no others, where it else unpacks 2,048 together. */
async function readInRanges(session: Session, table: string): Promise<number> {
  const [greatest] = await session.rows(sql`SELECT max(rowid) FROM ${identifier(table)}`);
  const last = Number(greatest?.[0] ?? -1);
  let records = 0;
  for (let from = 0; from <= last; from += RECORDS_AT_ONCE) {
    const places = sql`rowid >= ${constant(from)} AND rowid < ${constant(from + RECORDS_AT_ONCE)}`;
    records += await readRecords(session, table, places);
  }
  return records;
}

/** The columns that identify a record of each table. */
export const KEYS: readonly (readonly [table: string, ...columns: string[]])[] = [
  ["projects", "project_key"],
  ["projects", "project_id"],
  ["calls", "call_key"],
  ["calls", "project_key", "id"],
  ["call_steps", "call_key"],
  ["evaluations", "evaluation_key"],
  ["evaluations", "project_key", "id"],
  ["rows", "row_key"],
  ["rows", "project_key", "digest"],
  ["trials", "trial_key"],
  ["trials", "version_key"],
  ["score_paths", "path_key"],
  ["score_paths", "project_key", "path"],
  ["scores", "trial_key", "path_key"],
  ["null_scores", "trial_key", "path_key"],
  ["errored_trials", "trial_key"],
  ["feedback", "project_id", "id"],
  ["model_prices", "project_id", "id"],
  ["training_jobs", "id"],
  ["training_models", "id"],
  ["checkpoints", "model_id", "id"],
  ["training_events", "job_id", "id"],
  ["training_events", "job_id", "number"],
  ["trajectories", "job_id", "group_index", "trajectory_index"],
  ["training_idempotency", "key_id", "idempotency_key"],
];

async function doubledRecords(
  session: Session,
  table: string,
  columns: readonly string[],
): Promise<Problem[]> {
  const key = join(columns.map(identifier));
  const [found] = await session.rows(sql`SELECT count(*), sum(records - 1), min(key) FROM (
    SELECT concat_ws(', ', ${key}) AS key, count(*) AS records FROM ${identifier(table)} GROUP BY ${key} HAVING count(*) > 1)`);
  const [keys, records, example] = found ?? [];
  if (Number(keys) === 0) return [];
  const place = columns.join(" and ");
  const message = `${table}: ${countOf(Number(records))} too many of one ${place}, such as ${String(example)}`;
  return [{ kind: "doubled", table, records: Number(records), message }];
}

interface Reference {
  readonly from: string;
  readonly to: string;
  readonly columns: readonly (readonly [from: string, to: string])[];
}

/** Columns that refer to a record of another table, by the name of the column there. */
export const REFERENCES: readonly Reference[] = [
  { from: "calls", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "call_steps", to: "calls", columns: [["call_key", "call_key"]] },
  { from: "evaluations", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "rows", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "score_paths", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "trials", to: "calls", columns: [["trial_key", "call_key"]] },
  { from: "trials", to: "evaluations", columns: [["evaluation_key", "evaluation_key"]] },
  { from: "trials", to: "rows", columns: [["row_key", "row_key"]] },
  ...["scores", "null_scores", "errored_trials"].map((from) => ({
    from,
    to: "trials",
    columns: ["trial_key", "evaluation_key", "row_key"].map((name) => [name, name] as const),
  })),
  { from: "scores", to: "score_paths", columns: [["path_key", "path_key"]] },
  { from: "null_scores", to: "score_paths", columns: [["path_key", "path_key"]] },
  { from: "training_events", to: "training_jobs", columns: [["job_id", "id"]] },
  { from: "trajectories", to: "training_jobs", columns: [["job_id", "id"]] },
];

async function lostReferences(session: Session, { from, to, columns }: Reference): Promise<Problem[]> {
  const same = columns.map(([a, b]) => sql`f.${identifier(a)} = t.${identifier(b)}`);
  const key = join(columns.map(([name]) => sql`f.${identifier(name)}`));
  const [found] = await session.rows(sql`SELECT count(*), min(concat_ws(', ', ${key}))
    FROM ${identifier(from)} AS f ANTI JOIN ${identifier(to)} AS t ON ${join(same, sql` AND `)}`);
  const [records, example] = found ?? [];
  if (Number(records) === 0) return [];
  const names = columns.map(([name]) => name).join(", ");
  const message = `${from}: ${countOf(Number(records))} without one in ${to}, such as (${names}) ${String(example)}`;
  return [{ kind: "lost_reference", table: from, records: Number(records), message }];
}

/** Checks that each visible predict-and-score call has its trial, and each trial its call. */
async function unsettledTrials(session: Session, conventions: Conventions): Promise<Problem[]> {
  const ops = await session.rows(sql`SELECT DISTINCT ${OP_NAME} FROM calls AS c`);
  const ofTrials = ops
    .map(([op]) => String(op))
    .filter((op) => conventions.predictAndScoreOps.includes(operationName(op)));
  const isTrial = sql`c.parent_hash IS NOT NULL AND NOT c.hidden AND ${among(ofTrials)}`;
  const [missing] = await session.rows(sql`SELECT count(*), min(c.id)
    FROM calls AS c ANTI JOIN trials AS t ON t.trial_key = c.call_key WHERE ${isTrial}`);
  const [superfluous] = await session.rows(sql`SELECT count(*), min(c.id)
    FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key WHERE NOT (${isTrial})`);
  return [
    ...problemOf("missing", missing, "predict-and-score call without its trial"),
    ...problemOf(
      "superfluous",
      superfluous,
      "trial of a call that is hidden, or not a predict-and-score call",
    ),
  ];
}

/** Our JSON reader accepts numbers that DuckDB's refuses; such records are not compared. */
const OP_NAME = sql`TRY(c.record ->> '$.op_name')`;

function among(ops: readonly string[]): Sql {
  if (ops.length === 0) return sql`false`;
  return sql`coalesce(${OP_NAME} IN (${join(ops.map((op) => sql`${text(op)}`))}), false)`;
}

function problemOf(
  kind: "missing" | "superfluous",
  found: readonly unknown[] | undefined,
  what: string,
): Problem[] {
  const records = Number(found?.[0] ?? 0);
  if (records === 0) return [];
  const message = `trials: ${countOf(records)} ${kind}: ${what}, such as ${String(found?.[1])}`;
  return [{ kind, table: "trials", records, message }];
}

interface Rule {
  /** What nothing is known of where it cannot be compared. */
  readonly table: string;
  readonly compare: (session: FileSession, conventions: Conventions) => Promise<Problem[]>;
}

/** What must agree. Each has a snapshot of its own, since a transaction ends with a statement that fails. */
const COMPARISONS: readonly Rule[] = [
  ...KEYS.map(([table, ...columns]): Rule => ({
    table,
    compare: (session) => doubledRecords(session, table, columns),
  })),
  ...REFERENCES.map((one): Rule => ({
    table: one.from,
    compare: (session) => lostReferences(session, one),
  })),
  { table: "trials", compare: unsettledTrials },
  { table: "hash_layers", compare: missingHashes },
  { table: "pieces", compare: brokenTexts },
];
