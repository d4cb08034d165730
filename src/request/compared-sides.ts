import { z } from "zod";
import { isByModel } from "../model/field-path.ts";
import { grouped } from "../model/grouped.ts";
import { namesIn, type EvaluationName } from "./evaluation-name.ts";
import { meaningless } from "./meaningless.ts";

/** Who is compared with whom: evaluations by name, later by id, or models. */
export interface Side {
  readonly baseline: EvaluationName;
  readonly candidate: EvaluationName;
}

/** What is done with rows that have the same key on both sides and do not hold the same. */
export type EditedRows = z.output<typeof editedRows>;

export const editedRows = z
  .enum(["compare", "leave_out"])
  .describe("Whether shared rows whose contents differ under one key are compared.");

/** What decides which sides are read at once. */
export interface Grouping {
  /** Whether there is a baseline for each candidate. */
  readonly inPairs: boolean;
  readonly edited_rows?: EditedRows | null | undefined;
  readonly baseline_is_best?: boolean | null | undefined;
  readonly by?: unknown;
}

/**
 * The sides of each baseline; each by itself where edited rows are left out, since these are others in each. Throws
 * `RequestError`.
 */
export function groupSides(
  sides: readonly Side[],
  { inPairs, edited_rows, baseline_is_best, by }: Grouping,
): readonly (readonly Side[])[] {
  checkSides(sides);
  if (inPairs && baseline_is_best === true)
    throw meaningless(["baseline_is_best"], "does not go together with pairs; leave one of them out");
  if (edited_rows !== "leave_out") return [...grouped(sides, (side) => side.baseline.text).values()];
  const other = baseline_is_best === true ? "baseline_is_best" : isByModel(by) ? "by" : null;
  if (other === null) return sides.map((side) => [side]);
  throw meaningless([other], 'does not go together with edited_rows: "leave_out"; leave one of them out');
}

/** Each candidate with the one baseline. */
export function sidesOf(baseline: string, candidates: readonly string[]): Side[] {
  const one = { text: baseline, place: ["baseline"] };
  return namesIn(candidates, "candidates").map((candidate) => ({ baseline: one, candidate }));
}

export function pairedSides(
  pairs: readonly { readonly baseline: string; readonly candidate: string }[],
): Side[] {
  return pairs.map(({ baseline, candidate }, i) => ({
    baseline: { text: baseline, place: ["pairs", i, "baseline"] },
    candidate: { text: candidate, place: ["pairs", i, "candidate"] },
  }));
}

/** Throws `RequestError` on a pair of one evaluation, and on one that is named twice. */
function checkSides(sides: readonly Side[]): void {
  const seen = new Set<string>();
  for (const { baseline, candidate } of sides) {
    const { text, place } = candidate;
    if (text === baseline.text) throw meaningless(place, "the baseline is not compared with itself");
    const pair = JSON.stringify([baseline.text, text]);
    if (seen.has(pair)) throw meaningless(place, `${JSON.stringify(text)} is named twice`);
    seen.add(pair);
  }
}
