import { RequestError } from "../errors.ts";
import { ExpressionFault } from "./expression-tokens.ts";
import type { NamedLeaf, ScoreExpression } from "../model/score-expression.ts";

/** A derived score of a request: its name, and its expression as sent. */
export interface DerivedScoreText {
  readonly name: string;
  readonly text: string;
}

export interface DerivedScore {
  readonly name: string;
  readonly expression: ScoreExpression<NamedLeaf>;
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
  if (scores.length === 0) return [];
  // Only requests with derived scores wait for the import of mathjs.
  const { parseScoreExpression } = await import("./parse-score-expression.ts");
  return scores.map(({ name, text }) => {
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
