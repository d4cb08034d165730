import { grouped } from "../model/grouped.ts";
import { oneLine } from "../model/plain-line.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import type { Comparison, ComparisonAnswer } from "../respond/compare/comparison.ts";
import { claimFigures, notWorseSentences, type ComparisonTerms } from "./claim-figures.ts";
import { conclusion, conclusionsOfPair, type Conclusion } from "./conclusion.ts";
import type { EvaluationName } from "./names.ts";
import { scoreOf, shownType, type Score } from "./score.ts";
import { plainText, type Sentence } from "./sentence.ts";
import { claimOf, isDecided, standingOf } from "./standings.ts";

/** Who is compared with whom, by ids. */
export interface Side {
  readonly baseline: string;
  readonly candidate: string;
}

/** An answer, what was asked for, and labels by evaluation id. */
export interface Compared {
  readonly answer: ComparisonAnswer;
  readonly request: CompareRequest;
  /** In the order of the answer. */
  readonly sides: readonly Side[];
  readonly names: ReadonlyMap<string, string>;
  /** How values of slices are called in sentences; as they are by default. */
  readonly told?: ComparisonTerms["told"];
}

/** Who is compared with whom in an answer. */
export function comparedSides({ comparisons }: ComparisonAnswer): Side[] {
  const sides = comparisons.map(({ baseline, candidate }) => ({ baseline, candidate }));
  return [...new Map(sides.map((side) => [JSON.stringify(side), side])).values()];
}

/** The score of a comparison, with what the request says of it. */
export function scoreAt({ request }: Compared, one: Comparison): Score {
  return scoreOf(one, shownType(one), request);
}

/** The claim of one comparison, and its figures. */
export function claimWithFigures(compared: Compared, one: Comparison): string {
  const score = scoreAt(compared, one);
  const [candidate, baseline] = [nameOf(compared, one.candidate), nameOf(compared, one.baseline)];
  const claim = plainText(claimOf(standingOf(one), candidate, baseline, score));
  const figures = claimFigures(one, score, termsOf(compared));
  const claims = notWorseSentences(one, [candidate, baseline], score, termsOf(compared)).map(plainText);
  return [claim, ...(figures === null ? [] : [figures]), ...claims].join(" ");
}

/**
 * What is concluded against each baseline, in the order of the answer: of several candidates in each score, of one with
 * the scores in which it stands alike together.
 */
export function conclusionsOf(compared: Compared): Conclusion[] {
  const { answer, sides } = compared;
  return [...grouped(answer.comparisons, ({ baseline }) => baseline)].flatMap(([baseline, own]) => {
    const candidates = sides.filter((side) => side.baseline === baseline);
    if (candidates.length === 1) return pairConclusions(compared, own);
    const dimensions = grouped(own, ({ scorer_key, path }) => JSON.stringify([scorer_key, path]));
    return [...dimensions.values()].map((comparisons) => conclusionOf(compared, comparisons));
  });
}

function pairConclusions(compared: Compared, comparisons: readonly Comparison[]): Conclusion[] {
  const scored = comparisons.map((comparison) => ({ comparison, score: scoreAt(compared, comparison) }));
  return conclusionsOfPair(scored, (id) => nameOf(compared, id), termsOf(compared));
}

/** The conclusions as lines: a headline, and indented what it rests on. `spoken` makes a line of a sentence. */
export function conclusionLines(compared: Compared, spoken = plainLine): string[] {
  return conclusionsOf(compared).flatMap((one) => conclusionText(one, spoken));
}

/** The same where several pairs are compared, but for what is neither improved nor regressed nor moved. */
export function decidedLines(compared: Compared, spoken = plainLine): string[] {
  return conclusionsOf(compared).flatMap(({ headline, sentences }) => {
    const decided = sentences.filter(({ standing }) => standing !== null && isDecided(standing));
    return decided.length === 0 ? [] : conclusionText({ headline, sentences: decided }, spoken);
  });
}

/** What changed beside the scores, one line a pair, with its name where there are several. */
export function changeLines(
  { answer: { changes }, names }: Pick<Compared, "answer" | "names">,
  told: (name: string) => string = oneLine,
): string[] {
  return changes.map(({ candidate, text }) => {
    const name = changes.length > 1 ? `${told(names.get(candidate) ?? candidate)}: ` : "";
    return `changed: ${name}${text}`;
  });
}

/** One conclusion as lines. */
export function conclusionText({ headline, sentences }: Conclusion, spoken = plainLine): string[] {
  return [spoken(headline), ...sentences.map(({ mark, sentence }) => `  ${mark} ${spoken(sentence)}`)];
}

function plainLine(sentence: Sentence): string {
  return oneLine(plainText(sentence));
}

/** Means are those on the shared rows. The baseline has one only where it is the same for all candidates. */
function conclusionOf(compared: Compared, comparisons: readonly Comparison[]): Conclusion {
  const baseline = comparisons[0]?.baseline ?? "";
  const shared = comparisons.filter(({ n_common }) => n_common > 0);
  const [first = comparisons[0]] = shared;
  const isPass = shared.every((one) => shownType(one) === "binary");
  const direction = shared.map((one) => one.direction).find((one) => one !== null) ?? null;
  const means = new Set(shared.map(({ baseline_mean }) => baseline_mean));
  const [mean = null] = means.size === 1 ? means : [];
  const shown = (id: string, row_mean: number | null, comparison: Comparison | null) => {
    const stats = { row_mean, confidence_interval: null, scored_row_count: comparison?.n_common ?? 0 };
    return { name: nameOf(compared, id), stats, comparison };
  };
  return conclusion({
    evaluations: [
      shown(baseline, mean, null),
      ...compared.sides
        .filter((side) => side.baseline === baseline)
        .map(({ candidate: id }) => {
          const own = comparisons.find(({ candidate }) => candidate === id) ?? null;
          return shown(id, own?.candidate_mean ?? null, own);
        }),
    ],
    baseline,
    score:
      first === undefined
        ? null
        : scoreOf({ ...first, direction }, isPass ? "binary" : "continuous", compared.request),
    compared: true,
    withBest: false,
    ...termsOf(compared),
  });
}

/** What the comparisons were asked for with. */
export function termsOf({ answer, request, told }: Compared): ComparisonTerms {
  const { confidence, family_size: familySize, adjust, slicing } = answer;
  return { confidence, margin: request.margin ?? null, familySize, adjust, slicing, told };
}

function nameOf({ names }: Compared, id: string): EvaluationName {
  const text = names.get(id) ?? id;
  return { id, text, full: text };
}

/** The answer where nothing is compared. */
export const NOTHING_COMPARED: ComparisonAnswer = {
  confidence: 0.95,
  adjust: "holm",
  family_size: 0,
  comparisons: [],
  changes: [],
  ranks: null,
  warnings: [],
};
