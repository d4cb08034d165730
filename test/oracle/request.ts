import type { RowField } from "../../src/index.ts";

// The request of the evaluation-results query; null, where it is allowed, means left out.

export type SortKey = {
  readonly field: RowField;
  readonly direction?: "asc" | "desc" | null;
  readonly evaluation_call_id?: string | null;
  readonly mode?: "value" | "difference";
};

export type Literal = { readonly $literal: string | number | boolean | null };
export type GetField = { readonly $getField: string };
export type Convert = {
  readonly $convert: {
    readonly input: Operand;
    readonly to: "double" | "int" | "string" | "bool" | "exists";
  };
};
export type Comparator = "$eq" | "$gt" | "$gte" | "$lt" | "$lte";
export type Pair = readonly [Operand, Operand];

export type Operation =
  | { readonly $and: readonly Operand[] }
  | { readonly $or: readonly Operand[] }
  | { readonly $not: readonly [Operand] | Operand }
  | { readonly $eq: Pair }
  | { readonly $gt: Pair }
  | { readonly $gte: Pair }
  | { readonly $lt: Pair }
  | { readonly $lte: Pair }
  | { readonly $in: readonly [Operand, readonly Operand[]] }
  | {
      readonly $contains: {
        readonly input: Operand;
        readonly substr: Operand;
        readonly case_insensitive?: boolean | null;
      };
    }
  | {
      readonly $regex: {
        readonly input: Operand;
        readonly pattern: { readonly $literal: string };
        readonly case_insensitive?: boolean | null;
      };
    };

export type Operand = Literal | GetField | Convert | Operation;

export type Filter = {
  readonly query: { readonly $expr: Operation };
  readonly evaluation_call_id?: string | null;
  readonly quantifier?: "any" | "all" | "first" | "mean" | null;
};

export type EvalRequest = {
  readonly evaluation_call_ids?: readonly string[] | null;
  readonly evaluation_run_ids?: readonly string[] | null;
  readonly require_intersection?: boolean;
  readonly include_raw_data_rows?: boolean;
  readonly resolve_row_refs?: boolean;
  readonly include_rows?: boolean;
  readonly include_summary?: boolean;
  readonly summary_require_intersection?: boolean | null;
  readonly include_predict_and_score_children?: boolean;
  readonly moved?: {
    readonly field: string;
    readonly baseline?: string | null;
    readonly direction?: "any" | "up" | "down" | null;
  } | null;
  readonly missing?: { readonly field: string } | null;
  readonly search?: string | null;
  readonly include_trial_errors?: boolean | null;
  readonly include_outputs?: boolean | null;
  readonly include_usage?: boolean | null;
  readonly include_row_counts?: boolean | null;
  readonly histogram_bins?: number | null;
  readonly sort_by?: readonly SortKey[] | null;
  readonly filters?: readonly Filter[] | null;
  readonly filter_logic_operator?: "and" | "or" | null;
  readonly limit?: number | null;
  readonly offset?: number;
};
