import type { FieldPath } from "../model/field-path.ts";
import type { DerivedScoreText } from "./derived-scores.ts";

/** A request after the boundary: checked, with defaults, nothing left to doubt. */
export interface EvalRequest {
  /** Without repeats, in the order of the request. */
  readonly evaluationIds: readonly string[];
  readonly requireIntersection: boolean;
  readonly summaryRequireIntersection: boolean;
  readonly includeRows: boolean;
  readonly includeSummary: boolean;
  readonly rawRows: "none" | "references" | "resolved";
  readonly includeChildren: boolean;
  /** Whether feedback counts as scores of the scorer `feedback`. */
  readonly includeFeedback: boolean;
  /** Scores that are computed from others; not read yet. */
  readonly derivedScores: readonly DerivedScoreText[];
  readonly includeUncertainty: boolean;
  /** Ascending, without repeats. */
  readonly passK: readonly number[];
  readonly sortBy: readonly SortKey[];
  readonly filters: readonly Filter[];
  readonly filterLogic: "and" | "or";
  readonly limit: number | null;
  readonly offset: number;
}

export interface SortKey {
  readonly field: FieldPath;
  readonly descending: boolean;
  readonly evaluationId: string | null;
  readonly mode: "value" | "difference";
}

export interface Filter {
  readonly condition: Expression;
  readonly evaluationId: string | null;
  readonly quantifier: "any" | "all" | "first" | "mean";
}

export type Comparison = "eq" | "gt" | "gte" | "lt" | "lte";
export type CastTarget = "double" | "int" | "string" | "bool" | "exists";

export type Expression<Field = FieldPath> =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "field"; readonly field: Field }
  | { readonly kind: "convert"; readonly input: Expression<Field>; readonly to: CastTarget }
  | { readonly kind: "and" | "or"; readonly operands: readonly Expression<Field>[] }
  | { readonly kind: "not"; readonly operand: Expression<Field> }
  | {
      readonly kind: "compare";
      readonly comparison: Comparison;
      readonly left: Expression<Field>;
      readonly right: Expression<Field>;
    }
  | {
      readonly kind: "in";
      readonly operand: Expression<Field>;
      readonly options: readonly Expression<Field>[];
    }
  | {
      readonly kind: "contains";
      readonly input: Expression<Field>;
      readonly substring: Expression<Field>;
      readonly caseInsensitive: boolean;
    };
