import { walk, type ComparedRun } from "../../src/engine/history/walk.ts";
import { worseSince } from "../../src/respond/history/history.ts";
import { isShownByNext } from "../../src/words/history.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { chainNoise } from "../../src/stats/tests/loss-span.ts";
import type { Design, Values } from "./designs.ts";
import { comparisonsOf } from "./measure.ts";

/** Chains of runs of which those from the index `place` on are worse by `loss`. */
interface Chains {
  readonly chains: number;
  readonly seed: number;
  readonly runs: number;
  readonly place?: number;
  readonly loss?: number;
}

/** What a history says of chains. */
export interface HistoryLevels {
  /** Share of chains that are told to be worse at some run, and at the last one. */
  readonly atAny: number;
  readonly atLast: number;
  /** Of those at the last one: share in which the span holds the change; the median and the mean of its places. */
  readonly held: number;
  readonly median: number;
  readonly mean: number;
}

/** Walks through chains whose truth is known. Every row has a value in every run. */
export async function measureHistory(
  design: Design,
  { chains, seed, runs, place = runs, loss = 0 }: Chains,
): Promise<HistoryLevels> {
  const random = seededRandom(seed);
  const effects = Array.from({ length: runs }, (_, i) => (i < place ? 0 : -loss));
  const noise = chainNoise(runs);
  let [any, last, held] = [0, 0, 0];
  const widths: number[] = [];
  for (let i = 0; i < chains; i++) {
    const { evaluations } = design.project(random, effects);
    const { told, span } = await toldOf(evaluations, design.binary, noise);
    if (told) any++;
    if (span === null) continue;
    last++;
    if (span.first <= place && place <= span.last) held++;
    widths.push(span.last - span.first + 1);
  }
  const sorted = widths.toSorted((a, b) => a - b);
  return {
    atAny: any / chains,
    atLast: last / chains,
    held: held / last,
    median: sorted[Math.floor(last / 2)] ?? 0,
    mean: widths.reduce((sum, width) => sum + width, 0) / last,
  };
}

/** What is said of a loss after its first run, and whether the next one shows it. */
export interface NextLevels {
  /** Share of chains of which "One more run shows whether it stays so" is said. */
  readonly said: number;
  /** Of those: share in which the next run is told to be worse where the loss stays, and where it does not. */
  readonly stays: number;
  readonly recovers: number;
}

/** Chains of a reference, a run that is worse by `loss`, and one more: as bad, or as good as the first. */
export async function measureNext(
  design: Design,
  { chains, seed, loss }: Required<Pick<Chains, "chains" | "seed" | "loss">>,
): Promise<NextLevels> {
  const random = seededRandom(seed);
  let [said, stays, recovers] = [0, 0, 0];
  for (let i = 0; i < chains; i++) {
    const { evaluations } = design.project(random, [0, -loss, -loss, 0]);
    const [first = [], bad = [], again = [], good = []] = evaluations;
    const steps = await walkOver([first, bad, again], design.binary);
    const comparison = steps.get(1)?.comparison;
    if (comparison?.verdict !== "regressed" || !isShownByNext(comparison, 0.95)) continue;
    said++;
    if (steps.get(2)?.worseFrom !== null) stays++;
    if ((await walkOver([first, bad, good], design.binary)).get(2)?.worseFrom !== null) recovers++;
  }
  return { said: said / chains, stays: stays / said, recovers: recovers / said };
}

function walkOver(evaluations: readonly Values[], binary: boolean) {
  const compare = async (reference: number, runs: readonly number[]) => {
    const found = new Map<number, ComparedRun>();
    for (const run of runs) {
      const pair = [evaluations[reference] ?? [], evaluations[run] ?? []];
      const [comparison = null] = await comparisonsOf(
        { evaluations: pair, trials: 1, clusters: null },
        binary,
      );
      found.set(run, { comparison, shared: 2, own: 2, changes: null, unlike: null });
    }
    return found;
  };
  return walk(0, evaluations.length, 0.05, compare);
}

async function toldOf(evaluations: readonly Values[], binary: boolean, noise: ReturnType<typeof chainNoise>) {
  const steps = await walkOver(evaluations, binary);
  const told = [...steps.values()].some(({ worseFrom }) => worseFrom !== null);
  const { reference = null, worseFrom = null } = steps.get(evaluations.length - 1) ?? {};
  if (reference === null || worseFrom === null) return { told, span: null };
  const since = evaluations.slice(reference);
  const loss = {
    ids: since.map((_, i) => String(reference + i)),
    values: since.map((values) => Float64Array.from(values, (value) => value ?? 0)),
    first: worseFrom - reference,
  };
  const found = worseSince(loss, { lower: false, confidence: 0.95 }, noise);
  return { told, span: { first: Number(found.last_good) + 1, last: Number(found.evaluation_call_id) } };
}
