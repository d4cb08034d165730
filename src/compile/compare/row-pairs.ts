import { NUMBER } from "../../model/score-kind.ts";
import {
  column,
  nullable,
  query,
  select,
  unionAll,
  type Query,
  type RowOf,
  type Selection,
} from "../../store/query.ts";
import { constant, EMPTY, identifier, join, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ClusterWords } from "../../plan/results.ts";
import type { FixedPoint } from "../sums/fixed-point.ts";
import { productsOf, sumOfSquares } from "../sums/squares.ts";
import { HALF_BITS } from "../sums/words.ts";
import { rowClusters, selectClusters } from "../statistics/clusters.ts";
import { rowValues, type ValuePlace } from "../statistics/row-values.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";
import { wideSum, wide, nothing, filtered, named } from "../relations/spelled.ts";

/** The series of one dimension in the baseline and in candidates. */
export interface PairedDimension {
  readonly pathKey: number;
  /** null: every two of the candidates are paired, the one of the smaller key as the baseline. */
  readonly baseline: ValuePlace | null;
  readonly candidates: readonly ValuePlace[];
  /** Whether words are below 2^31, so that their squares fit a word. */
  readonly small: boolean;
  /** Gives both sides the same shift, so that their words can be subtracted. */
  readonly point: FixedPoint;
  /** The shifts of both sides, where the same one would round the smaller numbers too much. */
  readonly own: { readonly baseline: FixedPoint; readonly candidate: FixedPoint } | null;
}

export interface PairScope {
  readonly places: readonly PairedDimension[];
  /** The largest number of trials of a row, by evaluation key. */
  readonly trialsPerRow: ReadonlyMap<number, number>;
  readonly narrowing: Narrowing;
  /** The relations up to `slices`, by which sums are apart; null for the sums of all rows. */
  readonly slices: readonly Sql[] | null;
}

/** (evaluation_key, row_key, x, trials) of series of one dimension. */
export function pairedValues(
  plan: Plan,
  scope: PairScope,
  paired: Pick<PairedDimension, "small" | "point">,
  places: readonly ValuePlace[],
): Sql {
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
function baselineRows(plan: Plan, { selectedJoin }: Narrowing): Sql {
  const [baseline = 0] = plan.evaluationKeys;
  return sql`baseline_rows AS MATERIALIZED (SELECT DISTINCT row_key FROM trials${selectedJoin}
    WHERE evaluation_key = ${constant(baseline)})`;
}

/**
 * (baseline_key, evaluation_key, row_key, a, b, d, trials): candidate, baseline and their difference on rows where the
 * candidate has a value and the baseline has a trial; b and d are null where the baseline has no value. Without a
 * baseline, on rows where both have a value.
 */
function pairsOf(plan: Plan, scope: PairScope, place: PairedDimension): Sql {
  const candidates = pairedValues(plan, scope, place, place.candidates);
  const pair = sql`c.evaluation_key, c.row_key, c.x AS a, b.x AS b, c.x - b.x AS d, greatest(c.trials, b.trials) AS trials
      FROM (${candidates}) AS c`;
  if (place.baseline === null)
    return sql`SELECT b.evaluation_key AS baseline_key, ${pair} JOIN (${candidates}) AS b ON b.row_key = c.row_key
      WHERE b.evaluation_key < c.evaluation_key`;
  return sql`SELECT ${constant(place.baseline.evaluationKey)} AS baseline_key, ${pair}
      JOIN (SELECT r.row_key, v.x, v.trials FROM baseline_rows AS r
        LEFT JOIN (${pairedValues(plan, scope, place, [place.baseline])}) AS v ON v.row_key = r.row_key) AS b
      ON b.row_key = c.row_key`;
}

/** The same with the slices of each row, where sums are apart by slice. */
function slicedPairsOf(plan: Plan, scope: PairScope, place: PairedDimension): Sql {
  const pairs = pairsOf(plan, scope, place);
  if (scope.slices === null) return pairs;
  const columns = ["baseline_key", "evaluation_key", "row_key", "a", "b", "d", "trials"].map((name) => {
    const own = identifier(name);
    return sql`p.${own} AS ${own}`;
  });
  return sql`SELECT ${join(columns)}, s.slice AS slice FROM (${pairs}) AS p JOIN slices AS s ON s.row_key = p.row_key`;
}

/** What is paired in a dimension. */
export interface PairPlace {
  readonly baselineKey: number;
  readonly evaluationKey: number;
  readonly pathKey: number;
  /** The number of a slice; absent where all rows are added up. */
  readonly slice?: number;
}

function pairColumns({ slices }: PairScope, { pathKey }: PairedDimension) {
  return {
    baselineKey: column.integer(sql`baseline_key`),
    evaluationKey: column.integer(sql`evaluation_key`),
    pathKey: column.integer(constant(pathKey)),
    ...(slices === null ? {} : { slice: column.integer(sql`slice`) }),
  };
}

function pairGroups({ slices }: PairScope): Sql {
  return slices === null ? PAIR : sql`${PAIR}, slice`;
}

const PAIR = sql`baseline_key, evaluation_key`;

/** A statement about the pairs of a scope. */
function pairQuery<Row>(
  name: string,
  plan: Plan,
  { narrowing, slices }: PairScope,
  selection: Selection<Row>,
  others: readonly Sql[] = [],
): Query<Row> {
  const tables = [...narrowing.tables, baselineRows(plan, narrowing), ...(slices ?? []), ...others];
  return query(name, selection, sql`${withTables(tables)}${selection.sql}`);
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

/** Sums of the words of row values of a candidate (a) and the baseline (b); d = a - b. */
export function compilePairs(plan: Plan, scope: PairScope) {
  const parts = scope.places.map((place) => {
    const measured = (value: Sql) => nullable(column.bigint(place.small ? nothing("UBIGINT") : value));
    // A key of a path may be 1, too: ClickHouse wants columns of one name to have one type in a union.
    const trials = place.small
      ? named(sql`1`, sql`most_trials`)
      : sql`max(CASE WHEN d IS NOT NULL THEN trials END)`;
    return select(
      {
        ...pairColumns(scope, place),
        /** Rows with a value in both evaluations. */
        n: column.integer(sql`count(d)`),
        /** Σd, Σb and Σd²; Σb covers all values of the baseline on rows where the candidate has a value. */
        difference: column.bigint(orZero(wideSum(sql`d`))),
        baseline: column.bigint(orZero(wideSum(sql`b`))),
        squares: place.small ? SMALL_SQUARES : SQUARES,
        /** Rows with d > 0 (`higher`), and with d < 0 (`lower`). */
        higher: column.integer(filtered(sql`count(*)`, sql`d > 0`)),
        lower: column.integer(filtered(sql`count(*)`, sql`d < 0`)),
        /** The least and the largest d; null without rows. */
        least: nullable(column.bigint(sql`min(d)::BIGINT`)),
        most: nullable(column.bigint(sql`max(d)::BIGINT`)),
        /** The least |d| but 0, and the largest |a| or |b|; null for small words, and without rows. */
        nearest: measured(sql`min(CASE WHEN d <> 0 THEN abs(d) END)`),
        size: measured(sql`max(CASE WHEN d IS NOT NULL THEN greatest(abs(a), abs(b)) END)`),
        /** The largest number of trials of a row on either side; 1 for small words, else null without rows. */
        trials: nullable(column.integer(trials)),
        /** Rows with a value in the candidate and a trial in the baseline. */
        candidateRows: column.integer(sql`count(*)`),
      },
      sql`
      FROM (${slicedPairsOf(plan, scope, place)}) GROUP BY ${pairGroups(scope)}`,
    );
  });
  return pairQuery("pairs", plan, scope, unionAll(parts));
}

export type PairWords = RowOf<typeof compilePairs>;

/**
 * Adds up both sides of the one pair of a place over the rows with a value in both, in words of the shift of each side.
 */
export function compileOwnSums(
  plan: Plan,
  scope: PairScope,
  place: PairedDimension & { readonly baseline: ValuePlace },
  { baseline, candidate }: NonNullable<PairedDimension["own"]>,
) {
  const side = (point: FixedPoint, places: readonly ValuePlace[]) =>
    pairedValues(plan, scope, { small: false, point }, places);
  const apart = scope.slices !== null;
  const sums = select(
    {
      candidate: column.bigint(orZero(wideSum(sql`c.x`))),
      baseline: column.bigint(orZero(wideSum(sql`b.x`))),
      ...(apart ? { slice: column.integer(sql`s.slice`) } : {}),
    },
    sql` FROM (${side(candidate, place.candidates)}) AS c
      JOIN (${side(baseline, [place.baseline])}) AS b ON b.row_key = c.row_key${apart ? sql` JOIN slices AS s ON s.row_key = c.row_key GROUP BY s.slice` : EMPTY}`,
  );
  const tables = withTables([...scope.narrowing.tables, ...(scope.slices ?? [])]);
  return query("own sums", sums, sql`${tables}${sums.sql}`);
}

/** Counts the rows that moved up and down, by more than `rounding` in words, of one candidate in one dimension. */
export function compileMovedRows(plan: Plan, scope: PairScope, place: PairedDimension, rounding: number) {
  const counts = select(
    {
      ...pairColumns(scope, place),
      higher: column.integer(filtered(sql`count(*)`, sql`d > ${constant(rounding)}`)),
      lower: column.integer(filtered(sql`count(*)`, sql`d < ${constant(-rounding)}`)),
    },
    sql` FROM (${slicedPairsOf(plan, scope, place)}) GROUP BY ${pairGroups(scope)}`,
  );
  return pairQuery("moved rows", plan, scope, counts);
}

/** Sums of the differences over the clusters of each size, see {@link selectClusters}. */
export function compileClusteredPairs(
  plan: Plan,
  scope: PairScope,
  pointer: string,
): Query<PairPlace & ClusterWords> {
  const parts = scope.places.map((place) =>
    selectClusters<PairPlace>(
      pairColumns(scope, place),
      pairGroups(scope),
      sql`SELECT ${pairGroups(scope)}, row_key, d AS x FROM (${slicedPairsOf(plan, scope, place)}) WHERE d IS NOT NULL`,
    ),
  );
  return pairQuery("clustered pairs", plan, scope, unionAll(parts), [rowClusters(plan, pointer)]);
}
