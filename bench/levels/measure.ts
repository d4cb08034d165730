import type { Comparison, ComparisonInput } from "../../src/respond/compare/comparison.ts";
import { adjustingBy, compareAll } from "../../src/respond/compare/compare-all.ts";
import type { PairSums } from "../../src/respond/compare/pair-sums.ts";
import { estimate } from "../../src/respond/compare/estimate.ts";
import { adjustBoards, ranksOf, type Board } from "../../src/respond/compare/ranks.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import type { Design, Project, Values } from "./designs.ts";
import { pairSumsOf } from "./pair-sums.ts";

const CONFIDENCE = 0.95;

/** A comparison of a candidate with the baseline. */
export function inputOf(candidate: string, sums: PairSums | null, binary: boolean): ComparisonInput {
  return {
    baseline: "baseline",
    candidate,
    path: ["score"],
    direction: "higher",
    binary,
    reason: null,
    rows: {
      n_only_baseline: 0,
      n_only_candidate: 0,
      n_missing_baseline: 0,
      n_missing_candidate: 0,
      n_edited: 0,
    },
    sums,
  };
}

/** The comparisons of a project with its first evaluation, adjusted for each other. */
export async function comparisonsOf(project: Project, binary: boolean): Promise<Comparison[]> {
  const [baseline = [], ...candidates] = project.evaluations;
  const inputs = candidates.map((values, i) =>
    inputOf(String(i), pairSumsOf(baseline, values, project), binary),
  );
  const options = {
    confidence: CONFIDENCE,
    margin: null,
    adjusting: adjustingBy("holm", CONFIDENCE),
    alone: "holm",
  } as const;
  return (await compareAll(inputs, options, undefined)).comparisons;
}

/** How many comparisons behave how, in projects whose truth is known. */
export interface Levels {
  /** Share of projects in which any verdict is false. */
  readonly falseVerdict: number;
  /** Share of intervals of one comparison that hold the true difference; null without intervals. */
  readonly coverage: number | null;
  /** Share of projects in which all adjusted intervals do. */
  readonly together: number | null;
}

/** Compares projects of which the first `better` candidates are truly better by `gain`. */
export async function measureLevels(
  design: Design,
  candidates: number,
  { projects, seed, better = 0, gain = 0 }: Sample,
): Promise<Levels> {
  const random = seededRandom(seed);
  const effects = Array.from({ length: candidates }, (_, i) => (i < better ? gain : 0));
  let [wrong, covered, intervals, together, answers] = [0, 0, 0, 0, 0];
  for (let i = 0; i < projects; i++) {
    const all = await comparisonsOf(design.project(random, [0, ...effects]), design.binary);
    const isFalse = (one: Comparison, at: number) =>
      one.verdict === "regressed" || (one.verdict === "improved" && at >= better);
    if (all.some(isFalse)) wrong += 1;
    const known = all.map((one, at) => ({ one, truth: effects[at] ?? 0 }));
    const single = known.filter(({ one }) => one.confidence_interval !== null);
    covered += single.filter(({ one, truth }) => holds(one.confidence_interval, truth)).length;
    intervals += single.length;
    if (single.length === 0) continue;
    answers += 1;
    if (single.every(({ one, truth }) => holds(one.adjusted_confidence_interval, truth))) together += 1;
  }
  return {
    falseVerdict: wrong / projects,
    coverage: intervals === 0 ? null : covered / intervals,
    together: answers === 0 ? null : together / answers,
  };
}

interface Sample {
  readonly projects: number;
  readonly seed: number;
  readonly better?: number;
  readonly gain?: number;
}

function holds(interval: readonly [number, number] | null, truth: number): boolean {
  return interval !== null && interval[0] <= truth && truth <= interval[1];
}

/** Share of the differences that "would have been found four times in five" that are; null where none could be named. */
export async function measureFound(
  design: Design,
  candidates: number,
  { projects, seed }: Sample,
): Promise<number | null> {
  const random = seededRandom(seed);
  const none = Array<number>(candidates).fill(0);
  let [found, asked] = [0, 0];
  for (let i = 0; i < projects; i++) {
    const [first] = await comparisonsOf(design.project(random, [0, ...none]), design.binary);
    const effect = first?.minimum_detectable_effect ?? null;
    if (effect === null) continue;
    const truth = signOf(design, effect) * effect;
    const [again] = await comparisonsOf(design.project(random, [0, truth, ...none.slice(1)]), design.binary);
    asked += 1;
    if (again?.verdict === (truth > 0 ? "improved" : "regressed")) found += 1;
  }
  return asked === 0 ? null : found / asked;
}

/** Rates near 0 can only rise so far, those near 1 only fall. */
function signOf({ name }: Design, effect: number): 1 | -1 {
  return name === "rate 2 %" || (effect > 0.7 && name !== "rate 98 %") ? 1 : -1;
}

/** What is said of all evaluations of a project, ranked by all pairs. */
export interface RankLevels {
  /** Share of projects in which an evaluation is said to be worse that is not. */
  readonly falselyWorse: number;
  /** Share of pairs with the truly best one that are told apart, and of those that a comparison with it would, at 0.05/(n − 1). */
  readonly power: number;
  readonly withBest: number;
}

/** Ranks `count` evaluations, of which the first is better than the others by `gain`. */
export function measureRanks(
  design: Design,
  count: number,
  gain: number,
  { projects, seed }: Sample,
): RankLevels {
  const random = seededRandom(seed);
  const effects = Array.from({ length: count }, (_, i) => (i === 0 ? gain : 0));
  let [wrong, told, known] = [0, 0, 0];
  for (let i = 0; i < projects; i++) {
    const project = design.project(random, effects);
    const { order, board } = boardOf(project, design.binary);
    const [own] = adjustBoards([board], "ranges", 1 - CONFIDENCE);
    if (own === undefined) continue;
    const ranks = ranksOf(board, own.adjusted, 1 - CONFIDENCE);
    const best = order.indexOf(0);
    const isTrue = (at: number) => gain > 0 && at !== best;
    if (ranks.some(({ standing }, at) => standing === "worse" && !isTrue(at))) wrong += 1;
    for (let at = 0; at < count; at++) {
      if (at === best) continue;
      const pair = board.pair(Math.min(at, best), Math.max(at, best));
      const right = pair !== null && pair.inOrder === best < at;
      const adjusted = own.adjusted(Math.min(at, best), Math.max(at, best));
      if (right && adjusted !== null && adjusted <= 1 - CONFIDENCE) told += 1;
      if (right && pair.p <= (1 - CONFIDENCE) / (count - 1)) known += 1;
    }
  }
  const pairs = projects * (count - 1);
  return { falselyWorse: wrong / projects, power: told / pairs, withBest: known / pairs };
}

function boardOf(
  project: Project,
  binary: boolean,
): { readonly order: readonly number[]; readonly board: Board } {
  const means = project.evaluations.map(meanOf);
  const order = means.map((_, i) => i).toSorted((a, b) => (means[b] ?? 0) - (means[a] ?? 0));
  const kept = new Map<string, ReturnType<Board["pair"]>>();
  const pair: Board["pair"] = (i, j) => {
    const known = kept.get(`${i}:${j}`);
    if (known !== undefined) return known;
    const [first, second] = [project.evaluations[order[i] ?? 0], project.evaluations[order[j] ?? 0]];
    const sums = pairSumsOf(first ?? [], second ?? [], project);
    const { p, difference } = estimate(sums, binary);
    const found =
      p === null || difference === null || sums === null
        ? null
        : { p, inOrder: difference < 0, n: sums.differences.n };
    kept.set(`${i}:${j}`, found);
    return found;
  };
  return { order, board: { count: order.length, isDirected: true, pair } };
}

function meanOf(values: Values): number {
  const known = values.filter((value) => value !== null);
  return known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
}
