import { constant, join, sql, text, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import type { FixedPoint } from "../sums/fixed-point.ts";
import { inKeys, position, rowDocuments } from "../relations/relations.ts";
import { rowValues, type ValuePlace } from "../statistics/row-values.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";

/** Values of one place in the baseline and in candidates. */
export interface PairedPlace {
  readonly pathKey: number;
  readonly baseline: ValuePlace;
  readonly candidates: readonly ValuePlace[];
  /** Whether words are below 2^31, so that their squares fit a word. */
  readonly small: boolean;
  /** One shift for both sides, so that their words can be subtracted. */
  readonly point: FixedPoint;
}

export interface PairScope {
  readonly places: readonly PairedPlace[];
  /** By evaluation key. */
  readonly trialsARow: ReadonlyMap<number, number>;
  readonly narrowing: Narrowing;
}

/** (evaluation_key, row_key, x, trials) of places that share a path. */
function valuesOf(plan: Plan, scope: PairScope, paired: PairedPlace, places: readonly ValuePlace[]): Sql {
  const x = paired.small ? sql`x::INTEGER AS x` : sql`x`;
  const most = (place: ValuePlace) => scope.trialsARow.get(place.evaluationKey) ?? 1;
  const groups = [
    places.filter((place) => most(place) <= 1 && place.kind === 0),
    places.filter((place) => most(place) <= 1 && place.kind !== 0),
    places.filter((place) => most(place) > 1),
  ];
  const parts = groups
    .filter((group) => group.length > 0)
    .map((group) => {
      const trialsARow = Math.max(...group.map(most));
      const values = rowValues(
        plan,
        { places: group, wholeKinds: false, trialsARow, narrowing: scope.narrowing },
        [paired.point],
      );
      return sql`SELECT evaluation_key, row_key, ${x}, trials FROM (${values})`;
    });
  return join(parts, sql` UNION ALL `);
}

/** The rows that the baseline has trials of. */
function baselineRows(plan: Plan, scope: PairScope): Sql {
  const [baseline = 0] = plan.evaluationKeys;
  return sql`baseline_rows AS MATERIALIZED (SELECT DISTINCT row_key FROM trials${scope.narrowing.semi}
    WHERE evaluation_key = ${constant(baseline)})`;
}

/**
 * (evaluation_key, row_key, a, b, d, trials): candidate, baseline and their difference on rows where the candidate has
 * a value and the baseline a trial; b and d are null where that has no value.
 */
function pairsOf(plan: Plan, scope: PairScope, place: PairedPlace): Sql {
  return sql`SELECT c.evaluation_key, c.row_key, c.x AS a, b.x AS b, c.x - b.x AS d, greatest(c.trials, b.trials) AS trials
      FROM (${valuesOf(plan, scope, place, place.candidates)}) AS c
      JOIN (SELECT r.row_key, v.x, v.trials FROM baseline_rows AS r
        LEFT JOIN (${valuesOf(plan, scope, place, [place.baseline])}) AS v ON v.row_key = r.row_key) AS b
      ON b.row_key = c.row_key`;
}

const HALF = 31;

/**
 * (evaluation_key, path_key, n, Σd, Σb, Σ high², Σ high·low, Σ low² of d, rows with d > 0, with d < 0, min d, max d,
 * largest |a| or |b| (these three null for small words), most trials, rows with a) of the words of a candidate's and the baseline's row values; d = a - b.
 */
export function compilePairs(plan: Plan, scope: PairScope): Sql {
  const high = sql`(d >> ${constant(HALF)})`;
  const low = sql`(d & ${constant(2 ** HALF - 1)})`;
  const parts = scope.places.map((place) => {
    const squares = place.small
      ? sql`0::HUGEINT, 0::HUGEINT, sum(d * d)`
      : sql`sum(${high} * ${high}), sum(${high} * ${low}), sum(${low} * ${low})`;
    const range = place.small
      ? sql`NULL, NULL, NULL, 1`
      : sql`min(d), max(d), max(CASE WHEN d IS NOT NULL THEN greatest(abs(a), abs(b)) END),
      max(CASE WHEN d IS NOT NULL THEN trials END)`;
    return sql`SELECT evaluation_key, ${constant(place.pathKey)}, count(d), sum(d), sum(b), ${squares}, count(*) FILTER (d > 0),
      count(*) FILTER (d < 0), ${range}, count(*)
      FROM (${pairsOf(plan, scope, place)}) GROUP BY evaluation_key`;
  });
  return sql`${withTables([...scope.narrowing.tables, baselineRows(plan, scope)])}${join(parts, sql` UNION ALL `)}`;
}

const CLUSTER_LOW = 40;

/**
 * (evaluation_key, path_key, clusters, largest cluster, Σm², Σm·s, Σ high², Σ high·low, Σ low²): m the rows of a
 * cluster, s = high · 2^40 + low the sum of their d. Rows without the field are a cluster each.
 */
export function compileClusteredPairs(plan: Plan, scope: PairScope, pointer: string): Sql {
  const high = sql`(s >> ${constant(CLUSTER_LOW)})`;
  const low = sql`(s & (${constant(2 ** 20)}::HUGEINT * ${constant(2 ** 20)} - 1))`;
  const parts = scope.places.map(
    (
      place,
    ) => sql`SELECT evaluation_key, ${constant(place.pathKey)}, count(*), max(m), sum(m::HUGEINT * m), sum(m * s),
      sum(${high} * ${high}), sum(${high} * ${low}), sum(${low} * ${low})
      FROM (SELECT p.evaluation_key, coalesce(k.cluster, 'row ' || p.row_key) AS cluster, count(*) AS m, sum(p.d)::HUGEINT AS s
        FROM (${pairsOf(plan, scope, place)}) AS p JOIN clusters AS k ON k.row_key = p.row_key
        WHERE p.d IS NOT NULL GROUP BY ALL)
      GROUP BY evaluation_key`,
  );
  const clusters = sql`clusters AS MATERIALIZED (SELECT row_key, CASE WHEN json_type(value) <> 'NULL' THEN value::VARCHAR END AS cluster
    FROM (SELECT row_key, json_extract(document, ${text(pointer)}) AS value FROM (${rowDocuments(plan)})))`;
  return sql`${withTables([...scope.narrowing.tables, baselineRows(plan, scope), clusters])}${join(parts, sql` UNION ALL `)}`;
}

/** Which evaluations (a bit for each, in the order of the plan) have trials of each row. */
function presence(plan: Plan, { semi }: Narrowing): Sql {
  return sql`presence AS MATERIALIZED (SELECT row_key, bit_or(1::BIGINT << ${position(plan, sql`evaluation_key`)}::BIGINT) AS present
    FROM trials${semi} WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY row_key)`;
}

/** (null, evaluations, rows): how many rows have trials of just these evaluations. */
export function compilePresence(plan: Plan, narrowing: Narrowing): Sql {
  return sql`${withTables([...narrowing.tables, presence(plan, narrowing)])}SELECT NULL, present, count(*) FROM presence GROUP BY present`;
}

/** (path_key, evaluations, rows): the same of rows on which the baseline has a value; one place a path. */
export function compileBaselineValues(plan: Plan, scope: PairScope): Sql {
  const parts = scope.places.map(
    (place) => sql`SELECT ${constant(place.pathKey)}, present, count(*)
      FROM (${valuesOf(plan, scope, place, [place.baseline])}) AS v JOIN presence USING (row_key) GROUP BY present`,
  );
  return sql`${withTables([...scope.narrowing.tables, presence(plan, scope.narrowing)])}${join(parts, sql` UNION ALL `)}`;
}
