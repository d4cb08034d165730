import { constant, join, sql, text, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys } from "../relations/relations.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";

/** (evaluation_key, prefix): what the rows' references of each evaluation begin with: the version of its dataset. */
export function compileDatasets(plan: Plan, narrowing: Narrowing): Sql {
  return sql`${withTables(narrowing.tables)}SELECT DISTINCT evaluation_key, reference_prefix FROM trials${narrowing.semi}
    WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} AND reference_prefix IS NOT NULL
    ORDER BY evaluation_key, reference_prefix`;
}

/** (evaluation_key, scorer_call_ids) of the trial of each evaluation that was stored first. */
export function compileFirstScorerCalls(plan: Plan): Sql {
  return sql`SELECT evaluation_key, scorer_call_ids FROM trials WHERE scorer_call_ids IS NOT NULL AND trial_key IN (
    SELECT min(trial_key) FROM trials WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY evaluation_key)`;
}

/** (call_key) of calls that may have these ids: they have the hashes. */
export function compileCallKeys(projectKey: number, ids: readonly string[]): Sql {
  const names = ids.map((id) => sql`(${text(id)})`);
  return sql`SELECT c.call_key FROM calls AS c JOIN (
    SELECT md5_number_lower(concat(${constant(projectKey)}, ':', id)) AS hash FROM (VALUES ${join(names, sql`, `)}) AS v(id)) AS w
    ON c.id_hash = w.hash WHERE NOT c.hidden`;
}

/** (id, record) of calls. */
export function compileCallRecords(projectKey: number, callKeys: readonly number[]): Sql {
  return sql`SELECT id, record FROM calls WHERE ${inKeys(sql`call_key`, callKeys)} AND project_key = ${constant(projectKey)}`;
}
