import type { Key } from "../model/digest.ts";
import type { Lacking } from "../model/counting.ts";
import type { FeedbackBy, PassKAsked } from "../request/eval-request.ts";
import type { Expression } from "../request/expression.ts";
import type { PriceList } from "../request/wire.ts";
import type { SliceField } from "../request/slice-by.ts";
import type { ScoreExpression } from "../model/score-expression.ts";

/** A query as plain data: keys, fields and orders, no SQL. Survives `JSON.parse(JSON.stringify(plan))`. */
export interface Plan {
  readonly projectId: string;
  readonly projectKey: number;
  /** Keys of the requested evaluations that have trials, in request order. */
  readonly evaluationKeys: readonly number[];
  /** Ids of the same evaluations, in the same order. */
  readonly evaluationIds: readonly string[];
  /** Number of distinct requested evaluations, including those without trials. */
  readonly requestedCount: number;
  /** Whether late scores and the data of predict and score calls count. */
  readonly includeChildren: boolean;
  /** Whether a row of the project has several spellings, or comes both inline and by reference. */
  readonly mixedRows: boolean;
  /** Whether there are so many trials that pages find theirs by an index. */
  readonly manyTrials: boolean;
  /** Whether stubs stand instead of some long texts. */
  readonly longTexts: boolean;
  /** The long texts that a statement reads; null where it reads none. */
  readonly range: TextRange | null;
  /** The long documents of rows with shorter texts, where fields of all rows are grouped by; null elsewhere. */
  readonly shortRows: ShortRows | null;
  /** What long texts say in fields of which numbers are wanted, by the field as JSON. */
  readonly longNumbers: Readonly<Record<string, LongReadings>>;
  /** The same keys, the evaluation that started last first, where some rows of the project have keys; else empty. */
  readonly latestFirst: readonly number[];
  /** Score dimensions that are computed, not stored. */
  readonly virtualLeaves: readonly VirtualLeaf[];
  /**
   * What trials without a value count as in sums and statistics, of each counting asked for. Conditions and orders do
   * not see it.
   */
  readonly countings: readonly CountingPlan[];
  readonly filterGroups: readonly (readonly FilterPlan[])[];
  /** Keeps only rows that moved, beside the filters; null keeps all. */
  readonly moved: MovePlan | null;
  /** Keeps only rows on which an evaluation has no number here, beside the filters; null keeps all. */
  readonly missing: FieldSource | null;
  /** Keeps only rows whose input or outputs hold this text, letter case ignored, beside the filters; null keeps all. */
  readonly search: string | null;
  /** The rows whose long texts hold it. */
  readonly longFound: readonly Key[];
  /** For costs, before the prices of the project; null where costs are not wanted. */
  readonly prices: Prices | null;
  readonly rows: RowsPlan | null;
  readonly summary: SummaryPlan | null;
}

/** Prices of a request, which count before those of the project; `stated`: no price counts, but what calls state. */
export type Prices = PriceList | "stated";

/** Where trials without a value count as one. */
export interface CountingPlan {
  readonly of: Lacking;
  readonly groups: readonly CountedGroup[];
}

/** Dimensions in which trials count as a value in these evaluations. */
export interface CountedGroup {
  readonly evaluationKeys: readonly number[];
  /** 0 number, 1 boolean. */
  readonly kind: number;
  readonly dimensions: readonly CountedPath[];
}

/** A dimension, the path keys above it, and what trials count as there. */
interface CountedPath {
  readonly pathKey: number;
  readonly ancestors: readonly number[];
  readonly number: number;
}

/** A row is kept when every filter of at least one group keeps it. Without groups all rows are kept. */
export interface FilterPlan {
  readonly condition: Expression<FieldSource>;
  /** Evaluations whose trials are tested; null means none, and then no row is kept. */
  readonly evaluationKeys: readonly number[] | null;
  readonly quantifier: "any" | "all" | "first" | "mean";
  /** The trials with long texts that fulfil it; absent until they are read, and for means. */
  readonly longTrue?: readonly Key[];
}

/** Trials of which long texts are read, and the keys of these texts. */
export interface TextRange {
  readonly trialKeys: readonly Key[];
  readonly textKeys: readonly number[];
  /** Whether each of the trials has its output among them. */
  readonly ofOutputs: boolean;
}

/** Documents as JSON, by row. */
interface ShortRows {
  readonly rowKeys: readonly Key[];
  readonly documents: readonly string[];
}

/** What the long texts of trials say in a field; texts in their order, not as they are. */
export interface LongReadings {
  readonly trialKeys: readonly Key[];
  readonly numbers: readonly (number | null)[];
  readonly texts: readonly (string | null)[];
}

/** Compares the means of a row in different evaluations. */
export interface MovePlan {
  readonly field: FieldSource;
  /** null: any two evaluations may differ. */
  readonly baselineKey: number | null;
  readonly direction: "any" | "up" | "down";
  /** False where no row can be kept, since the baseline has no trials. */
  readonly possible: boolean;
  /** Whether a row may have several trials in one evaluation. */
  readonly repeated: boolean;
}

export interface RowsPlan {
  readonly intersection: boolean;
  readonly sortBy: readonly SortPlan[];
  readonly limit: number | null;
  readonly offset: number;
  readonly rawRows: "none" | "references" | "resolved";
}

export interface SortPlan {
  readonly field: FieldSource;
  readonly descending: boolean;
  readonly mode: "value" | "difference";
  readonly evaluationKeys: readonly number[];
  /** Whether a row may have several trials in one evaluation. */
  readonly repeated: boolean;
  /** Whether the sort key names an evaluation; rows without a trial in it then have no value. */
  readonly named: boolean;
  /** What long texts say; absent until they are read. */
  readonly long?: LongReadings;
}

export interface SummaryPlan {
  readonly intersection: boolean;
  readonly scorePaths: readonly ScorePath[];
  /** null without slices. */
  readonly slices: { readonly fields: readonly SliceField[]; readonly most: number } | null;
  /** Statistics of row values beyond counts and means; null where none are requested. */
  readonly rowStatistics: RowStatisticsPlan | null;
}

export interface RowStatisticsPlan {
  readonly uncertainty: boolean;
  /** A JSON pointer into the row whose values are clusters; null where rows are independent. */
  readonly clusterBy: string | null;
  /** Values of k for pass@k and pass^k, ascending. */
  readonly passK: PassKAsked;
  /** Whether latency and tokens are wanted. */
  readonly usage: boolean;
  /** Whether the rows that each evaluation tried are counted. */
  readonly rowCounts: boolean;
  /** Bins of the histograms of row values; null where none are wanted. */
  readonly histogramBins: number | null;
  /** The largest number of trials of a row, for each evaluation. */
  readonly trialsPerRow: readonly { readonly evaluationKey: number; readonly most: number }[];
}

/** The binary exponent of the largest absolute number of a series. */
export interface Magnitude {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly exponent: number;
}

/** A score dimension and the binary exponents of its numbers; `exponents` is null without a non-zero number. */
export interface ScorePath {
  readonly key: number;
  /** Member names, the scorer key first. */
  readonly path: readonly string[];
  readonly exponents: Exponents | null;
  /** Path keys of its ancestors in the scores, the outermost first. */
  readonly ancestors: readonly number[];
  /** Where it is computed; see `traitsOf`. */
  readonly kind?: VirtualLeaf["kind"];
}

/** A score dimension whose values a query computes. Its key is negative, but used like the key of a stored one. */
export type VirtualLeaf = {
  readonly key: number;
  /** Member names, the scorer key first. */
  readonly path: readonly string[];
  /** Where fields alone name it: it is no dimension of an answer. */
  readonly isField?: boolean;
} & (
  | {
      readonly kind: "derived";
      readonly valueType: "number" | "boolean";
      /** Reads path keys of stored and feedback dimensions. */
      readonly expression: ScoreExpression<number>;
    }
  /** What raters say together. */
  | {
      readonly kind: "consensus";
      readonly valueType: "number" | "boolean";
      /** Path keys of stored and feedback dimensions. */
      readonly of: readonly number[];
      readonly numbers: KeyedNumbers;
      /** What there is to say of trials without a value. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: "feedback"; readonly feedbackType: string; readonly by: FeedbackBy }
  /** What trials used, read as if it were a score; never among the scores of a request. */
  | { readonly kind: "usage"; readonly measure: UsageMeasure }
  /** What the steps of trials count; of `faults` fewer are better. */
  | { readonly kind: "steps"; readonly numbers: KeyedNumbers }
  | { readonly kind: "faults"; readonly numbers: KeyedNumbers }
  /** How seldom other evaluations are right on the row: numbers of rows. */
  | { readonly kind: "difficulty"; readonly numbers: KeyedNumbers }
  /** What trials cost. */
  | { readonly kind: "cost"; readonly projectKey: number; readonly prices: Prices }
);

/** One number of each trial or row that has it, as JSON lists: keys of 64 bits stand in no other JSON as they are. */
export interface KeyedNumbers {
  readonly keys: string;
  readonly numbers: string;
}

export function keyedNumbers(found: readonly { readonly key: Key; readonly value: number }[]): KeyedNumbers {
  const keys = found.map(({ key }) => key);
  return { keys: `[${keys.join()}]`, numbers: JSON.stringify(found.map(({ value }) => value)) };
}

/** The columns of `trials` that say what a trial used. */
export type UsageMeasure = "latency_seconds" | "total_tokens";

export interface Exponents {
  readonly max: number;
  readonly min: number;
  readonly lowBit: number;
}

/** The source of a field's values. */
export type FieldSource =
  | { readonly kind: "leaf"; readonly pathKey: number; readonly exponents: Exponents | null }
  /** Inside the scores as JSON: lists, objects, and paths with a single value in one trial and an object in another. */
  | { readonly kind: "score"; readonly pointer: string }
  /** Inside the whole output of a call, or inside the model output that is part of it. */
  | { readonly kind: "output"; readonly of: "call" | "model"; readonly pointer: string }
  | { readonly kind: "input"; readonly pointer: string }
  | { readonly kind: "digest" }
  /** The text by which the error of a trial is grouped. */
  | { readonly kind: "error" }
  /** Why a trial ended. */
  | { readonly kind: "stop_reason" }
  | { readonly kind: "missing" };

/** What a plan has before long texts are read. */
export const NO_LONG_TEXTS = { range: null, shortRows: null, longNumbers: {}, longFound: [] } as const;

/** A field whose value may be, or be inside, a long text. */
export type TextField = Extract<FieldSource, { readonly kind: "output" | "input" }>;

export function mayBeLong(field: FieldSource): field is TextField {
  if (field.kind === "input") return true;
  return (
    field.kind === "output" &&
    (field.of === "model" || /^(?:$|\/(?:model_)?output(?:\/|$))/.test(field.pointer))
  );
}
