import type { Lacking } from "../../model/counting.ts";
import { TEXT } from "../../model/score-kind.ts";
import { column, query, select, type Query } from "../../store/query.ts";
import { constant, double, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { CountedGroup, CountingPlan, Plan } from "../../plan/plan.ts";
import type { SeriesKind } from "../../plan/query-catalog.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { small } from "../relations/spelled.ts";
import { scoreValues, type ScoreScope } from "./score-records.ts";

/** The part of a plan that decides which values count in statistics. */
type CountingScope = ScoreScope & Pick<Plan, "countings">;

/** {@link scoreValues}, and what trials without a value count as; for sums and statistics alone. */
export function countedValues(scope: CountingScope, alias: Sql, pathKeys: readonly number[]): Sql {
  const counted = scope.countings.flatMap((one) => countedRecords(scope, one, pathKeys));
  if (counted.length === 0) return scoreValues(scope, alias, pathKeys);
  const stored = sql`SELECT ${COLUMNS} FROM ${scoreValues(scope, sql`v`, pathKeys)}`;
  return sql`(${join([stored, ...counted], sql` UNION ALL `)}) AS ${alias}`;
}

const COLUMNS = sql`path_key, evaluation_key, row_key, trial_key, kind, late, number, text`;

/** What trials without a value count as, in the columns of `scores`, as one or several relations. */
export function countedRecords(
  scope: CountingScope,
  { of, groups }: CountingPlan,
  pathKeys: readonly number[] | null,
): Sql[] {
  return groups.flatMap((group) => {
    const dimensions = group.dimensions.filter(({ pathKey }) => pathKeys?.includes(pathKey) ?? true);
    return dimensions.length === 0 ? [] : [recordsOf(scope, of, { ...group, dimensions })];
  });
}

function recordsOf(scope: CountingScope, of: Lacking, group: CountedGroup): Sql {
  const lacking = of === "error" ? failedWithout(scope, group) : nullsOf(scope, group);
  return sql`SELECT path_key, evaluation_key, row_key, trial_key, ${small(constant(group.kind))} AS kind, false AS late,
      number, NULL::VARCHAR AS text
    FROM (${lacking}) AS c`;
}

/** The trials in error of some evaluations. */
function erroredOf({ includeChildren }: CountingScope, { evaluationKeys }: CountedGroup): Sql {
  return sql`SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE ${inKeys(sql`evaluation_key`, evaluationKeys)}${includeChildren ? EMPTY : sql` AND own`}`;
}

/** (path_key, evaluation_key, row_key, trial_key, number) of trials in error without a value. */
function failedWithout(scope: CountingScope, group: CountedGroup): Sql {
  const { evaluationKeys, dimensions } = group;
  const numbers = dimensions.map(({ pathKey, number }) => sql`(${constant(pathKey)}, ${double(number)})`);
  const keys = dimensions.map(({ pathKey }) => pathKey);
  const errored = erroredOf(scope, group);
  const valued = sql`SELECT v.path_key, v.trial_key FROM ${scoreValues(scope, sql`v`, keys)}
    SEMI JOIN (${errored}) AS e USING (trial_key)
    WHERE ${inKeys(sql`v.evaluation_key`, evaluationKeys)} AND ${inKeys(sql`v.path_key`, keys)}${scoreScope(scope, sql`v`)}`;
  return sql`SELECT path_key, evaluation_key, row_key, trial_key, number
    FROM (SELECT d.path_key, e.evaluation_key, e.row_key, e.trial_key, d.number
      FROM (${errored}) AS e CROSS JOIN (VALUES ${join(numbers)}) AS d(path_key, number)) AS c
    ANTI JOIN (${valued}) AS v USING (path_key, trial_key)`;
}

/** The same of trials that are not in error and have null there, or above it: then they have no value. */
function nullsOf(scope: CountingScope, group: CountedGroup): Sql {
  const { evaluationKeys, dimensions } = group;
  const places = dimensions.flatMap(({ pathKey, ancestors, number }) =>
    [...ancestors, pathKey].map((key) => sql`(${constant(key)}, ${constant(pathKey)}, ${double(number)})`),
  );
  const nulls = sql`SELECT n.path_key AS place, n.evaluation_key AS evaluation_key, n.row_key AS row_key, n.trial_key AS trial_key
    FROM null_scores AS n ANTI JOIN (${erroredOf(scope, group)}) AS e USING (trial_key)
    WHERE ${inKeys(sql`n.evaluation_key`, evaluationKeys)}${scoreScope(scope, sql`n`)}`;
  return sql`SELECT d.path_key AS path_key, n.evaluation_key AS evaluation_key, n.row_key AS row_key, n.trial_key AS trial_key,
      d.number AS number
    FROM (${nulls}) AS n JOIN (VALUES ${join(places)}) AS d(place, path_key, number) ON d.place = n.place`;
}

/** The kinds of values that dimensions have in the evaluations of a scope. */
export function compileSeriesKinds(scope: ScoreScope): Query<SeriesKind> {
  const kinds = select(
    {
      evaluationKey: column.integer(sql`v.evaluation_key`),
      pathKey: column.integer(sql`v.path_key`),
      kind: column.integer(sql`v.kind`),
    },
    sql` FROM ${scoreValues(scope, sql`v`)}
    WHERE ${inKeys(sql`v.evaluation_key`, scope.evaluationKeys)}${scoreScope(scope, sql`v`)}
    AND (v.kind = ${constant(TEXT)} OR v.number IS NOT NULL) GROUP BY v.evaluation_key, v.path_key, v.kind`,
  );
  return query("series kinds", kinds);
}
