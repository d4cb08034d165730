import { mcnemar, pairedDifference } from "../../src/stats/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { plannedRows, roomOf } from "../../src/stats/tests/planned-power.ts";
import { normal as normalOf } from "./designs.ts";

interface Planned {
  /** The mean of rates; null of numbers, whose trials have a standard deviation of 1. */
  readonly rate: number | null;
  /** How far rows differ: a standard deviation of log odds, or of numbers. */
  readonly spread: number;
  readonly trials: number;
  readonly detect: number;
  readonly runs: number;
  readonly seed: number;
}

const KNOWN_ROWS = 200_000;

/** The rows that are planned where the spread is known, the power that the model gives, and how often they find it. */
export function measurePlan({ rate, spread, trials, detect, runs, seed }: Planned) {
  const random = seededRandom(seed);
  const normal = () => normalOf(random);
  const easeOf = () =>
    1 / (1 + Math.exp(-(Math.log((rate ?? 0.5) / (1 - (rate ?? 0.5))) + spread * normal())));
  const eases = Array.from({ length: rate === null ? 0 : KNOWN_ROWS }, easeOf);
  const mean = meanOf(eases);
  const ofRows = meanOf(eases.map((ease) => (ease - mean) ** 2));
  const within = rate === null ? 1 : meanOf(eases.map((ease) => ease * (1 - ease)));
  const known = {
    between: 0,
    within,
    rate: rate === null ? null : { mean, rows: ofRows },
    clusters: null,
  };
  const { rows, found } = plannedRows(known, { delta: detect, trials, alpha: 0.05, power: 0.8 });
  const changed = detect / roomOf(mean);
  const trialOf = (ease: number) => Number(random() < ease);
  const draw = (one: () => number) => meanOf(Array.from({ length: trials }, one));
  const rowOf = (): readonly [number, number] => {
    if (rate === null) return [draw(normal), draw(() => normal() - detect)];
    const ease = easeOf();
    const worse = mean >= 0.5 ? ease * (1 - changed) : ease + changed * (1 - ease);
    return [draw(() => trialOf(ease)), draw(() => trialOf(worse))];
  };
  let shown = 0;
  for (let run = 0; run < runs; run++)
    if (
      isShown(
        Array.from({ length: rows ?? 0 }, rowOf),
        rate !== null && trials === 1,
        rate !== null && mean < 0.5,
      )
    )
      shown++;
  return { mean, rows, found, shown: shown / runs };
}

/** Whether the second is shown to be lower, or higher where that is the difference to find. */
function isShown(rows: readonly (readonly [number, number])[], arePairs: boolean, higher: boolean): boolean {
  const sign = higher ? 1 : -1;
  if (arePairs) {
    const [gained, lost] = [1, -1].map((by) => rows.filter(([a, b]) => sign * (b - a) === by).length);
    return (
      (gained ?? 0) > (lost ?? 0) && mcnemar(gained ?? 0, lost ?? 0, { method: "mid-p" }).p_value <= 0.05
    );
  }
  const { p_value: p, difference } = pairedDifference(
    rows.map(([, b]) => b),
    rows.map(([a]) => a),
  );
  return p !== null && p <= 0.05 && sign * (difference ?? 0) > 0;
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
}
