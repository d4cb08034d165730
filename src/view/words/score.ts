import { parseFieldPath } from "../../model/field-path.ts";
import type { ValueType } from "./figures.ts";
import type { Name } from "./sentence.ts";

/** A score dimension, with what a request says of it. */
export interface Score extends Dimension {
  /** As in a request, where a dot in a name is no end of it: `judge.helpfulness`. */
  readonly key: string;
  /** `judge.helpfulness`. */
  readonly name: string;
  readonly value_type: ValueType;
  /** Whether the request named it, in `scorers` or on which side it is better. */
  readonly named: boolean;
  readonly lower_is_better: boolean;
  /** Whether the request says so; of true and false it goes without saying. */
  readonly higher_is_better: boolean;
}

/** Where a score stands, by the names that answers use. */
interface Dimension {
  readonly scorer_key: string;
  readonly path: string | null;
  readonly unit?: "money" | undefined;
}

/** How values are shown: numbers that are all 0 or 1 as true and false are. */
export function shownType(one: {
  readonly value_type: "continuous" | "binary" | "text";
  readonly rate?: boolean | undefined;
  readonly unit?: "money" | undefined;
}): ValueType {
  if (one.unit === "money") return "money";
  return one.value_type === "binary" || one.rate === true ? "binary" : "continuous";
}

/** The members of a request that say which scores are meant, and which way they are good. */
export interface Naming {
  readonly scorers?: readonly string[] | null | undefined;
  readonly lower_is_better?: readonly string[] | null | undefined;
  readonly higher_is_better?: readonly string[] | null | undefined;
}

/** A dimension of an answer with what the request says of it; of costs less is better. */
export function scoreOf(dimension: Dimension, type: ValueType, naming: Naming): Score {
  const isMoney = dimension.unit === "money";
  const lower = isMoney || isAmong(dimension, naming.lower_is_better ?? []);
  const higher = isAmong(dimension, naming.higher_is_better ?? []);
  const { scorer_key, path } = dimension;
  return {
    scorer_key,
    path,
    key: scoreKey(dimension),
    name: scoreName(dimension),
    value_type: isMoney ? "money" : type,
    named: lower || higher || isAmong(dimension, naming.scorers ?? []),
    lower_is_better: lower,
    higher_is_better: higher,
  };
}

/** `judge.helpfulness`, or the scorer alone where the score itself is the value. */
export function scoreName({ scorer_key, path }: Dimension): string {
  return path === null ? scorer_key : `${scorer_key}.${path}`;
}

/** The name of a dimension, as in a request. */
export function scoreKey({ scorer_key, path }: Dimension): string {
  return scoreName({ scorer_key: scorer_key.replaceAll(".", "\\."), path });
}

/** Whether a name of the request, such as `judge` or `judge.score`, stands for the dimension. */
export function isAmong(dimension: Dimension, names: readonly string[]): boolean {
  const whole = `${scoreName(dimension)}.`;
  return names.some((name) => {
    const field = parseFieldPath(`scores.${name}`);
    if ("error" in field || field.segments[0] === undefined) return false;
    return (
      (field.segments.length > 1 || field.segments[0] === dimension.scorer_key) &&
      whole.startsWith(`${field.segments.join(".")}.`)
    );
  });
}

/** Whether "better" can be said: of true and false, and where the request says it; of other numbers nobody said what is good. */
export function hasGoodSide({ value_type: type, lower_is_better, higher_is_better }: Score): boolean {
  return type === "binary" || lower_is_better || higher_is_better;
}

/** The name of a score as a part of a sentence. */
export function scorePart({ name }: Score): Name {
  return { text: name, full: name };
}
