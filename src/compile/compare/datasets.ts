import { column, query, type RowOf, select, unionAll } from "../../store/query.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys, position } from "../relations/relations.ts";
import { type Narrowing, withTables } from "../rows/selected-rows.ts";
import { bitsOf, STORED_ORDER } from "../relations/spelled.ts";
import { type PairScope, pairedValues } from "./row-pairs.ts";

/** The prefixes of the row references of each evaluation, which identify the version of its dataset. */
export function compileDatasets(plan: Plan, narrowing: Narrowing) {
  const prefixes = select(
    { evaluationKey: column.integer(sql`evaluation_key`), prefix: column.text(sql`reference_prefix`) },
    sql` FROM trials${narrowing.selectedJoin}
    WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} AND reference_prefix IS NOT NULL
    GROUP BY ALL ORDER BY evaluation_key, reference_prefix`,
  );
  return query("datasets", prefixes, sql`${withTables(narrowing.tables)}${prefixes.sql}`);
}

/**
 * The scorer calls of the first stored trial of each evaluation that has some: a JSON object with the call id of each
 * scorer.
 */
export function compileFirstScorerCalls(plan: Plan) {
  const calls = select(
    { evaluationKey: column.integer(sql`evaluation_key`), ids: column.text(sql`scorer_call_ids`) },
    sql` FROM trials WHERE ${STORED_ORDER} IN (SELECT min(${STORED_ORDER}) FROM trials
    WHERE scorer_call_ids IS NOT NULL AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY evaluation_key)`,
  );
  return query("first scorer calls", calls);
}

const PRESENT = { present: column.bigint(sql`present`), rows: column.integer(sql`count(*)`) };

function presence(plan: Plan, { selectedJoin }: Narrowing): Sql {
  return sql`presence AS MATERIALIZED (SELECT row_key, ${bitsOf(position(plan, sql`evaluation_key`))} AS present
    FROM trials${selectedJoin} WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY row_key)`;
}

export function compilePresence(plan: Plan, narrowing: Narrowing) {
  const counts = select(PRESENT, sql` FROM presence GROUP BY present`);
  const tables = withTables([...narrowing.tables, presence(plan, narrowing)]);
  return query("presence", counts, sql`${tables}${counts.sql}`);
}

/** The number of rows with trials in just these evaluations; `present` has a bit for each, in the order of the plan. */
export type PresentRows = RowOf<typeof compilePresence>;

/** Counts of the rows on which the baseline has a value in a dimension. `scope` has one entry per dimension. */
export function compileBaselineValues(plan: Plan, scope: PairScope) {
  const parts = scope.places.map((place) =>
    select(
      { pathKey: column.integer(constant(place.pathKey)), ...PRESENT },
      sql`
      FROM (${pairedValues(plan, scope, place, place.baseline === null ? [] : [place.baseline])}) AS v JOIN presence USING (row_key) GROUP BY present`,
    ),
  );
  const all = unionAll(parts);
  const tables = withTables([...scope.narrowing.tables, presence(plan, scope.narrowing)]);
  return query("baseline values", all, sql`${tables}${all.sql}`);
}
