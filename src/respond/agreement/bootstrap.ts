import { nextTurn } from "../../model/turns.ts";
import { cohenKappa } from "../../stats/agreement/kappa.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { seededRandom } from "../../stats/numeric/random.ts";
import { rawAgreement } from "./contingency-table.ts";
import { interpolate, percentileRanks } from "../summary/row-samples.ts";

/** How many rows have trials with just these pairs of values: indexes of cells. */
interface RowPattern {
  readonly cells: readonly number[];
  readonly rows: number;
}

const MAX_RESAMPLES = 2000;
const MIN_RESAMPLES = 200;
/** Most rows drawn in all resamples together, unless the least number of resamples needs more. */
const MAX_DRAWS = 2e7;
const SLICE_MS = 5;

/**
 * Computes percentile intervals over resampled rows, each with all its trials. `seriesKey` gives for each cell its
 * index in the table, counted row by row. Resamples without κ are left out of the interval of κ. There is no interval
 * where half or more of the resamples are left out, or where all resamples have the same value, as at 0 % and 100 %.
 */
export async function bootstrapAgreement(
  patterns: readonly RowPattern[],
  seriesKey: readonly number[],
  size: number,
  { seed, confidence }: { readonly seed: number; readonly confidence: number },
  signal: AbortSignal | undefined,
) {
  const rows = patterns.reduce((sum, pattern) => sum + pattern.rows, 0);
  const resamples = Math.max(MIN_RESAMPLES, Math.min(MAX_RESAMPLES, Math.floor(MAX_DRAWS / rows)));
  const drawer = rowDrawer(patterns, rows, seed);
  const agreements: (number | null)[] = [];
  const kappas: (number | null)[] = [];
  for (let i = 0; i < resamples; i++) {
    const table = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
    for (const [p, times] of (await drawer.draw(signal)).entries()) {
      if (times === 0) continue;
      for (const cell of patterns[p]?.cells ?? []) {
        const place = seriesKey[cell] ?? 0;
        const row = table[Math.floor(place / size)];
        if (row !== undefined) row[place % size] = (row[place % size] ?? 0) + times;
      }
    }
    agreements.push(rawAgreement(table));
    kappas.push(cohenKappa(table));
  }
  const interval = (values: readonly (number | null)[]) => percentileInterval(values, confidence);
  return { rawAgreement: interval(agreements), kappa: interval(kappas), resamples };
}

/**
 * Draws as many rows as there are, with replacement, and counts how often each pattern was drawn; lets other work run
 * in between.
 */
function rowDrawer(patterns: readonly RowPattern[], rows: number, seed: number) {
  const random = seededRandom(seed);
  const patternOf = new Uint32Array(rows);
  let next = 0;
  for (const [p, pattern] of patterns.entries()) {
    patternOf.fill(p, next, next + pattern.rows);
    next += pattern.rows;
  }
  const times = new Uint32Array(patterns.length);
  let sliceEnd = performance.now() + SLICE_MS;
  const draw = async (signal: AbortSignal | undefined) => {
    times.fill(0);
    for (let i = 0; i < rows; i++) {
      const p = patternOf[Math.floor(random() * rows)] ?? 0;
      times[p] = (times[p] ?? 0) + 1;
      if (i % 1000 !== 0 || performance.now() < sliceEnd) continue;
      await nextTurn();
      signal?.throwIfAborted();
      sliceEnd = performance.now() + SLICE_MS;
    }
    return times;
  };
  return { draw };
}

function percentileInterval(values: readonly (number | null)[], confidence: number): Interval | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  if (2 * known.length <= values.length || known[0] === known.at(-1)) return null;
  const at = (percent: number) => {
    const { below, above, part } = percentileRanks(known.length, percent);
    return interpolate(known[below] ?? 0, known[above] ?? 0, part);
  };
  return [at(50 * (1 - confidence)), at(50 * (1 + confidence))];
}
