import type { Expression } from "../request/expression.ts";
import type { ScoreExpression } from "../request/score-expression.ts";

/** A query as plain data: which keys, fields and orders; no SQL. Survives `JSON.parse(JSON.stringify(plan))`. */
export interface Plan {
  readonly projectId: string;
  readonly projectKey: number;
  /** Keys of the requested evaluations that have trials to look for, in request order. */
  readonly evaluationKeys: readonly number[];
  /** Their ids, in the same order. */
  readonly evaluationIds: readonly string[];
  /** How many distinct evaluations were requested, those without any trial included. */
  readonly requestedCount: number;
  /** Whether late scores, and what predict and score calls tell, count. */
  readonly includeChildren: boolean;
  /** Some row of the project is spelled in more than one way, or both inline and by reference. */
  readonly mixedRows: boolean;
  /** Score leaves that are computed and not stored. */
  readonly virtualLeaves: readonly VirtualLeaf[];
  readonly filterGroups: readonly (readonly FilterPlan[])[];
  readonly rows: RowsPlan | null;
  readonly summary: SummaryPlan | null;
}

/** A row is kept when, in some group, every filter keeps it; no groups keep all rows. */
export interface FilterPlan {
  readonly condition: Expression<FieldSource>;
  /** Null: no trial can be looked at, and no row is kept. */
  readonly evaluationKeys: readonly number[] | null;
  readonly quantifier: "any" | "all" | "first" | "mean";
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
  /** Whether some row may have several trials in one evaluation. */
  readonly repeated: boolean;
  /** Whether one evaluation was named, so that rows without a trial in it have no value. */
  readonly named: boolean;
}

export interface SummaryPlan {
  readonly intersection: boolean;
  readonly scorePaths: readonly ScorePath[];
  /** What is asked of the rows' values beyond counts and means; null: nothing. */
  readonly rowStatistics: RowStatisticsPlan | null;
}

export interface RowStatisticsPlan {
  readonly uncertainty: boolean;
  /** The k of pass@k and pass^k, ascending. */
  readonly passK: readonly number[];
  /** For each evaluation the most trials that one of its rows has. */
  readonly trialsPerRow: readonly { readonly evaluationKey: number; readonly most: number }[];
}

/** The binary exponent of the largest absolute number at a place of an evaluation. */
export interface Magnitude {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly exponent: number;
}

/** A place in the scores with what is known of the numbers there (binary exponents; null: no non-zero number). */
export interface ScorePath {
  readonly key: number;
  /** Member names, the scorer key first. */
  readonly path: readonly string[];
  readonly exponents: Exponents | null;
  /** Keys of the places on the way to it. */
  readonly ancestors: readonly number[];
}

/** A score leaf whose values a query computes. Its key is negative, and in all else as that of a stored place. */
export type VirtualLeaf = {
  readonly key: number;
  /** Member names, the scorer key first. */
  readonly path: readonly string[];
} & (
  | {
      readonly kind: "derived";
      readonly valueType: "number" | "boolean";
      /** Its leaves are path keys, of stored places and of feedback. */
      readonly expression: ScoreExpression<number>;
    }
  | { readonly kind: "feedback"; readonly feedbackType: string }
);

export interface Exponents {
  readonly max: number;
  readonly min: number;
  readonly lowBit: number;
}

/** Where a field's values are. */
export type FieldSource =
  | { readonly kind: "leaf"; readonly pathKey: number; readonly exponents: Exponents | null }
  /** Inside the scores as JSON: lists, objects, and places that are a leaf in one trial and an object in another. */
  | { readonly kind: "score"; readonly pointer: string }
  /** Inside the whole output of a call, or inside the model output in it. */
  | { readonly kind: "output"; readonly of: "call" | "model"; readonly pointer: string }
  | { readonly kind: "input"; readonly pointer: string }
  | { readonly kind: "digest" }
  | { readonly kind: "missing" };
