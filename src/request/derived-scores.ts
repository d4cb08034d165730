import { RequestError } from "../errors.ts";
import { ExpressionFault } from "./expression-tokens.ts";
import { meaningless } from "./meaningless.ts";
import type { NamedLeaf, ScoreExpression } from "../model/score-expression.ts";
import { readDimension, type NamedPlace } from "./named-places.ts";
import type { DerivedScoreWire } from "./wire.ts";

/** A derived score of a request: its name, and its expression as sent. */
interface ExpressionText {
  readonly name: string;
  readonly text: string;
}

/** A derived score that several raters make together. */
export interface ConsensusScore {
  readonly name: string;
  readonly consensus: {
    readonly of: readonly NamedPlace[];
    readonly method: "majority" | "mean" | "dawid-skene";
  };
}

export type DerivedScoreText = ExpressionText | ConsensusScore;

/** A derived score that an expression makes. */
export interface ComputedScore {
  readonly name: string;
  readonly expression: ScoreExpression<NamedLeaf>;
}

export type DerivedScore = ComputedScore | ConsensusScore;

/** Reads the derived scores of a request; expressions are not parsed yet. Throws `RequestError`. */
export function readDerivedScores(scores: Readonly<Record<string, DerivedScoreWire>>): DerivedScoreText[] {
  return Object.entries(scores).map(([name, one]) => {
    if (typeof one === "string") return { name, text: one };
    const { of, method } = one.consensus;
    const loc = ["derived_scores", name, "consensus", "of"];
    const places = of.map((rater, i) => readDimension(rater, [...loc, i]));
    const repeated = places.findIndex(({ path }, i) => places.findIndex((two) => isSame(two.path, path)) < i);
    if (repeated !== -1) throw meaningless([...loc, repeated], "is named twice");
    return { name, consensus: { of: places, method } };
  });
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What was parsed: the groups of a comparison share the scores of their request. */
const parsed = new WeakMap<readonly DerivedScoreText[], Promise<readonly DerivedScore[]>>();

/** Parses the expressions of a request, once. Throws `RequestError` at the first fault. */
export function parseDerivedScores(scores: readonly DerivedScoreText[]): Promise<readonly DerivedScore[]> {
  const made = parsed.get(scores) ?? parseAll(scores);
  parsed.set(scores, made);
  return made;
}

async function parseAll(scores: readonly DerivedScoreText[]): Promise<readonly DerivedScore[]> {
  if (scores.every((one) => "consensus" in one)) return scores;
  // Only requests with expressions wait for the import of mathjs.
  const { parseScoreExpression } = await import("./parse-score-expression.ts");
  return scores.map((one) => {
    if ("consensus" in one) return one;
    const { name, text } = one;
    try {
      return { name, expression: parseScoreExpression(text) };
    } catch (error) {
      if (error instanceof ExpressionFault) throw derivedScoreError(name, error);
      throw error;
    }
  });
}

export function derivedScoreError(name: string, { message, position }: ExpressionFault): RequestError {
  const issue = {
    loc: ["derived_scores", name],
    msg: `at character ${position}: ${message}`,
    type: "invalid_expression",
  };
  return new RequestError("meaning", [issue]);
}
