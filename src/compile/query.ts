import { EMPTY, join, sql, type Sql } from "../store/sql.ts";
import type { Plan, RowsPlan, ScorePath, SummaryPlan } from "../plan/plan.ts";
import { pageOfSelected } from "./rows/page-rows.ts";
import { amongKeys, inKeys, scoreScope } from "./relations/relations.ts";
import { scoreValueParts } from "./scores/score-records.ts";
import { narrowing, selectedRows, withTables } from "./rows/selected-rows.ts";
import { summaryScale } from "./sums/summary-scale.ts";

/** (row_key, digest, total): the rows of the page in order; nothing when the page is empty. */
export function compilePage(plan: Plan, rows: RowsPlan): Sql {
  return sql`WITH selected AS MATERIALIZED (${selectedRows(plan, rows.intersection)})
    SELECT s.row_key, d.digest, (SELECT count(*) FROM selected) ${pageOfSelected(plan, rows)}`;
}

/** (total): how many rows there are, for a page that has none of them. */
export function compileRowCount(plan: Plan, rows: RowsPlan): Sql {
  return sql`SELECT count(*) FROM (${selectedRows(plan, rows.intersection)})`;
}

/**
 * {@link compileSummaryScores} and, with null for the path, the kind and the sums, how many trials each evaluation
 * has; with a null evaluation, how many rows there are.
 */
export function compileSummary(plan: Plan, summary: SummaryPlan): Sql {
  const { semi } = narrowing(plan, summary.intersection);
  const columns = sql`NULL, NULL, count(*), NULL, NULL, NULL`;
  const trials = sql`FROM trials AS t${semi} WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}`;
  const parts = [
    sql`SELECT NULL, ${columns} FROM selected`,
    sql`SELECT t.evaluation_key, ${columns} ${trials} GROUP BY t.evaluation_key`,
    ...scoreSums(plan, summary, semi),
  ];
  return sql`WITH selected AS MATERIALIZED (${selectedRows(plan, summary.intersection)})
    ${join(parts, sql`\n    UNION ALL `)}`;
}

/** (evaluation_key, path_key, kind, count, and three columns of {@link summaryScale}). */
export function compileSummaryScores(plan: Plan, summary: SummaryPlan): Sql {
  const { tables, semi } = narrowing(plan, summary.intersection);
  const parts = scoreSums(plan, summary, semi);
  if (parts.length === 0) return sql`SELECT NULL, NULL, NULL, 0, NULL, NULL, NULL WHERE false`;
  return sql`${withTables(tables)}${join(parts, sql`\n    UNION ALL `)}`;
}

function scoreSums(plan: Plan, summary: SummaryPlan, semi: Sql): Sql[] {
  return summaryScale(summary.scorePaths).flatMap(({ paths, sums }) => {
    const keys = paths?.map((path: ScorePath) => path.key) ?? null;
    const among = keys === null ? EMPTY : sql` AND ${inKeys(sql`v.path_key`, keys)}`;
    return scoreValueParts(plan, sql`v`, keys).map(
      (values) => sql`SELECT v.evaluation_key, v.path_key, v.kind, count(*), ${sums}
      FROM ${values}${semi} WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${among}${scoreScope(plan, sql`v`)}
      GROUP BY v.evaluation_key, v.path_key, v.kind`,
    );
  });
}

/** What a response tells of the trials of some rows: where they belong, then (id, output, latency, tokens, by need more; see the query). */
export function compileTrials(plan: Plan, rowKeys: readonly number[]): Sql {
  const children = plan.includeChildren
    ? sql`latency_seconds, total_tokens, predict_call_id, scorer_call_ids, late_scores`
    : sql`own_latency_seconds, own_total_tokens, NULL, NULL, NULL`;
  const raw =
    plan.rows === null || plan.rows.rawRows === "none" ? sql`NULL, NULL` : sql`reference_prefix, example`;
  return sql`SELECT row_key, trial_key, evaluation_key, started_at, id, output, ${children}, ${raw}
    FROM trials WHERE ${amongKeys(sql`row_key`, rowKeys)} AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}`;
}

/** (row_key, val, inline_example) for raw rows. */
export function compileRowDetails(rowKeys: readonly number[]): Sql {
  return sql`SELECT row_key, val, inline_example FROM rows WHERE ${amongKeys(sql`row_key`, rowKeys)}`;
}
