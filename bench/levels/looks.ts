import { adjustingBy, compareAll } from "../../src/respond/compare/compare-all.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import type { Design } from "./designs.ts";
import { inputOf } from "./measure.ts";
import { pairSumsOf } from "./pair-sums.ts";

const ALPHA = 0.05;

interface Looked {
  readonly projects: number;
  readonly seed: number;
  /** How often it is run anew, each time against the same baseline. */
  readonly times: number;
  /** How much worse all of these runs are. */
  readonly loss: number;
  readonly margin: number;
}

/** Shares of projects, of all times together, at 5 % and at 5 % / `times`. */
interface Looks {
  /** `regressed` is met at least once. */
  readonly met: readonly [number, number];
  /** `regressed` is not met at least once. */
  readonly passed: readonly [number, number];
  /** `not-shown-as-good` is not met at least once. */
  readonly shown: readonly [number, number];
}

/** Judges the same change several times. */
export async function measureLooks(
  design: Design,
  { projects, seed, times, loss, margin }: Looked,
): Promise<Looks> {
  const random = seededRandom(seed);
  const options = {
    confidence: 1 - ALPHA,
    margin,
    adjusting: adjustingBy("none", 1 - ALPHA),
    alone: "none",
  } as const;
  const counts = { met: [0, 0], passed: [0, 0], shown: [0, 0] };
  for (let i = 0; i < projects; i++) {
    const effects = Array.from({ length: times + 1 }, (_, run) => (run === 0 ? 0 : -loss));
    const project = design.project(random, effects);
    const [baseline = [], ...runs] = project.evaluations;
    const inputs = runs.map((values, run) =>
      inputOf(String(run), pairSumsOf(baseline, values, project), design.binary),
    );
    const { comparisons } = await compareAll(inputs, options, undefined);
    for (const [at, level] of [ALPHA, ALPHA / times].entries()) {
      const worse = comparisons.map((one) => (one.difference ?? 0) < 0 && (one.p_value ?? 1) <= level);
      const add = (of: keyof typeof counts, is: boolean) =>
        (counts[of][at] = (counts[of][at] ?? 0) + Number(is));
      add("met", worse.some(Boolean));
      add("passed", !worse.every(Boolean));
      add(
        "shown",
        comparisons.some((one) => (one.not_worse_p_value ?? 1) <= level),
      );
    }
  }
  const shares = ([once = 0, shared = 0]: readonly number[]) => [once / projects, shared / projects] as const;
  return { met: shares(counts.met), passed: shares(counts.passed), shown: shares(counts.shown) };
}
