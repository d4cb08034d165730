import { agreeing, alphaOfNumbers, kappaOfPairs, type RatedUnit } from "../../stats/agreement/raters.ts";

/** How far several raters agree. A quantity that does not exist is null, never NaN. */
export interface RatersAnswer {
  /** How far they agree. */
  readonly raters: RaterAgreement;
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

/** Agreement of several raters, over units: trials with two ratings or more. */
export interface RaterAgreement {
  /** Trials with two ratings or more. */
  readonly unit_count: number;
  /** Ratings of these units. */
  readonly rating_count: number;
  /** Mean over units of the share of pairs of ratings that are equal. */
  readonly percent: number | null;
  /** Krippendorff's α by metric; `ordinal` and `interval` of numbers and of true and false alone. */
  readonly alpha: {
    readonly nominal: number | null;
    readonly ordinal: number | null;
    readonly interval: number | null;
  };
  /** Gwet's AC1, which a rare category does not make low. */
  readonly gwet_ac1: number | null;
  /** Each two raters, in order; empty where there are more than 20 raters. */
  readonly pairs: readonly RaterPair[];
  /** Who differs from the others most, first. */
  readonly by_rater: readonly RaterDissent[];
  /** Up to 10 trials on which raters differ, those that differ most first. */
  readonly most_dissent: readonly DissentingTrial[];
}

/** Two raters on the trials that both rated. */
export interface RaterPair {
  /** One of the two, as it is named among `by_rater`. */
  readonly a: string;
  /** The other. */
  readonly b: string;
  /** Trials that both rated. */
  readonly n: number;
  /** Share of these trials on which both say the same; null without any. */
  readonly percent: number | null;
  /** Cohen's kappa of these trials; null where chance alone would agree always. */
  readonly cohen_kappa: number | null;
  /** Krippendorff's nominal α of the two alone. */
  readonly alpha_nominal: number | null;
  /** Gwet's AC1 of the two alone. */
  readonly gwet_ac1: number | null;
}

/** How often one rater differs from the others. */
export interface RaterDissent {
  /** A dimension, or the person who gave the feedback. */
  readonly rater: string;
  /** Its ratings of units. */
  readonly n: number;
  /** Share of the pairs of its ratings with others of the same unit that differ; null without a pair. */
  readonly disagreement: number | null;
}

/** A trial on which raters differ. */
export interface DissentingTrial {
  /** Its row. */
  readonly row_digest: string;
  /** Its id. */
  readonly predict_and_score_call_id: string;
  /** What each rater said. */
  readonly ratings: Readonly<Record<string, boolean | number | string>>;
}

/** A trial with the ratings of it. */
interface RatedTrial {
  readonly digest: string;
  readonly id: string;
  readonly ratings: RatedUnit;
}

/** Raters by place, and what their values stand for. */
export interface RaterScale {
  readonly raters: readonly string[];
  readonly isText: boolean;
  readonly valueOf: (value: number) => boolean | number | string;
}

const MOST_PAIRED = 20;
const MOST_TRIALS = 10;

/** Describes the agreement over trials in their order. */
export function describeRaters(trials: readonly RatedTrial[], scale: RaterScale): RaterAgreement {
  const all = trials.map(({ ratings }) => ratings);
  const units = all.filter((unit) => unit.length > 1);
  const { percent, alpha, ac1 } = agreeing(all);
  const ofNumbers = (metric: "ordinal" | "interval") => (scale.isText ? null : alphaOfNumbers(units, metric));
  return {
    unit_count: units.length,
    rating_count: units.reduce((count, unit) => count + unit.length, 0),
    percent,
    alpha: { nominal: alpha, ordinal: ofNumbers("ordinal"), interval: ofNumbers("interval") },
    gwet_ac1: ac1,
    pairs: scale.raters.length > MOST_PAIRED ? [] : pairsOf(all, scale.raters),
    by_rater: dissentOf(units, scale.raters),
    most_dissent: mostDissent(trials, scale),
  };
}

function pairsOf(units: readonly RatedUnit[], raters: readonly string[]): RaterPair[] {
  return raters.flatMap((a, i) =>
    raters.slice(i + 1).map((b, offset): RaterPair => {
      const second = i + 1 + offset;
      const own = units.map((unit) => unit.filter(({ rater }) => rater === i || rater === second));
      const both = own.flatMap((unit): [number, number][] => {
        const [x, y] = [i, second].map((rater) => unit.find((one) => one.rater === rater)?.value);
        return x === undefined || y === undefined ? [] : [[x, y]];
      });
      const { percent, alpha, ac1 } = agreeing(own);
      const figures = { percent, cohen_kappa: kappaOfPairs(both), alpha_nominal: alpha, gwet_ac1: ac1 };
      return { a, b, n: both.length, ...figures };
    }),
  );
}

function dissentOf(units: readonly RatedUnit[], raters: readonly string[]): RaterDissent[] {
  const counts = raters.map(() => ({ n: 0, pairs: 0, differ: 0 }));
  for (const unit of units)
    for (const { rater, value } of unit) {
      const own = counts[rater];
      if (own === undefined) continue;
      own.n += 1;
      own.pairs += unit.length - 1;
      own.differ += unit.filter((other) => other.value !== value).length;
    }
  return counts
    .map(({ n, pairs, differ }, i) => ({
      rater: raters[i] ?? "",
      n,
      disagreement: pairs === 0 ? null : differ / pairs,
    }))
    .toSorted((a, b) => (b.disagreement ?? -1) - (a.disagreement ?? -1));
}

/** By the mean of squared differences of numbers, or the share of texts that differ; then as they stand. */
function mostDissent(
  trials: readonly RatedTrial[],
  { raters, isText, valueOf }: RaterScale,
): DissentingTrial[] {
  const apart = (a: number, b: number) => (isText ? Number(a !== b) : (a - b) ** 2);
  return trials
    .map(({ digest, id, ratings }) => {
      const pairs = ratings.flatMap((one, i) =>
        ratings.slice(i + 1).map((two) => apart(one.value, two.value)),
      );
      return { digest, id, ratings, by: pairs.reduce((sum, one) => sum + one, 0) / (pairs.length || 1) };
    })
    .filter(({ by }) => by > 0)
    .toSorted((a, b) => b.by - a.by || b.ratings.length - a.ratings.length)
    .slice(0, MOST_TRIALS)
    .map(({ digest, id, ratings }) => ({
      row_digest: digest,
      predict_and_score_call_id: id,
      ratings: Object.fromEntries(ratings.map(({ rater, value }) => [raters[rater] ?? "", valueOf(value)])),
    }));
}
