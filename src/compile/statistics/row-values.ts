import { grouped } from "../../model/grouped.ts";
import { bitRange } from "../../model/numbers.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import { column, mapped, query, type Query, select } from "../../store/query.ts";
import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { Magnitude, Plan } from "../../plan/plan.ts";
import type { SeriesKind } from "../../plan/query-catalog.ts";
import { type FixedPoint, isExact, pointsAt, scaled, wordSum } from "../sums/fixed-point.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { countedValues } from "../scores/counted-trials.ts";
import { type Narrowing, withTables } from "../rows/selected-rows.ts";
import { binned, divideIntegers, doublesOf, roundToInteger } from "../relations/spelled.ts";

/** The score values of one kind (0 number, 1 boolean) in one series. */
export type ValuePlace = SeriesKind;

/**
 * The values and rows to read. Where series share neither kind nor evaluation, results may contain other series too: a
 * statement selects evaluations, paths and kinds separately.
 */
export interface ValueScope {
  readonly places: readonly ValuePlace[];
  /** Whether their evaluations have no other values of these kinds, so that paths need not be tested. */
  readonly wholeKinds: boolean;
  /** The largest number of trials that a row has in one of the evaluations. */
  readonly trialsPerRow: number;
  readonly narrowing: Narrowing;
  /** Whether the value of each trial counts by itself, and not the mean of a row's trials. */
  readonly byTrial?: boolean;
}

function distinct(keys: readonly number[]): number[] {
  return [...new Set(keys)].toSorted((a, b) => a - b);
}

/** The score records of some series as `v`, including those without a number. */
export function fromRecords(plan: Plan, { places, wholeKinds, narrowing }: ValueScope): Sql {
  const evaluations = distinct(places.map((place) => place.evaluationKey));
  const paths = distinct(places.map((place) => place.pathKey));
  const kinds = distinct(places.map((place) => place.kind));
  const among = wholeKinds ? EMPTY : sql` AND ${inKeys(sql`v.path_key`, paths)}`;
  return sql`FROM ${countedValues(plan, sql`v`, paths)}${narrowing.selectedJoin}
    WHERE ${inKeys(sql`v.evaluation_key`, evaluations)} AND ${inKeys(sql`v.kind`, kinds)}${among}${scoreScope(plan, sql`v`)}`;
}

function fromValues(plan: Plan, scope: ValueScope): Sql {
  return sql`${fromRecords(plan, scope)} AND v.number IS NOT NULL`;
}

/** DuckDB groups a single series by row in an array, so up to this many series are read apart. */
const MOST_PARTS = 250;

/** Splits the scope into parts of one series each, unless there are too many. */
function partsOf(scope: ValueScope): ValueScope[] {
  if (scope.places.length > MOST_PARTS) return [scope];
  return scope.places.map((place) => ({ ...scope, places: [place], wholeKinds: false }));
}

/** The columns that identify a series: constants where there is one, else columns of the alias `v` to group by. */
function placeColumns({ places }: ValueScope): { readonly columns: Sql; readonly groups: Sql } {
  const [first, ...rest] = places;
  if (first === undefined || rest.length > 0) {
    const groups = sql`v.evaluation_key, v.path_key, v.kind, `;
    return { columns: groups, groups };
  }
  const { evaluationKey, pathKey, kind } = first;
  const columns = sql`${constant(evaluationKey)} AS evaluation_key, ${constant(pathKey)} AS path_key, ${constant(kind)} AS kind, `;
  return { columns, groups: EMPTY };
}

/**
 * (evaluation_key, path_key, row_key, x, value, trials), one record for each row and series: the mean of its trials as
 * a fixed-point word and as a double. The words of several trials of a row are added exactly and divided once.
 */
export function rowValues(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql {
  if (scope.trialsPerRow <= 1) {
    const trial = scope.byTrial === true ? sql`v.trial_key, ` : EMPTY;
    return sql`SELECT ${trial}v.evaluation_key, v.path_key, v.row_key, ${roundToInteger(scaled(sql`v.number`, points, 1))} AS x,
    v.number AS value, 1 AS trials ${fromValues(plan, scope)}`;
  }
  return join(
    partsOf(scope).map((part) => rowMeans(plan, part, points)),
    sql` UNION ALL `,
  );
}

/** {@link rowValues} of each evaluation and kind apart, so that a dimension is read in the one kind that is named. */
export function valuesByKind(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql[] {
  const kinds = grouped(scope.places, ({ evaluationKey, kind }) => `${evaluationKey}:${kind}`);
  return [...kinds.values()].map((places) =>
    rowValues(plan, { ...scope, places, wholeKinds: false }, points),
  );
}

function rowMeans(plan: Plan, part: ValueScope, points: readonly FixedPoint[]): Sql {
  const [place] = part.places;
  const own =
    place !== undefined && part.places.length === 1
      ? pointsAt(points, place.evaluationKey, place.pathKey)
      : points;
  const { columns, groups } = placeColumns(part);
  const mean = scaled(sql`v.x::DOUBLE`, own, -1);
  // The mean of equal trials is their number, which rounded words would not give exactly.
  const exact = own.every(isExact);
  const ends = exact ? EMPTY : sql`, min(v.number) AS low, max(v.number) AS high`;
  const value = exact ? mean : sql`CASE WHEN v.low = v.high THEN v.low ELSE ${mean} END`;
  return sql`SELECT v.evaluation_key, v.path_key, v.row_key, v.x, ${value} AS value, v.trials
    FROM (SELECT ${columns}v.row_key, ${divideIntegers(wordSum(own), sql`count(*)`)} AS x, count(*) AS trials${ends}
      ${fromValues(plan, part)} GROUP BY ${groups}v.row_key) AS v`;
}

/** Counts rows by number of trials, their total and their least value; for several trials per row. */
export function compileRowTallies(plan: Plan, scope: ValueScope) {
  const parts = partsOf(scope).map((part) => {
    const { columns, groups } = placeColumns(part);
    const least = part.places.every(({ kind }) => kind === BOOLEAN) ? sql`0` : sql`min(v.number)`;
    return sql`SELECT ${columns}count(*) AS trials, sum(v.number) AS total, ${least} AS least
    ${fromValues(plan, part)} GROUP BY ${groups}v.row_key`;
  });
  const tallies = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      pathKey: column.integer(sql`path_key`),
      kind: column.integer(sql`kind`),
      trials: column.integer(sql`trials`),
      total: column.double(sql`total`),
      least: column.double(sql`least`),
      rows: column.integer(sql`count(*)`),
    },
    sql`
    FROM (${join(parts, sql` UNION ALL `)}) GROUP BY evaluation_key, path_key, kind, trials, total, least`,
  );
  return query("row tallies", tallies, sql`${withTables(scope.narrowing.tables)}${tallies.sql}`);
}

/** The sums of the numbers of a series and of their squares, from which the counts of -1, 0 and 1 follow. */
export function compileUnitSums(plan: Plan, scope: ValueScope) {
  const sums = select(
    {
      evaluationKey: column.integer(sql`v.evaluation_key`),
      pathKey: column.integer(sql`v.path_key`),
      count: column.integer(sql`count(v.number)`),
      total: column.double(sql`coalesce(sum(v.number), 0)`),
      squares: column.double(sql`coalesce(sum(v.number * v.number), 0)`),
    },
    sql`
    ${fromRecords(plan, scope)} GROUP BY v.evaluation_key, v.path_key`,
  );
  return query("unit sums", sums, sql`${withTables(scope.narrowing.tables)}${sums.sql}`);
}

/** Finds the series whose numbers are all 0 or 1. */
export function compileZeroOnes(plan: Plan, scope: ValueScope) {
  const series = select(
    {
      evaluationKey: column.integer(sql`v.evaluation_key`),
      pathKey: column.integer(sql`v.path_key`),
    },
    sql` ${fromValues(plan, scope)}
    GROUP BY v.evaluation_key, v.path_key HAVING count(*) = count(CASE WHEN v.number = 0 OR v.number = 1 THEN 1 END)`,
  );
  return query("zero ones", series, sql`${withTables(scope.narrowing.tables)}${series.sql}`);
}

export function compileMagnitudes(plan: Plan, scope: ValueScope): Query<Magnitude> {
  const largest = select(
    {
      evaluationKey: column.integer(sql`v.evaluation_key`),
      pathKey: column.integer(sql`v.path_key`),
      largest: column.double(sql`max(abs(v.number))`),
    },
    sql` ${fromValues(plan, scope)}
    GROUP BY v.evaluation_key, v.path_key`,
  );
  const magnitudes = mapped(largest, ({ evaluationKey, pathKey, largest: size }) => ({
    evaluationKey,
    pathKey,
    exponent: size === 0 ? 0 : bitRange(size).high,
  }));
  return query("magnitudes", magnitudes, sql`${withTables(scope.narrowing.tables)}${magnitudes.sql}`);
}

/**
 * Counts row values between the edges of their dimension; bins without rows are left out. DuckDB's bins hold their
 * upper edge, so both are negated.
 */
export function compileBinCounts(
  plan: Plan,
  scope: ValueScope,
  points: readonly FixedPoint[],
  edges: ReadonlyMap<number, readonly number[]>,
) {
  const counts = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      pathKey: column.integer(sql`path_key`),
      /** The lower edge of the bin. */
      edge: column.double(sql`-bin.key`),
      rows: column.integer(sql`bin.value`),
    },
    sql`
    FROM (SELECT evaluation_key, path_key, ${binned(sql`-value`, lowerEdges(edges))} AS bin
      FROM (${rowValues(plan, scope, points)}) GROUP BY evaluation_key, path_key)`,
  );
  return query("bin counts", counts, sql`${withTables(scope.narrowing.tables)}${counts.sql}`);
}

/** The negated lower edges of the bins of a record's dimension, ascending. */
function lowerEdges(edges: ReadonlyMap<number, readonly number[]>): Sql {
  const lists = [...edges].map(([pathKey, list]): [number, string] => {
    const negated = list.slice(0, -1).map((edge) => String(-edge));
    return [pathKey, `[${negated.toReversed().join(", ")}]`];
  });
  return doublesOf(sql`path_key`, new Map(lists));
}
