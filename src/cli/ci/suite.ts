import type { InputPath, RequestError } from "../../errors.ts";
import type { CompareRequest } from "../../index.ts";
import type { Directions } from "../../model/direction.ts";
import { nameList } from "../../model/messages.ts";
import { didYouMean } from "../../model/nearest.ts";
import { usageFault } from "../../request/meaningless.ts";
import { fieldText, scorePlace, splitFieldPath } from "../../model/field-path.ts";
import { scoreName } from "../../words/score.ts";

/** What a trial has in a score; null where it has no verdict, undefined where it has nothing. */
export type Value = number | boolean | null | undefined;

/** A score of numbers, or of true and false. */
export interface SuiteScore {
  /** Member names below `scores`, the scorer first. */
  readonly path: readonly string[];
  /** Whether all values are true and false. */
  readonly binary: boolean;
  /** Whether it is a number of steps, which is compared only where it is named. */
  readonly steps?: true | undefined;
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
  /** Digests of what each row has in a field, null for a row without it; null where nobody asks for clusters. */
  readonly clusters: { readonly field: string; readonly values: readonly (string | null)[] } | null;
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
  return rows.map((row) => (score?.values[places.get(row) ?? -1] ?? []).filter((value) => value != null));
}

/** What trials without a value count as. */
export type CountsAs = Pick<CompareRequest, "count_errors_as" | "count_nulls_as">;

/** A score of an evaluation with the values that its trials count as. */
export function countedScore({ errors }: Suite, score: SuiteScore, counts: CountsAs): SuiteScore {
  const [error, noVerdict] = [counts.count_errors_as, counts.count_nulls_as].map((as) =>
    countsAs(as, score.path),
  );
  if (error === undefined && noVerdict === undefined) return score;
  const values = score.values.map((trials, row) =>
    trials.map((value, trial) => {
      if (value != null) return value;
      return errors[row]?.[trial] === true ? error : value === null ? noVerdict : undefined;
    }),
  );
  return { ...score, values };
}

/** What trials count as in a score; undefined where they count nowhere. */
export function countsAs(as: CountsAs["count_errors_as"], path: readonly string[]): number | undefined {
  if (as == null || typeof as === "number") return as ?? undefined;
  return Object.entries(as).find(([name]) => isNamed(path, name))?.[1];
}

/** Whether a name among what trials count as is that of a score. */
export function isNamed(path: readonly string[], name: string): boolean {
  return fieldText(splitFieldPath(name)) === fieldText(path);
}
