import {
  type CheckResult,
  countOf,
  type Problem,
  readTables,
  unknownAfter,
} from "../../store/check-result.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import { SILENT_MS } from "../load/open-load.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { IS_ALIVE, IS_VISIBLE, readCommits, visibleValues } from "../lookup/visible.ts";
import { SPREAD_BY } from "../server/shards.ts";
import { lastServerWrite } from "./measure.ts";

/** Reads all of a database. Where a table cannot be read, tables are not compared: that would fail there again. */
export async function checkServer(
  database: ClickHouseDatabase,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const { tables, problems, unknown } = await readAll(database, signal);
  const { client, hasCoordinator, shardCount } = database;
  // What could not be read above is told there.
  const last_write_at = await lastServerWrite(client, signal).catch(() => null);
  if (problems.length > 0) return { tables, problems, unknown, last_write_at };
  const visible = visibleValues(await readCommits(client, hasCoordinator));
  const found: Problem[] = [];
  const lacking = [...unknown];
  for (const rule of rules(TABLE_NAMES, shardCount)) {
    const values = rule.kind === "superfluous" ? { ...visible, silent: SILENT_MS } : visible;
    try {
      const [counted = []] = await client.rows(`SELECT count(), min(example) FROM (${rule.broken})`, values, {
        signal,
      });
      const problem = problemOf(rule, Number(counted[0]), String(counted[1]));
      if (problem !== null) found.push(problem);
    } catch (error) {
      const lack = unknownAfter(rule.table, error);
      if (lack === null) throw error;
      lacking.push(lack);
    }
  }
  return { tables, problems: found, unknown: lacking, last_write_at };
}

function problemOf({ kind, table, what }: Rule, records: number, example: string): Problem | null {
  if (records === 0) return null;
  return { kind, table, records, message: `${table}: ${countOf(records)}, such as ${example}, ${what}` };
}

/** Reads every value of every table. */
async function readAll(
  { client }: ClickHouseDatabase,
  signal: AbortSignal | undefined,
): ReturnType<typeof readTables> {
  const names = await client.rows(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND (engine LIKE '%MergeTree' OR engine = 'Distributed') ORDER BY name",
    {},
    { signal },
  );
  const count = async (table: string) => {
    const [counted] = await client.rows(`SELECT count() FROM ${table} WHERE NOT ignore(*)`, {}, { signal });
    return counted?.[0];
  };
  return readTables(
    names.map(([name]) => String(name)),
    count,
  );
}

/**
 * A rule. `broken` selects one message for each visible record that violates it.
 */
interface Rule {
  readonly kind: Problem["kind"];
  readonly table: string;
  readonly broken: string;
  /** What is wrong, and what to do about it. */
  readonly what: string;
}

const OTHER_PROJECT = "load one of the two into another project, and delete its calls here";
const COPY = "copy the database into a new one with evalcube migrate, which writes everything anew";

/** Columns of keys, with what they are the hash of. */
const KEYS = [
  { table: "projects", key: "project_key", identity: "project_id" },
  { table: "evaluations", key: "evaluation_key", identity: "id" },
  { table: "score_paths", key: "path_key", identity: "path" },
  { table: "rows", key: "row_key", identity: "digest" },
  { table: "fragments", key: "call_key", identity: "JSONExtractString(coalesce(record_doc, record), 'id')" },
] as const;

const COLLISIONS = KEYS.map(({ table, key, identity }): Rule => ({
  kind: "doubled",
  table,
  broken: `SELECT toString(${key}) AS example FROM ${table} WHERE ${IS_VISIBLE}
    GROUP BY project_key, ${key} HAVING uniqExact(${identity}) > 1`,
  what: `of a ${key} that stands for two (key_collision): ${OTHER_PROJECT}`,
}));

/** Versions of one trial that count at the same time. */
const VERSIONS = ["trials", "trial_texts", "errored_trials"].map((table): Rule => ({
  kind: "doubled",
  table,
  broken: `SELECT toString(trial_key) AS example FROM ${table} WHERE ${IS_ALIVE} GROUP BY project_key, trial_key HAVING count() > 1`,
  what: `of a trial of which two versions count: ${COPY}`,
}));

/** Tables whose records are versions of trials, each with a record of `trials`. */
const OF_TRIALS = ["trial_texts", "scores", "null_scores", "errored_trials"];

const LOST: readonly Rule[] = [
  ...OF_TRIALS.map((table) => lost(table, "trial_key, load", "trials", "trial_key, load")),
  lost("trials", "trial_key, load", "trial_texts", "trial_key, load"),
  lost("trials", "evaluation_key", "evaluations", "evaluation_key"),
  lost("trials", "row_key", "rows", "row_key"),
  lost("trials", "row_key", "row_digests", "row_key"),
  lost("trials", "trial_key", "fragments", "call_key"),
  lost("scores", "path_key", "score_paths", "path_key"),
  lost("null_scores", "path_key", "score_paths", "path_key"),
];

function lost(from: string, columns: string, to: string, keys: string): Rule {
  const there = OF_TRIALS.includes(to) || to === "trials" ? IS_ALIVE : IS_VISIBLE;
  return {
    kind: "lost_reference",
    table: from,
    broken: `SELECT toString((${columns})) AS example FROM ${from} WHERE ${IS_ALIVE}
      AND (project_key, ${columns}) NOT IN (SELECT project_key, ${keys} FROM ${to} WHERE ${there})`,
    what: `without one in ${to}: ${COPY}`,
  };
}

/** What statements read of a call: its own record if there is one, else all of its records merged. */
const UNMERGED: Rule = {
  kind: "lost_reference",
  table: "fragments",
  broken: `SELECT toString(call_key) AS example FROM (
      SELECT project_key, call_key, load, true AS sent FROM fragments WHERE ${IS_VISIBLE}
      UNION ALL SELECT project_key, call_key, load, false FROM merged_calls WHERE ${IS_VISIBLE})
    GROUP BY project_key, call_key
    HAVING if(countIf(sent) > 1, maxIf(load, NOT sent) < maxIf(load, sent), countIf(sent) = 0)`,
  what: `of several records of a call without what they make in merged_calls, or the other way round: ${COPY}`,
};

const ENDED: Rule = {
  kind: "lost_reference",
  table: "gone",
  broken: `SELECT toString((trial_key, born)) AS example FROM gone WHERE ${IS_VISIBLE}
    AND NOT ${IS_VISIBLE.replaceAll(/\bload (<=|IN)/g, "born $1")}`,
  what: "of a version that ended and is in no visible load: it changes no answer; tell us how it came about",
};

/** Records on another shard than the one that their key says. */
function misplaced(shards: number): readonly Rule[] {
  const tables = [...SPREAD_BY].filter(([table]) => table !== "gone");
  return tables.map(([table, key]) => ({
    kind: "misplaced",
    table,
    broken: `SELECT toString(${key}) AS example FROM ${table} WHERE ${key} % ${shards} + 1 != _shard_num`,
    what: `on another shard than its ${key} says, where answers may count a row twice: ${COPY}`,
  }));
}

/** The rules on so many shards with these tables of loads. */
function rules(tables: readonly string[], shards: number): readonly Rule[] {
  const stray = tables.map((table): Rule => ({
    kind: "superfluous",
    table,
    broken: `SELECT toString(load) AS example FROM ${table} WHERE NOT ${IS_VISIBLE} AND load NOT IN
        (SELECT load FROM loads WHERE state = 'open' GROUP BY load HAVING max(at) > now64(6) - toIntervalMillisecond({silent: UInt32}))`,
    what: "of loads whose writers have gone: they are in no answer; evalcube maintain removes them",
  }));
  const ofShards = shards === 1 ? [] : misplaced(shards);
  return [...COLLISIONS, ...VERSIONS, ...LOST, UNMERGED, ENDED, ...ofShards, ...stray];
}
