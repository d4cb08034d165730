import { z } from "zod";
import { isByModel } from "../model/field-path.ts";
import { grouped } from "../model/grouped.ts";
import type { InputPath } from "../errors.ts";
import { meaningless } from "./meaningless.ts";

/** Who is compared with whom, and where the request says so. */
export interface Side {
  readonly baseline: string;
  readonly candidate: string;
  readonly baselinePlace: InputPath;
  readonly place: InputPath;
}

/** What is done with rows that have the same key on both sides and do not hold the same. */
export type EditedRows = z.output<typeof editedRows>;

export const editedRows = z
  .enum(["compare", "leave_out"])
  .describe("Whether shared rows whose contents differ under one key are compared.");

/** What decides which sides are read at once. */
interface Grouping {
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
  { edited_rows, baseline_is_best, by }: Grouping,
): readonly (readonly Side[])[] {
  if (edited_rows !== "leave_out") return [...grouped(sides, (side) => side.baseline).values()];
  const other = baseline_is_best === true ? "baseline_is_best" : isByModel(by) ? "by" : null;
  if (other === null) return sides.map((side) => [side]);
  throw meaningless([other], 'does not go together with edited_rows: "leave_out"; leave one of them out');
}

/** Each candidate with the one baseline. */
export function sidesOf(baseline: string, candidates: readonly string[]): Side[] {
  return candidates.map((candidate, i) => ({
    baseline,
    candidate,
    baselinePlace: ["baseline"],
    place: ["candidates", i],
  }));
}

/** Pairs as they are named, or as they were made of candidates. */
export function pairedSides(
  paired: readonly { readonly baseline: string; readonly candidate: string }[],
  previous: boolean,
): Side[] {
  return paired.map((pair, i) => ({
    ...pair,
    baselinePlace: previous ? ["baseline"] : ["pairs", i, "baseline"],
    place: previous ? ["candidates", i] : ["pairs", i, "candidate"],
  }));
}

/** Throws `RequestError` on a pair of one evaluation, and on one that is named twice. */
export function checkSides(sides: readonly Side[]): void {
  const seen = new Set<string>();
  for (const { baseline, candidate, place } of sides) {
    if (candidate === baseline) throw meaningless(place, "the baseline is not compared with itself");
    const pair = JSON.stringify([baseline, candidate]);
    if (seen.has(pair)) throw meaningless(place, `${JSON.stringify(candidate)} is named twice`);
    seen.add(pair);
  }
}
