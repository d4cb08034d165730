import type { Json } from "../../model/json.ts";
import type { BesideAnswer } from "../../respond/steps/beside.ts";
import type { HeldSteps } from "../payload/packed-steps.ts";
import type { StepsWanted, TrialSteps } from "./trial-steps.ts";

/** Which rows are shown. */
export type Show = "all" | "differ" | "better" | "worse" | "missing";

/** By the largest difference, by the lowest mean, by digest, or by the values of one evaluation. */
export type Order =
  | "difference"
  | "mean"
  | "stored"
  | { readonly evaluation: string; readonly direction: "asc" | "desc" };

/** Which rows are wanted, and in which order. */
export interface RowQuery {
  /** Text in inputs or outputs, whatever its case; empty: all rows. */
  readonly search: string;
  readonly show: Show;
  readonly order: Order;
  /** The dimension that values, `show` and `order` are about; null where there is none. */
  readonly score: string | null;
  readonly lowerIsBetter: boolean;
  readonly baseline: string | null;
}

/** Where rows come from: a report, or a service. */
export interface RowSource {
  /** The rows of a question; rejects with the reason of the signal. */
  readonly find: (query: RowQuery, signal: AbortSignal) => Promise<RowList>;
  /** All rows of a question with all their trials, some at a time; rejects where they change meanwhile. */
  readonly all: (query: RowQuery, signal: AbortSignal) => AsyncIterable<readonly RowDetail[]>;
  /** One row with all its trials; null where it is not there. */
  readonly detail: (digest: string, signal: AbortSignal) => Promise<RowDetail | null>;
  /** The same with whole values of one evaluation, by its place: its input, or the outputs of its trials. */
  readonly whole: (wanted: WholeWanted, signal: AbortSignal) => Promise<RowDetail | null>;
  /** What a trial did; null where that is left out. */
  readonly steps: (wanted: StepsWanted, signal: AbortSignal) => Promise<TrialSteps | null>;
  /** The same without texts, and of a long trial the beginning. */
  readonly strip: (wanted: StepsWanted, signal: AbortSignal) => Promise<HeldSteps | null>;
  /** What two or three trials have in common; null where that is left out. */
  readonly beside: (trials: readonly StepsWanted[], signal: AbortSignal) => Promise<BesideSteps | null>;
  /** The places of a failing trial, and of the passing one that it follows longest; null without both. */
  readonly pair: (wanted: PairWanted, signal: AbortSignal) => Promise<readonly [number, number] | null>;
}

/** The first lines of trials beside each other. */
export type BesideSteps = Pick<
  BesideAnswer,
  "common_actions" | "first_difference" | "line_count" | "lines" | "warnings"
>;

/** So many of these lines are read at most. */
export const MOST_LINES = 10_000;

/** All trials of a row in one evaluation. */
interface PairWanted {
  readonly success: string;
  readonly trials: readonly (StepsWanted & { readonly passed: boolean | null })[];
}

/** Which values of a row are wanted whole. */
export interface WholeWanted {
  readonly digest: string;
  readonly evaluation: number;
  readonly what: "input" | "outputs";
}

export interface RowList {
  /** Rows of the question. */
  readonly count: number;
  /** Rows without search, `show` and filters. */
  readonly total: number;
  /** Whether lines have outputs. */
  readonly hasOutputs: boolean;
  /** What is known of the row at a place; undefined while it is not there. */
  readonly at: (place: number) => RowLine | undefined;
  /** Asks for the rows from one place up to another; resolves when they are there. */
  readonly need: (from: number, to: number, signal: AbortSignal) => Promise<void>;
  /** The place of a row; null where it is not known to be in the list. */
  readonly placeOf: (digest: string) => number | null;
}

/** A row of the table. */
export interface RowLine {
  readonly digest: string;
  /** The input in one line; null where it is left out. */
  readonly input: string | null;
  /** By evaluation: the mean of the trials, null where none has a value, undefined where the row was not run. */
  readonly values: readonly (number | null | undefined)[];
  /**
   * By evaluation: the output of the first trial in one line, or what it failed with; null where it is left out,
   * undefined where the row was not run. Empty where lines have none.
   */
  readonly outputs: readonly (string | null | undefined)[];
  /** By evaluation: the id of the first trial, as `DetailTrial` has it; undefined where the row was not run. */
  readonly firsts: readonly (string | null | undefined)[];
}

/** With more evaluations, lines have no outputs. */
export const MOST_WITH_OUTPUTS = 4;

/** A row with everything that is known of it but the rest of long values, read when it is looked at. */
export interface RowDetail {
  readonly digest: string;
  /** Undefined where it is left out. */
  readonly input: Json | undefined;
  /** Bytes of JSON of the whole input where `input` is its start; else null. */
  readonly inputBytes: number | null;
  /** Whether `input` is no more than the line of the input. */
  readonly inputCut: boolean;
  /**
   * Of an edited row what each evaluation has of it, undefined where one did not run it or that is left out; null of
   * another row.
   */
  readonly editedInputs: readonly (Json | undefined)[] | null;
  /** Of these, bytes of JSON of the whole where one is the start; else null. Of another row nothing. */
  readonly editedBytes: readonly (number | null)[];
  /** By evaluation; none where the row was not run. */
  readonly trials: readonly (readonly DetailTrial[])[];
}

export interface DetailTrial {
  /** Tells it from the other trials of the row; null where nothing more can be asked of it. */
  readonly id: string | null;
  /** Undefined where it is left out. */
  readonly output: Json | undefined;
  /** Bytes of JSON of the whole output where `output` is its start; else null. */
  readonly outputBytes: number | null;
  /** The output in one line; null where it is left out, undefined where there is none. */
  readonly line: string | null | undefined;
  /** Values by the names of their dimensions. */
  readonly scores: readonly (readonly [name: string, value: Json])[];
  /** One of them, which is read without the others; undefined where nothing is there. */
  readonly score: (name: string) => Json | undefined;
  /** Seconds. */
  readonly latency: number | null;
  readonly tokens: number | null;
  /** What the trial failed with. */
  readonly error: string | null;
  /** What its source tells beside answer and scores; null where there is none, or it is left out. */
  readonly details?: Json;
}
