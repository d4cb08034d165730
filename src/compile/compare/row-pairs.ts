import { NUMBER } from "../../model/score-kind.ts";
import { column, nullable, query, select, unionAll, type Query } from "../../store/query.ts";
import { constant, join, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import type { FixedPoint } from "../sums/fixed-point.ts";
import { productsOf, sumOfSquares } from "../sums/squares.ts";
import { CLUSTER_BITS, HALF_BITS } from "../sums/words.ts";
import { inKeys, position, rowDocuments } from "../relations/relations.ts";
import { rowValues, type ValuePlace } from "../statistics/row-values.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";
import { wideSum, wide, bitsOf, jsonAt, nothing, filtered, named } from "../relations/spelled.ts";

/** The series of one dimension in the baseline and in candidates. */
export interface PairedDimension {
  readonly pathKey: number;
  readonly baseline: ValuePlace;
  readonly candidates: readonly ValuePlace[];
  /** Whether words are below 2^31, so that their squares fit a word. */
  readonly small: boolean;
  /** Gives both sides the same shift, so that their words can be subtracted. */
  readonly point: FixedPoint;
}

export interface PairScope {
  readonly places: readonly PairedDimension[];
  /** The largest number of trials of a row, by evaluation key. */
  readonly trialsPerRow: ReadonlyMap<number, number>;
  readonly narrowing: Narrowing;
}

/** (evaluation_key, row_key, x, trials) of series of one dimension. */
function valuesOf(plan: Plan, scope: PairScope, paired: PairedDimension, places: readonly ValuePlace[]): Sql {
  const x = paired.small ? sql`x::INTEGER AS x` : sql`x`;
  const most = (place: ValuePlace) => scope.trialsPerRow.get(place.evaluationKey) ?? 1;
  const groups = [
    places.filter((place) => most(place) <= 1 && place.kind === NUMBER),
    places.filter((place) => most(place) <= 1 && place.kind !== NUMBER),
    places.filter((place) => most(place) > 1),
  ];
  const parts = groups
    .filter((group) => group.length > 0)
    .map((group) => {
      const trialsPerRow = Math.max(...group.map(most));
      const values = rowValues(
        plan,
        { places: group, wholeKinds: false, trialsPerRow, narrowing: scope.narrowing },
        [paired.point],
      );
      return sql`SELECT evaluation_key, row_key, ${x}, trials FROM (${values})`;
    });
  return join(parts, sql` UNION ALL `);
}

/** The table of the rows on which the baseline has trials. */
function baselineRows(plan: Plan, scope: PairScope): Sql {
  const [baseline = 0] = plan.evaluationKeys;
  return sql`baseline_rows AS MATERIALIZED (SELECT DISTINCT row_key FROM trials${scope.narrowing.selectedJoin}
    WHERE evaluation_key = ${constant(baseline)})`;
}

/**
 * (evaluation_key, row_key, a, b, d, trials): candidate, baseline and their difference on rows where the candidate has
 * a value and the baseline has a trial; b and d are null where the baseline has no value.
 */
function pairsOf(plan: Plan, scope: PairScope, place: PairedDimension): Sql {
  return sql`SELECT c.evaluation_key, c.row_key, c.x AS a, b.x AS b, c.x - b.x AS d, greatest(c.trials, b.trials) AS trials
      FROM (${valuesOf(plan, scope, place, place.candidates)}) AS c
      JOIN (SELECT r.row_key, v.x, v.trials FROM baseline_rows AS r
        LEFT JOIN (${valuesOf(plan, scope, place, [place.baseline])}) AS v ON v.row_key = r.row_key) AS b
      ON b.row_key = c.row_key`;
}

/** Sums of the words of row values of a candidate (a) and the baseline (b); d = a - b. */
export interface PairWords {
  readonly evaluationKey: number;
  readonly pathKey: number;
  /** Rows with a value in both evaluations. */
  readonly n: number;
  /** Σd, Σb and Σd²; Σb covers all values of the baseline on rows where the candidate has a value. */
  readonly difference: bigint;
  readonly baseline: bigint;
  readonly squares: bigint;
  /** Rows with d > 0 (`higher`), and with d < 0 (`lower`). */
  readonly higher: number;
  readonly lower: number;
  /** The least and the largest d, and the largest |a| or |b|; null for small words, and without rows. */
  readonly least: bigint | null;
  readonly most: bigint | null;
  readonly size: bigint | null;
  /** The largest number of trials of a row on either side; 1 for small words, else null without rows. */
  readonly trials: number | null;
  /** Rows with a value in the candidate and a trial in the baseline. */
  readonly candidateRows: number;
}

const D = productsOf(sql`d`, HALF_BITS);
const SQUARES = sumOfSquares(
  { hh: orZero(wideSum(D.hh)), hl: orZero(wideSum(D.hl)), ll: orZero(wideSum(D.ll)) },
  HALF_BITS,
);
const SMALL_SQUARES = sumOfSquares(
  { hh: wide(sql`0`), hl: wide(sql`0`), ll: orZero(wideSum(sql`d * d`)) },
  HALF_BITS,
);

/** A sum over no rows is null in SQL; this makes it 0. */
function orZero(sum: Sql): Sql {
  return sql`coalesce(${sum}, 0)`;
}

export function compilePairs(plan: Plan, scope: PairScope): Query<PairWords> {
  const parts = scope.places.map((place) => {
    const measured = (value: Sql, type: "BIGINT" | "UBIGINT") =>
      nullable(column.bigint(place.small ? nothing(type) : value));
    // A key of a path may be 1, too: ClickHouse wants columns of one name to have one type in a union.
    const trials = place.small
      ? named(sql`1`, sql`most_trials`)
      : sql`max(CASE WHEN d IS NOT NULL THEN trials END)`;
    return select(
      {
        evaluationKey: column.integer(sql`evaluation_key`),
        pathKey: column.integer(constant(place.pathKey)),
        n: column.integer(sql`count(d)`),
        difference: column.bigint(orZero(wideSum(sql`d`))),
        baseline: column.bigint(orZero(wideSum(sql`b`))),
        squares: place.small ? SMALL_SQUARES : SQUARES,
        higher: column.integer(filtered(sql`count(*)`, sql`d > 0`)),
        lower: column.integer(filtered(sql`count(*)`, sql`d < 0`)),
        least: measured(sql`min(d)`, "BIGINT"),
        most: measured(sql`max(d)`, "BIGINT"),
        size: measured(sql`max(CASE WHEN d IS NOT NULL THEN greatest(abs(a), abs(b)) END)`, "UBIGINT"),
        trials: nullable(column.integer(trials)),
        candidateRows: column.integer(sql`count(*)`),
      },
      sql`
      FROM (${pairsOf(plan, scope, place)}) GROUP BY evaluation_key`,
    );
  });
  const all = unionAll(parts);
  const tables = withTables([...scope.narrowing.tables, baselineRows(plan, scope)]);
  return query("pairs", all, sql`${tables}${all.sql}`);
}

/** Sums over clusters of m rows whose differences add up to s. A row without the field is a cluster by itself. */
interface ClusterWords {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly count: number;
  readonly largest: number;
  /** Σm², Σm·s and Σs². */
  readonly mm: bigint;
  readonly ms: bigint;
  readonly ss: bigint;
}

const S = productsOf(sql`s`, CLUSTER_BITS);
const CLUSTER_SQUARES = sumOfSquares(
  { hh: wideSum(S.hh), hl: wideSum(S.hl), ll: wideSum(S.ll) },
  CLUSTER_BITS,
);

export function compileClusteredPairs(plan: Plan, scope: PairScope, pointer: string): Query<ClusterWords> {
  const parts = scope.places.map((place) =>
    select(
      {
        evaluationKey: column.integer(sql`evaluation_key`),
        pathKey: column.integer(constant(place.pathKey)),
        count: column.integer(sql`count(*)`),
        largest: column.integer(sql`max(m)`),
        mm: column.bigint(wideSum(sql`${wide(sql`m`)} * m`)),
        ms: column.bigint(wideSum(sql`m * s`)),
        ss: CLUSTER_SQUARES,
      },
      sql`
      FROM (SELECT p.evaluation_key, coalesce(k.cluster, 'row ' || p.row_key) AS cluster, count(*) AS m, ${wide(wideSum(sql`p.d`))} AS s
        FROM (${pairsOf(plan, scope, place)}) AS p JOIN clusters AS k ON k.row_key = p.row_key
        WHERE p.d IS NOT NULL GROUP BY ALL)
      GROUP BY evaluation_key`,
    ),
  );
  const all = unionAll(parts);
  const clusters = sql`clusters AS MATERIALIZED (SELECT row_key, CASE WHEN json_type(value) <> 'NULL' THEN value::VARCHAR END AS cluster
    FROM (SELECT row_key, ${jsonAt(sql`document`, pointer)} AS value FROM (${rowDocuments(plan)})))`;
  const tables = withTables([...scope.narrowing.tables, baselineRows(plan, scope), clusters]);
  return query("clustered pairs", all, sql`${tables}${all.sql}`);
}

/** The number of rows with trials in just these evaluations; `present` has a bit for each, in the order of the plan. */
export interface PresentRows {
  readonly present: bigint;
  readonly rows: number;
}

const PRESENT = { present: column.bigint(sql`present`), rows: column.integer(sql`count(*)`) };

function presence(plan: Plan, { selectedJoin }: Narrowing): Sql {
  return sql`presence AS MATERIALIZED (SELECT row_key, ${bitsOf(position(plan, sql`evaluation_key`))} AS present
    FROM trials${selectedJoin} WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY row_key)`;
}

export function compilePresence(plan: Plan, narrowing: Narrowing): Query<PresentRows> {
  const counts = select(PRESENT, sql` FROM presence GROUP BY present`);
  const tables = withTables([...narrowing.tables, presence(plan, narrowing)]);
  return query("presence", counts, sql`${tables}${counts.sql}`);
}

/** Counts of the rows on which the baseline has a value in a dimension. `scope` has one entry per dimension. */
export interface ValuedRows extends PresentRows {
  readonly pathKey: number;
}

export function compileBaselineValues(plan: Plan, scope: PairScope): Query<ValuedRows> {
  const parts = scope.places.map((place) =>
    select(
      { pathKey: column.integer(constant(place.pathKey)), ...PRESENT },
      sql`
      FROM (${valuesOf(plan, scope, place, [place.baseline])}) AS v JOIN presence USING (row_key) GROUP BY present`,
    ),
  );
  const all = unionAll(parts);
  const tables = withTables([...scope.narrowing.tables, presence(plan, scope.narrowing)]);
  return query("baseline values", all, sql`${tables}${all.sql}`);
}
