import { z } from "zod";
import { scoreName } from "../model/arguments.ts";
import type { InputPath } from "../errors.ts";
import { MOST_STEP_SCORES } from "../model/steps.ts";
import { noStepName, parseFieldPath } from "../model/field-path.ts";
import { meaningless } from "./meaningless.ts";

const MAX_NAMES = 1000;

/** A member that names score dimensions. */
export const names = z.array(scoreName).min(1).max(MAX_NAMES).nullish();

/** A member that names numbers of steps. */
export const stepNames = z.array(scoreName).min(1).max(MOST_STEP_SCORES).nullish();

/** A score dimension, or a scorer with all its dimensions; `loc` is its location in the request. */
export interface NamedPlace {
  readonly name: string;
  readonly path: readonly string[];
  readonly loc: InputPath;
}

interface NamedSides {
  readonly lower_is_better?: readonly string[] | null | undefined;
  readonly higher_is_better?: readonly string[] | null | undefined;
}

/** Reads which side of which dimensions is better. Throws `RequestError` on a name that stands on both sides. */
export function readSides({ lower_is_better: lower, higher_is_better: higher }: NamedSides) {
  const both = (higher ?? []).findIndex((name) => lower?.includes(name));
  if (both !== -1)
    throw meaningless(
      ["higher_is_better", both],
      `${JSON.stringify(higher?.[both])} is named in lower_is_better too`,
    );
  return {
    lowerIsBetter: readDimensions(lower ?? [], "lower_is_better"),
    higherIsBetter: readDimensions(higher ?? [], "higher_is_better"),
  };
}

/** Reads names such as `judge.score`, the value of this member of a request. Throws `RequestError`. */
export function readDimensions(list: readonly string[], member: string): NamedPlace[] {
  return list.map((name, i) => readDimension(name, [member, i]));
}

/** Those of names that may be dimensions of steps. */
export function stepsAmong(places: readonly NamedPlace[]): NamedPlace[] {
  return places.filter(
    ({ path: [first, second] }) => first === "steps" || (first === "evalcube" && second === "steps"),
  );
}

/** Reads names of numbers of steps. Throws `RequestError` on one that may be no such number. */
export function readStepScores(list: readonly string[]): NamedPlace[] {
  const places = readDimensions(list, "step_scores");
  const known = stepsAmong(places);
  const other = places.find((one) => !known.includes(one));
  if (other !== undefined) throw meaningless(other.loc, noStepName(other.name));
  return known;
}

/** Reads a name such as `judge.score`. Throws `RequestError`. */
export function readDimension(name: string, loc: InputPath): NamedPlace {
  const field = parseFieldPath(`scores.${name}`);
  if ("error" in field) throw meaningless(loc, field.error);
  return { name, path: field.segments, loc };
}
