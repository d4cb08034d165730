import type { EvalResultsRequest, SortKey } from "../../request/eval-results-request.ts";
import { scopeOf, type Answers, type Scope } from "../model/answers.ts";
import { MOST_WITH_OUTPUTS, type RowQuery, type WholeWanted } from "./row-source.ts";

/** Of which rows a question asks. */
export interface RowsAsked {
  readonly evaluations: readonly string[];
  /** Filters and computed scores of the page. */
  readonly scope: Scope;
}

/** Whether rows are asked for with a line of each output. */
export function hasLines(evaluations: readonly string[]): boolean {
  return evaluations.length <= MOST_WITH_OUTPUTS;
}

/** The request that answers a question about rows; more of what is long is asked for a row at a time. */
export function rowsRequest({ evaluations, scope }: RowsAsked, query: RowQuery): EvalResultsRequest {
  const sort = sorting(evaluations, query);
  const search = query.search.trim();
  return {
    ...scope,
    evaluation_call_ids: evaluations,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    long_values: "head",
    ...(hasLines(evaluations)
      ? { include_outputs: "line" as const, include_trial_errors: true }
      : { include_outputs: false }),
    ...(search === "" ? {} : { search }),
    ...showing(query),
    ...(sort.length === 0 ? {} : { sort_by: sort }),
  };
}

/** The request of the rows that a page shows where nothing is chosen but its score. */
export function firstRequest({ evaluations, question, baseline }: Answers, score: string | null) {
  const query = { search: "", show: "all", order: "difference", lowerIsBetter: false } as const;
  return rowsRequest(
    { evaluations: evaluations.map(({ id }) => id), scope: scopeOf(question) },
    { ...query, score, baseline },
  );
}

/** The request for one row with all that is known of it, but for the rest of long values. */
export function rowRequest(asked: RowsAsked, digest: string): EvalResultsRequest {
  return {
    ...oneRow(asked, digest),
    include_raw_data_rows: true,
    include_trial_errors: true,
    include_details: true,
    long_values: "start",
  };
}

/** The request for whole values of one row in one evaluation. */
export function wholeRequest(
  { scope }: RowsAsked,
  evaluation: string,
  { digest, what }: Pick<WholeWanted, "digest" | "what">,
): EvalResultsRequest {
  const isInput = what === "input";
  return {
    ...oneRow({ scope, evaluations: [evaluation] }, digest),
    include_raw_data_rows: isInput,
    include_outputs: !isInput,
  };
}

function oneRow({ evaluations, scope }: RowsAsked, digest: string): EvalResultsRequest {
  const { filters: _filters, filter_logic_operator: _operator, ...rest } = scope;
  const isRow = { $eq: [{ $getField: "row_digest" }, { $literal: digest }] } as const;
  return {
    ...rest,
    evaluation_call_ids: evaluations,
    resolve_row_refs: true,
    filters: [{ query: { $expr: isRow } }],
    limit: 1,
  };
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
  const field = `scores.${score}` as const;
  const byMean: SortKey = { field, direction: "asc" };
  if (order === "mean") return [byMean];
  if (order === "difference")
    return evaluations.length < 2 ? [byMean] : [{ field, mode: "difference", direction: "desc" }, byMean];
  return [{ field, direction: order.direction, evaluation_call_id: order.evaluation }];
}
