import type { InputPath, RequestError } from "../../errors.ts";
import type { Directions } from "../../model/direction.ts";
import { nameList } from "../../model/messages.ts";
import { didYouMean } from "../../model/nearest.ts";
import { usageFault } from "../../request/meaningless.ts";
import { scorePlace } from "../../model/field-path.ts";
import { scoreName } from "../../words/score.ts";

/** What a trial has in a score; null where it has no value. */
export type Value = number | boolean | null;

/** A score of numbers, or of true and false. */
export interface SuiteScore {
  /** Member names below `scores`, the scorer first. */
  readonly path: readonly string[];
  /** Whether all values are true and false. */
  readonly binary: boolean;
  /** By row, then by trial. */
  readonly values: readonly (readonly Value[])[];
}

/** A mean a trial or a median, and the trials that it is of; null without any. */
export interface Figure {
  readonly value: number | null;
  readonly known: number;
}

/** An evaluation as far as it is compared. */
export interface Suite {
  readonly id: string;
  readonly name: string;
  readonly model: string | null;
  /** The file that a runner found it in; null where none is stated. */
  readonly file: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  /** `name:version` of its dataset; null where none is stated. */
  readonly dataset: string | null;
  /** `name:version` of the scorers that state one. */
  readonly scorers: Readonly<Record<string, string>>;
  /** Texts are compared nowhere. */
  readonly texts: readonly (readonly string[])[];
  /** References to what it names: its model, its dataset, and scorers of which it states a version. */
  readonly references: {
    readonly model: string | null;
    readonly dataset: string | null;
    readonly scorers: Readonly<Record<string, string>>;
  };
  /** Which way it says that its scores are good. */
  readonly directions: Directions;
  /** Mean cost in the currency of the prices, median latency in seconds, mean tokens. */
  readonly figures: Readonly<Record<"cost" | "latency" | "tokens", Figure>>;
  /** What each row used, as {@link readRowUsage} reads it; empty where nobody asks for it. */
  readonly usage: Readonly<Record<"cost" | "latency" | "tokens", readonly (number | null)[]>>;
  /** 16 bytes in hexadecimal that stand for each row. */
  readonly rows: readonly string[];
  /** 7 bytes in hexadecimal that stand for what each row with a key holds; null for a row without. */
  readonly contents: readonly (string | null)[];
  /** The keys of rows, as far as they are known: no saved baseline has them. */
  readonly keys: ReadonlyMap<string, string>;
  /** Whether trials are in error, by row, then by trial. */
  readonly errors: readonly (readonly boolean[])[];
  readonly scores: readonly SuiteScore[];
}

/** `judge.helpfulness`. */
export function pathName(path: readonly string[]): string {
  return scoreName(scorePlace(path));
}

/** The fault of a command line that names a score which no evaluation has. */
export function unknownScore(loc: InputPath, name: string, suites: readonly Suite[]): RequestError {
  const names = new Set(suites.flatMap(({ scores }) => scores.map(({ path }) => pathName(path))));
  const near = didYouMean(name, names) || `; there are ${nameList([...names])}`;
  return usageFault(
    loc,
    `no trial has a score ${JSON.stringify(name)} of numbers or of true and false${near}`,
  );
}

/** The same score in another evaluation. */
export function sameScore({ scores }: Suite, { path }: SuiteScore): SuiteScore | undefined {
  return scores.find((one) => JSON.stringify(one.path) === JSON.stringify(path));
}

/** The values that a score has on the rows of another evaluation, by row of that one; none where it has none. */
export function valuesOn(
  rows: readonly string[],
  suite: Suite,
  score: SuiteScore | undefined,
): (readonly (number | boolean)[])[] {
  const places = new Map(suite.rows.map((row, i) => [row, i]));
  return rows.map((row) => (score?.values[places.get(row) ?? -1] ?? []).filter((value) => value !== null));
}
