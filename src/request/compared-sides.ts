import type { InputPath } from "../errors.ts";
import { meaningless } from "./meaningless.ts";

/** Who is compared with whom, and where the request says so. */
export interface Side {
  readonly baseline: string;
  readonly candidate: string;
  readonly baselinePlace: InputPath;
  readonly place: InputPath;
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
