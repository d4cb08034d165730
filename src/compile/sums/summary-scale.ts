import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { ScorePath } from "../../plan/plan.ts";
import { addsUpPlainly } from "./exact-sum.ts";

/**
 * How the numbers of the summary are summed so that a mean is off by at most 1e-12 of the mean of the
 * absolute values, in any order of the terms. value · 2^k is rounded to an integer: each non-zero value is
 * then off by at most 2^-(k+1), which is below 1e-12 of it when k >= 39 - its exponent; and it fits a word
 * when k <= 61 - the largest exponent.
 */
export interface SummaryScale {
  /** Null: all places. */
  readonly paths: readonly ScorePath[] | null;
  /** Three columns: the sum of the words, null or that of the low words, null or the plain sum. */
  readonly sums: Sql;
}

const PRECISION_BITS = 41;
const LOW_BITS = 50;

interface Group {
  readonly paths: ScorePath[];
  low: number;
  high: number;
}

/** Plain sums where all places allow them; else one-word scales for as many places as possible each; then two-word ones; the rest in sorted order. */
export function summaryScale(paths: readonly ScorePath[]): SummaryScale[] {
  if (paths.every((path) => addsUpPlainly(path.exponents))) {
    return paths.length === 0
      ? []
      : [{ paths: null, sums: sql`NULL::HUGEINT, NULL::HUGEINT, sum(v.number)` }];
  }
  const one = paths.filter((path) => methodOf(path) === "one");
  const two = paths.filter((path) => methodOf(path) === "two");
  const ordered = paths.filter((path) => methodOf(path) === "ordered");
  const alone = two.length === 0 && ordered.length === 0;
  const scales: SummaryScale[] = [];
  if (one.length > 0) {
    const number = sql`CAST(v.number * ${scaleCase(groups(one))} AS BIGINT)`;
    scales.push({
      paths: alone ? null : one,
      sums: sql`sum(${number})::HUGEINT, NULL::HUGEINT, NULL::DOUBLE`,
    });
  }
  for (const path of two) {
    const scale = constant(2 ** twoWordShift(path));
    const high = sql`trunc(v.number * ${scale})`;
    scales.push({
      paths: [path],
      sums: sql`sum(CAST(${high} AS BIGINT))::HUGEINT,
        sum(CAST((v.number * ${scale} - ${high}) * ${constant(2 ** LOW_BITS)} AS BIGINT))::HUGEINT, NULL::DOUBLE`,
    });
  }
  for (const path of ordered) {
    scales.push({ paths: [path], sums: sql`NULL::HUGEINT, NULL::HUGEINT, fsum(v.number ORDER BY v.number)` });
  }
  return scales;
}

/** The sum of one place from its three columns. */
export function readSum(
  paths: readonly ScorePath[],
  path: ScorePath,
  high: bigint | null,
  low: bigint | null,
  plain: number | null,
): number {
  if (plain !== null) return plain;
  const total = ((high ?? 0n) << BigInt(low === null ? 0 : LOW_BITS)) + (low ?? 0n);
  const shift =
    low === null
      ? shiftOf(groups(paths.filter((one) => methodOf(one) === "one")), path)
      : twoWordShift(path) + LOW_BITS;
  return scaleDown(total, shift);
}

/** `total · 2^-shift`, rounded once. */
function scaleDown(total: bigint, shift: number): number {
  const half = Math.trunc(shift / 2);
  return Number(total) * 2 ** -half * 2 ** -(shift - half);
}

function methodOf({ exponents }: ScorePath): "one" | "two" | "ordered" {
  if (exponents === null) return "one";
  const { low, high } = shiftRange(exponents);
  if (low <= high && Math.abs(high) < 1000 && Math.abs(low) < 1000) return "one";
  const spread = exponents.max - exponents.min;
  return spread <= LOW_BITS + 52 - PRECISION_BITS && Math.abs(52 - exponents.max) < 1000 ? "two" : "ordered";
}

function shiftRange({ max, min }: { max: number; min: number }): { low: number; high: number } {
  return { low: PRECISION_BITS - min - 1, high: 61 - max };
}

function twoWordShift(path: ScorePath): number {
  return 52 - (path.exponents?.max ?? 0);
}

/** Places that can share one shift, greedily by the largest shift that they allow. */
function groups(paths: readonly ScorePath[]): Group[] {
  const result: Group[] = [];
  const ranges = paths.map((path) => ({
    path,
    range: path.exponents === null ? { low: -1000, high: 1000 } : shiftRange(path.exponents),
  }));
  for (const { path, range } of ranges.toSorted(
    (a, b) => a.range.high - b.range.high || a.path.key - b.path.key,
  )) {
    const last = result.at(-1);
    if (last !== undefined && range.low <= last.high) {
      last.paths.push(path);
      last.low = Math.max(last.low, range.low);
    } else result.push({ paths: [path], low: range.low, high: range.high });
  }
  return result;
}

/** The first member of a group has the smallest upper bound: that shift suits all of them. */
function shiftOf(all: readonly Group[], path: ScorePath): number {
  return groupShift(all.find((group) => group.paths.includes(path)));
}

function groupShift(group: Group | undefined): number {
  return group === undefined || group.high >= 1000 ? 0 : group.high;
}

function scaleCase(all: readonly Group[]): Sql {
  const [first, ...rest] = all;
  const otherwise = constant(2 ** groupShift(first));
  if (rest.length === 0) return otherwise;
  const whens = rest.map(
    (group) =>
      sql` WHEN v.path_key IN (${join(
        group.paths.map((path) => constant(path.key)),
        sql`, `,
      )}) THEN ${constant(2 ** groupShift(group))}`,
  );
  return sql`(CASE${join(whens, EMPTY)} ELSE ${otherwise} END)`;
}
