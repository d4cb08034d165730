import { createClient, type ClickHouseClient } from "@clickhouse/client";
import { hashKey } from "../../src/model/digest.ts";
import type { Store } from "../../src/store/session.ts";
import { sql, type Sql, type SqlValue } from "../../src/store/sql.ts";

/*
 * Copies what DuckDB has stored into the tables of ClickHouse, as one visible load: so that statements can be compared without a
 * writer.
 */

type Value = SqlValue;
type Records = readonly (readonly Value[])[];

/** Copies all projects under other names, as the load of this number; each copy of a database needs a number of its own. */
export async function copyToClickHouse(
  store: Store,
  url: string,
  database: string,
  load: number,
): Promise<void> {
  const client = createClient({ url, database });
  try {
    await store.read(async (session) => {
      const read = (query: Sql): Promise<Records> => session.rows(query);
      const keys = await readKeys(read, load);
      const insert = inserter(client);
      await insertProjects(read, keys, insert);
      await insertTrials(read, keys, insert);
      await insertScores(read, keys, insert);
      await insertCalls(read, keys, insert);
    });
    await client.insert({
      table: "loads",
      format: "JSONEachRow",
      values: [{ load, state: "visible", commit: load, loads: [load], counts: {}, writer: "copy" }],
    });
  } finally {
    await client.close();
  }
}

type Insert = (table: string, columns: readonly string[], records: Records) => Promise<void>;

function inserter(client: ClickHouseClient): Insert {
  return async (table, columns, records) => {
    if (records.length === 0) return;
    await client.insert({
      table,
      columns: [...columns] as [string, ...string[]],
      format: "JSONCompactEachRow",
      values: records.map((record) =>
        record.map((value) => (typeof value === "bigint" ? String(value) : value)),
      ),
    });
  };
}

/** From DuckDB's keys to hashes. */
interface Keys {
  readonly load: bigint;
  readonly projectId: (id: Value) => string;
  readonly project: (key: Value) => bigint;
  readonly evaluation: (key: Value) => bigint;
  readonly path: (key: Value) => bigint;
  readonly row: (key: Value) => bigint;
  readonly call: (key: Value) => bigint;
}

/** The name of a project in the copy of this number; the first keeps the names. */
export function copiedProject(projectId: string, load: number): string {
  return load === 1 ? projectId : `${projectId} ${load}`;
}

async function readKeys(read: (query: Sql) => Promise<Records>, load: number): Promise<Keys> {
  const projects = new Map(
    (await read(sql`SELECT project_key, project_id FROM projects`)).map(([k, id]) => [
      k,
      copiedProject(String(id), load),
    ]),
  );
  const hashes = async (query: Sql) => {
    const found = new Map<Value, bigint>();
    for (const [key, project, identity] of await read(query))
      if (key !== undefined) found.set(key, hashKey(projects.get(project ?? null) ?? "", String(identity)));
    return (key: Value) => {
      const hash = found.get(key);
      if (hash === undefined) throw new Error(`no record has the key ${String(key)}`);
      return hash;
    };
  };
  return {
    load: BigInt(load),
    projectId: (id) => copiedProject(String(id), load),
    project: (key) => hashKey(projects.get(key) ?? "", ""),
    evaluation: await hashes(sql`SELECT evaluation_key, project_key, id FROM evaluations`),
    path: await hashes(sql`SELECT path_key, project_key, path FROM score_paths`),
    row: await hashes(sql`SELECT row_key, project_key, digest FROM rows`),
    call: await hashes(sql`SELECT call_key, project_key, id FROM calls`),
  };
}

type Read = (query: Sql) => Promise<Records>;

async function insertProjects(read: Read, keys: Keys, insert: Insert): Promise<void> {
  const projects = await read(sql`SELECT project_key, project_id FROM projects`);
  await insert(
    "projects",
    ["project_key", "project_id", "load"],
    projects.map(([key = null, id = null]) => [keys.project(key), keys.projectId(id), keys.load]),
  );
  const names = [
    "id",
    "has_root",
    "hidden",
    "evaluation_ref",
    "model_ref",
    "display_name",
    "trace_id",
    "started_at",
    "ended_at",
    "exception",
  ];
  const evaluations =
    await read(sql`SELECT project_key, evaluation_key, id, has_root, hidden, evaluation_ref, model_ref, display_name,
    trace_id, started_at, ended_at, exception FROM evaluations ORDER BY evaluation_key`);
  await insert(
    "evaluations",
    ["project_key", "evaluation_key", "load", "first_load", "first_position", ...names],
    evaluations.map(([project = null, key = null, ...rest], i) => [
      keys.project(project),
      keys.evaluation(key),
      keys.load,
      keys.load,
      i,
      ...rest,
    ]),
  );
  const paths = await read(
    sql`SELECT project_key, path_key, path, leaf, container, list, max_exponent, min_exponent, low_bit FROM score_paths ORDER BY path_key`,
  );
  await insert(
    "score_paths",
    [
      "project_key",
      "path_key",
      "load",
      "position",
      "path",
      "leaf",
      "container",
      "list",
      "max_exponent",
      "min_exponent",
      "low_bit",
    ],
    paths.map(([project = null, key = null, ...rest], i) => [
      keys.project(project),
      keys.path(key),
      keys.load,
      i,
      ...rest,
    ]),
  );
  const rows = await read(
    sql`SELECT project_key, row_key, digest, val, inline_example, referenced, respelled FROM rows`,
  );
  await insert(
    "rows",
    [
      "project_key",
      "row_key",
      "load",
      "position",
      "digest",
      "value",
      "inline_example",
      "referenced",
      "respelled",
    ],
    rows.map(([project = null, key = null, ...rest], i) => [
      keys.project(project),
      keys.row(key),
      keys.load,
      i,
      ...rest,
    ]),
  );
}

const PROJECT_OF_TRIAL = sql`JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key`;

async function insertTrials(read: Read, keys: Keys, insert: Insert): Promise<void> {
  const place = ([project = null, evaluation = null, row = null, trial = null]: readonly Value[]) => [
    keys.project(project),
    keys.evaluation(evaluation),
    keys.row(row),
    keys.call(trial),
    keys.load,
  ];
  const columns = ["project_key", "evaluation_key", "row_key", "trial_key", "load"];
  const trials =
    await read(sql`SELECT e.project_key, t.evaluation_key, t.row_key, t.trial_key, t.started_at FROM trials AS t
    ${PROJECT_OF_TRIAL} ORDER BY t.trial_key`);
  await insert(
    "trials",
    [...columns, "started_at", "first_load", "first_position"],
    trials.map((record, i) => [...place(record), record[4] ?? null, keys.load, i]),
  );
  const texts =
    await read(sql`SELECT e.project_key, t.evaluation_key, t.row_key, t.trial_key, t.id, t.output, t.latency_seconds, t.total_tokens,
    t.own_latency_seconds, t.own_total_tokens, t.predict_call_id, t.scorer_call_ids, t.late_scores, t.reference_prefix, t.example
    FROM trials AS t ${PROJECT_OF_TRIAL}`);
  const names = [
    "id",
    "output",
    "latency_seconds",
    "total_tokens",
    "own_latency_seconds",
    "own_total_tokens",
    "predict_call_id",
    "scorer_call_ids",
    "late_scores",
    "reference_prefix",
    "example",
  ];
  await insert(
    "trial_texts",
    [...columns, ...names],
    texts.map((record) => [...place(record), ...record.slice(4)]),
  );
  const errored = await read(
    sql`SELECT e.project_key, t.evaluation_key, t.row_key, t.trial_key, t.own FROM errored_trials AS t ${PROJECT_OF_TRIAL}`,
  );
  await insert(
    "errored_trials",
    [...columns, "own"],
    errored.map((record) => [...place(record), record[4] ?? null]),
  );
}

async function insertScores(read: Read, keys: Keys, insert: Insert): Promise<void> {
  const place = ([
    project = null,
    evaluation = null,
    path = null,
    row = null,
    trial = null,
  ]: readonly Value[]) => [
    keys.project(project),
    keys.evaluation(evaluation),
    keys.path(path),
    keys.row(row),
    keys.call(trial),
    keys.load,
  ];
  const columns = ["project_key", "evaluation_key", "path_key", "row_key", "trial_key", "load"];
  const scores = await read(sql`SELECT e.project_key, t.evaluation_key, t.path_key, t.row_key, t.trial_key,
    t.kind, t.late, t.number, t.text FROM scores AS t ${PROJECT_OF_TRIAL}`);
  await insert(
    "scores",
    [...columns, "kind", "late", "number", "text"],
    scores.map((record) => {
      const [kind, late = null, number = null, text = null] = record.slice(5);
      return [...place(record), Number(kind) + (number === null ? 4 : 0), late, number ?? 0, text ?? ""];
    }),
  );
  const nulls = await read(
    sql`SELECT e.project_key, t.evaluation_key, t.path_key, t.row_key, t.trial_key, t.late FROM null_scores AS t ${PROJECT_OF_TRIAL}`,
  );
  await insert(
    "null_scores",
    [...columns, "late"],
    nulls.map((record) => [...place(record), record[5] ?? null]),
  );
}

async function insertCalls(read: Read, keys: Keys, insert: Insert): Promise<void> {
  const calls = await read(
    sql`SELECT project_key, call_key, record FROM calls WHERE NOT hidden ORDER BY call_key`,
  );
  await insert(
    "fragments",
    ["project_key", "group_key", "call_key", "load", "position", "parent_key", "part", "name_rank", "record"],
    calls.map(([project = null, key = null, record = null], i) => [
      keys.project(project),
      0n,
      keys.call(key),
      keys.load,
      i,
      0n,
      0,
      0,
      record,
    ]),
  );
}
