import type { EvalResultsRequest, Filter, SortKey } from "../../request/eval-results-request.ts";
import { fieldText } from "../../model/field-path.ts";
import type { Scope } from "../answers.ts";
import type { RowQuery } from "../rows/row-source.ts";

/** Of which rows a question asks. */
export interface RowsAsked {
  readonly evaluations: readonly string[];
  /** Filters and computed scores of the page. */
  readonly scope: Scope;
  /** Members of inputs, which a search looks into. */
  readonly inputs: readonly string[];
}

/** The request that answers a question about rows; outputs, which may be long, are asked for a row at a time. */
export function rowsRequest(asked: RowsAsked, query: RowQuery): EvalResultsRequest {
  const { evaluations, scope } = asked;
  const filters = [...(scope.filters ?? []), ...searching(asked, query)];
  const sort = sorting(evaluations, query);
  return {
    ...scope,
    evaluation_call_ids: evaluations,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_outputs: false,
    ...(filters.length === 0 ? {} : { filters }),
    ...showing(query),
    ...(sort.length === 0 ? {} : { sort_by: sort }),
  };
}

/** The request for one row with all that is known of it. */
export function rowRequest({ evaluations, scope }: RowsAsked, digest: string): EvalResultsRequest {
  const { filters: _filters, filter_logic_operator: _operator, ...rest } = scope;
  const isRow = { $eq: [{ $getField: "row_digest" }, { $literal: digest }] } as const;
  return {
    ...rest,
    evaluation_call_ids: evaluations,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_trial_errors: true,
    filters: [{ query: { $expr: isRow } }],
    limit: 1,
  };
}

function searching({ inputs }: RowsAsked, { search }: RowQuery): Filter[] {
  const substr = { $literal: search.trim() };
  if (substr.$literal === "") return [];
  const fields = [
    ...inputs.map((name) => `inputs.${fieldText([name])}`),
    "output.output",
    "output.model_output",
  ];
  const found = fields.map((field) => ({
    $contains: { input: { $getField: field }, substr, case_insensitive: true },
  }));
  return [{ query: { $expr: { $or: found } } }];
}

type Shown = Pick<EvalResultsRequest, "moved" | "missing">;

function showing({ show, score, baseline, lowerIsBetter }: RowQuery): Shown {
  if (score === null || show === "all") return {};
  const field = `scores.${score}`;
  if (show === "missing") return { missing: { field } };
  if (show === "differ") return { moved: { field, direction: "any" } };
  if (baseline === null) return {};
  return { moved: { field, baseline, direction: (show === "better") === lowerIsBetter ? "down" : "up" } };
}

function sorting(evaluations: readonly string[], { order, score }: RowQuery): SortKey[] {
  // No request can name a scorer whose key is empty.
  if (score === null || score === "" || order === "stored") return [];
  const field = `scores.${score}`;
  const byMean: SortKey = { field, direction: "asc" };
  if (order === "mean") return [byMean];
  if (order === "difference")
    return evaluations.length < 2 ? [byMean] : [{ field, mode: "difference", direction: "desc" }, byMean];
  return [{ field, direction: order.direction, evaluation_call_id: order.evaluation }];
}
