import { directionIn, type Direction, type Directions } from "../model/direction.ts";
import { splitFieldPath } from "../model/field-path.ts";
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
  /** Which way is good; null where nobody says. */
  readonly direction: Direction;
  /** Whether `direction` is `lower`. */
  readonly lower_is_better: boolean;
}

/** Where a score stands, by the names that answers use. */
interface Dimension {
  readonly scorer_key: string;
  readonly path: string | null;
  readonly unit?: "money" | undefined;
  /** As the answer says it; where it says nothing, requests and evaluations do. */
  readonly direction?: Direction | undefined;
  /** Which side of a number of steps is better where nobody says it; absent of scores. */
  readonly better?: "lower" | null | undefined;
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

/** What says which scores are meant, and which way they are good. */
export interface Naming {
  readonly scorers?: readonly string[] | null | undefined;
  readonly lower_is_better?: readonly string[] | null | undefined;
  readonly higher_is_better?: readonly string[] | null | undefined;
  /** What evaluations say, those that count first. */
  readonly stated?: readonly Directions[] | undefined;
}

/** A dimension of an answer with what is said of it; of costs less is better. */
export function scoreOf(dimension: Dimension, type: ValueType, naming: Naming): Score {
  const value_type = dimension.unit === "money" ? "money" : type;
  const lower = isAmong(dimension, naming.lower_is_better ?? []);
  const higher = isAmong(dimension, naming.higher_is_better ?? []);
  const { scorer_key, path } = dimension;
  const direction =
    dimension.direction ??
    (lower ? "lower" : higher ? "higher" : statedOf(dimension, naming)) ??
    dimension.better ??
    USUAL[value_type];
  return {
    scorer_key,
    path,
    key: scoreKey(dimension),
    name: scoreName(dimension),
    value_type,
    named: lower || higher || isAmong(dimension, naming.scorers ?? []),
    direction,
    lower_is_better: direction === "lower",
  };
}

/** Which way values are good of which nobody says it. */
const USUAL = { binary: "higher", continuous: null, money: "lower" } as const;

function statedOf({ scorer_key, path }: Dimension, { stated = [] }: Naming): Direction {
  const place = path === null ? [scorer_key] : [scorer_key, ...path.split(".")];
  return stated.map((one) => directionIn(one, place)).find((one) => one !== null) ?? null;
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
    const segments = splitFieldPath(name);
    const isNamed = segments.length > 1 || segments[0] === dimension.scorer_key;
    return name !== "" && isNamed && whole.startsWith(`${segments.join(".")}.`);
  });
}

/** Whether "better" can be said. */
export function hasGoodSide({ direction }: Pick<Score, "direction">): boolean {
  return direction !== null;
}

/** The name of a score as a part of a sentence. */
export function scorePart({ name }: Score): Name {
  return { text: name, full: name };
}
