import type { Session } from "../../store/session.ts";
import { identifier, join, sql } from "../../store/sql.ts";
import { countOf, type Problem } from "../../store/check-result.ts";

/** The columns that identify a record of each table. */
const KEYS: readonly (readonly [table: string, ...columns: string[]])[] = [
  ["projects", "project_key"],
  ["projects", "project_id"],
  ["calls", "call_key"],
  ["calls", "project_key", "id"],
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
  ["training_jobs", "id"],
  ["training_models", "id"],
  ["checkpoints", "model_id", "id"],
  ["training_events", "job_id", "id"],
  ["training_events", "job_id", "number"],
  ["trajectories", "job_id", "group_index", "trajectory_index"],
  ["training_idempotency", "key_id", "idempotency_key"],
];

export async function doubledRecords(session: Session): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [table, ...columns] of KEYS) {
    const key = join(columns.map(identifier));
    const [found] = await session.rows(sql`SELECT count(*), sum(records - 1), min(key) FROM (
      SELECT concat_ws(', ', ${key}) AS key, count(*) AS records FROM ${identifier(table)} GROUP BY ${key} HAVING count(*) > 1)`);
    const [keys, records, example] = found ?? [];
    if (Number(keys) === 0) continue;
    problems.push({
      kind: "doubled",
      table,
      records: Number(records),
      message: `${table}: ${countOf(Number(records))} too many of one ${columns.join(" and ")}, such as ${String(example)}`,
    });
  }
  return problems;
}
