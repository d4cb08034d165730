import type { ClickHouse } from "../../src/clickhouse/server/client.ts";
import { IS_VISIBLE, readCommits, visibleValues } from "../../src/clickhouse/lookup/visible.ts";

/** What a database holds, as sorted lists of records without keys: what is compared between engines. */
export interface Facts {
  readonly trials: readonly string[];
  readonly scores: readonly string[];
  readonly nulls: readonly string[];
  readonly evaluations: readonly string[];
  readonly rows: readonly string[];
  readonly paths: readonly string[];
  readonly calls: readonly string[];
}

const ALIVE = `${IS_VISIBLE} AND (evaluation_key, trial_key, load) NOT IN
  (SELECT evaluation_key, trial_key, born FROM gone WHERE ${IS_VISIBLE})`;
const TEXTS = `SELECT evaluation_key, trial_key, id FROM trial_texts WHERE ${ALIVE}`;
const EVALUATIONS = `SELECT project_key, evaluation_key, argMax(tuple(id, has_root, hidden, evaluation_ref, model_ref,
  display_name, trace_id, started_at, ended_at, exception, code_commit, code_branch, import_file, attributes), load) AS e FROM evaluations WHERE ${IS_VISIBLE} GROUP BY ALL`;
const PROJECTS = `SELECT DISTINCT project_key, project_id FROM projects WHERE ${IS_VISIBLE}`;
const ROWS = `SELECT project_key, row_key, any(digest) AS digest,
  argMaxIf(tuple(value), (load, position), value IS NOT NULL).1 AS val,
  argMinIf(tuple(inline_example), (load, position), inline_example IS NOT NULL).1 AS example,
  max(referenced) AS referenced, max(respelled) AS respelled FROM rows WHERE ${IS_VISIBLE} GROUP BY ALL`;
const NAMES = `JOIN (${EVALUATIONS}) AS n USING (evaluation_key) JOIN (${PROJECTS}) AS p ON p.project_key = n.project_key`;

const STATEMENTS: Readonly<Record<keyof Facts, string>> = {
  trials: `SELECT p.project_id, n.e.1, x.id, r.digest, t.started_at, x.latency_seconds, x.total_tokens, x.own_latency_seconds,
      x.own_total_tokens, x.predict_call_id, x.scorer_call_ids, x.output, x.late_scores, x.reference_prefix,
      if(x.reference_prefix IS NULL, coalesce(x.example, r.example), NULL), w.own
    FROM (SELECT * FROM trials WHERE ${ALIVE}) AS t
    JOIN (SELECT * FROM trial_texts WHERE ${ALIVE}) AS x USING (evaluation_key, trial_key)
    JOIN (${ROWS}) AS r ON r.row_key = t.row_key
    LEFT JOIN (SELECT evaluation_key, trial_key, own FROM errored_trials WHERE ${ALIVE}) AS w USING (evaluation_key, trial_key)
    ${NAMES}`,
  scores: `SELECT p.project_id, n.e.1, x.id, s.path, v.kind % 4, v.late, if(v.kind < 4, v.number, NULL), nullIf(v.text, '')
    FROM (SELECT * FROM scores WHERE ${ALIVE}) AS v JOIN (${TEXTS}) AS x USING (evaluation_key, trial_key)
    JOIN (SELECT DISTINCT path_key, path FROM score_paths) AS s USING (path_key) ${NAMES}`,
  nulls: `SELECT p.project_id, n.e.1, x.id, s.path, v.late
    FROM (SELECT * FROM null_scores WHERE ${ALIVE}) AS v JOIN (${TEXTS}) AS x USING (evaluation_key, trial_key)
    JOIN (SELECT DISTINCT path_key, path FROM score_paths) AS s USING (path_key) ${NAMES}`,
  evaluations: `SELECT p.project_id, n.e FROM (${EVALUATIONS}) AS n JOIN (${PROJECTS}) AS p USING (project_key)`,
  rows: `SELECT p.project_id, r.digest, r.val, r.example, r.referenced, r.respelled
    FROM (${ROWS}) AS r JOIN (${PROJECTS}) AS p USING (project_key)`,
  paths: `SELECT p.project_id, s.path, max(s.leaf), max(s.container), max(s.list), max(s.max_exponent), min(s.min_exponent),
      min(s.low_bit)
    FROM (SELECT * FROM score_paths WHERE ${IS_VISIBLE}) AS s JOIN (${PROJECTS}) AS p USING (project_key) GROUP BY ALL`,
  calls: `SELECT p.project_id, c.record FROM (
      SELECT project_key, call_key, argMax(record, place) AS record FROM (
        SELECT project_key, call_key, record, (0, load, position) AS place FROM fragments WHERE ${IS_VISIBLE}
        UNION ALL SELECT project_key, call_key, record, (1, load, position) FROM merged_calls WHERE ${IS_VISIBLE})
      GROUP BY project_key, call_key) AS c
    JOIN (${PROJECTS}) AS p USING (project_key)`,
};

/**
 * What of facts depends on the stored records alone, never on when each was settled: not whether a row or a place in the scores was ever
 * used, nor an evaluation that is in no answer now, since it is hidden or has neither a root nor a trial.
 */
export function settledFacts({ trials, scores, nulls, evaluations, rows, calls }: Facts) {
  const tried = new Set(trials.map((one) => one.split(" | ").slice(0, 2).join(" | ")));
  const isAnswered = (one: string) => {
    const [project, id, hasRoot, hidden] = one.split(" | ");
    return hidden === "false" && (hasRoot === "true" || tried.has(`${project} | ${id}`));
  };
  return {
    trials,
    scores,
    nulls,
    evaluations: evaluations.filter(isAnswered),
    values: rows
      .map((one) => one.split(" | ").slice(0, 3).join(" | "))
      .filter((one) => !one.endsWith(" | null")),
    calls,
  };
}

/** What is visible in a database on ClickHouse. */
export async function clickHouseFacts(client: ClickHouse, hasCoordinator = true): Promise<Facts> {
  const values = visibleValues(await readCommits(client, hasCoordinator));
  return readFacts(async (name) => client.rows(STATEMENTS[name], values));
}

/** The same of a database on DuckDB. */
export async function duckDBFacts(
  run: (statement: string) => Promise<readonly (readonly unknown[])[]>,
): Promise<Facts> {
  return readFacts((name) => run(DUCKDB[name]));
}

const OF_TRIAL = `JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
  JOIN projects AS p ON p.project_key = e.project_key`;
const DUCKDB: Readonly<Record<keyof Facts, string>> = {
  trials: `SELECT p.project_id, e.id, t.id, r.digest, t.started_at, t.latency_seconds, t.total_tokens, t.own_latency_seconds,
      t.own_total_tokens, t.predict_call_id, t.scorer_call_ids, t.output, t.late_scores, t.reference_prefix,
      CASE WHEN t.reference_prefix IS NULL THEN coalesce(t.example, r.inline_example) END, w.own
    FROM trials AS t JOIN rows AS r USING (row_key) LEFT JOIN errored_trials AS w USING (trial_key) ${OF_TRIAL}`,
  scores: `SELECT p.project_id, e.id, t.id, s.path, v.kind, v.late, v.number, nullif(v.text, '') FROM scores AS v
    JOIN trials AS t USING (trial_key) JOIN score_paths AS s USING (path_key)
    ${OF_TRIAL}`,
  nulls: `SELECT p.project_id, e.id, t.id, s.path, v.late FROM null_scores AS v
    JOIN trials AS t USING (trial_key) JOIN score_paths AS s USING (path_key)
    ${OF_TRIAL}`,
  evaluations: `SELECT p.project_id, e.id, has_root, hidden, evaluation_ref, model_ref, display_name, trace_id, started_at,
      ended_at, exception, code_commit, code_branch, import_file, attributes FROM evaluations AS e JOIN projects AS p USING (project_key)`,
  rows: `SELECT p.project_id, digest, val, inline_example, referenced, respelled FROM rows JOIN projects AS p USING (project_key)`,
  paths: `SELECT p.project_id, path, leaf, container, list, max_exponent, min_exponent, low_bit
    FROM score_paths JOIN projects AS p USING (project_key)`,
  calls: `SELECT p.project_id, record FROM calls JOIN projects AS p USING (project_key)`,
};

async function readFacts(
  run: (name: keyof Facts) => Promise<readonly (readonly unknown[])[]>,
): Promise<Facts> {
  const list = async (name: keyof Facts) => {
    const records = await run(name);
    return records.map((record) => record.flat().map(String).join(" | ")).toSorted();
  };
  return {
    trials: await list("trials"),
    scores: await list("scores"),
    nulls: await list("nulls"),
    evaluations: await list("evaluations"),
    rows: await list("rows"),
    paths: await list("paths"),
    calls: await list("calls"),
  };
}
