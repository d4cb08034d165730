import { column, nullable, query, type Query, select } from "../../store/query.ts";
import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { Key } from "../../model/digest.ts";
import type { Plan } from "../../plan/plan.ts";
import type { TrialRecord } from "../../plan/results.ts";
import { inKeys } from "../relations/relations.ts";
import { amongKeys, nothing } from "../relations/spelled.ts";
import { trialErrors } from "../relations/failures.ts";

/** The trials of some rows, with the columns that the response needs. */
export function compileTrials(plan: Plan, rowKeys: readonly Key[]): Query<TrialRecord> {
  return query("trials", select(columnsOf(plan), sql`\n    FROM trials WHERE ${ofRows(plan, rowKeys)}`));
}

/** The keys under which the same trials are stored, by which {@link compileTrialVersions} finds them. */
export function compileVersionKeys(plan: Plan, rowKeys: readonly Key[]): Query<{ readonly key: Key }> {
  const keys = select(
    { key: column.key(sql`version_key`) },
    sql`\n    FROM trials WHERE ${ofRows(plan, rowKeys)}`,
  );
  return query("trial keys", keys);
}

/** The same trials by an index, which may lack records. Another condition would keep DuckDB from using it. */
export function compileTrialVersions(plan: Plan, keys: readonly Key[]): Query<TrialRecord> {
  const listed = join(keys.map(constant));
  return query("trials", select(columnsOf(plan), sql`\n    FROM trials WHERE version_key IN (${listed})`));
}

function ofRows(plan: Plan, rowKeys: readonly Key[]): Sql {
  return sql`${amongKeys(sql`row_key`, rowKeys)} AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}`;
}

function columnsOf(plan: Plan) {
  const none = nothing("VARCHAR");
  const own = plan.includeChildren ? EMPTY : sql`own_`;
  const ofChildren = (name: Sql) => (plan.includeChildren ? name : none);
  const raw = plan.rows !== null && plan.rows.rawRows !== "none";
  return {
    rowKey: column.key(sql`row_key`),
    trialKey: column.key(sql`trial_key`),
    evaluationKey: column.integer(sql`evaluation_key`),
    contentKey: nullable(column.key(sql`content_key`)),
    startedAt: column.bigint(sql`started_at`),
    id: column.text(sql`id`),
    output: nullable(column.text(sql`output`)),
    latencySeconds: nullable(column.double(sql`${own}latency_seconds`)),
    totalTokens: nullable(column.double(sql`${own}total_tokens`)),
    spanRefs: nullable(column.text(sql`${own}span_refs`)),
    predictCallId: nullable(column.text(ofChildren(sql`predict_call_id`))),
    scorerCallIds: nullable(column.text(ofChildren(sql`scorer_call_ids`))),
    lateScores: nullable(column.text(ofChildren(sql`late_scores`))),
    referencePrefix: nullable(column.text(raw ? sql`reference_prefix` : none)),
    example: nullable(column.text(raw ? sql`example` : none)),
  };
}

/** The trials of some rows that went wrong: few, mostly none. */
export function compileFailedTrials(plan: Plan, rowKeys: readonly Key[]) {
  const own = plan.includeChildren ? EMPTY : sql` AND own`;
  const failed = select(
    { trialKey: column.key(sql`trial_key`) },
    sql` FROM errored_trials WHERE ${amongKeys(sql`row_key`, rowKeys)}
    AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${own}`,
  );
  return query("failed trials", failed);
}

/** The exceptions of these trials: of their own calls, else of their predict calls. */
export function compileTrialErrors(plan: Plan, keys: readonly Key[]) {
  const errors = select(
    { trialKey: column.key(sql`trial_key`), error: column.text(sql`error`) },
    sql` FROM (${trialErrors(plan, (key) => amongKeys(key, keys))})`,
  );
  return query("trial errors", errors);
}
