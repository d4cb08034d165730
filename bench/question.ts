/** How the rows of a page are ordered. Score orders are descending, with missing values last. */
export type RowOrder = "digest" | "mean score" | "score difference";

/** Which rows are kept: one whose trials (any of them) meet the condition. */
export type RowFilter =
  | { readonly kind: "score above"; readonly value: number }
  | { readonly kind: "inputs contain"; readonly text: string }
  | { readonly kind: "outputs contain"; readonly text: string };

/** The part of an evaluation-results request that the benchmark asks, as the hand-written subjects read it. */
export interface Question {
  readonly evaluationIds: readonly string[];
  readonly intersection: boolean;
  readonly filter: RowFilter | null;
  /** Null: the summary alone. */
  readonly page: Page | null;
  readonly summary: boolean;
}

export interface Page {
  readonly order: RowOrder;
  readonly limit: number;
  readonly offset: number;
  readonly rawDataRows: boolean;
}

/** The score that questions sort and filter by, and the fields that they search. */
export const sortedScore = ["judge", "score"] as const;
export const searchedInput = "question";
export const searchedOutput = "answer";

/** The same question as a request of the service. */
export function toRequest(question: Question): Record<string, unknown> {
  const { page, filter } = question;
  return {
    evaluation_call_ids: question.evaluationIds,
    require_intersection: question.intersection,
    include_rows: page !== null,
    include_summary: question.summary,
    ...(page === null ? {} : pageMembers(page)),
    ...(filter === null ? {} : { filters: [{ query: { $expr: filterExpression(filter) } }] }),
  };
}

function pageMembers(page: Page): Record<string, unknown> {
  const field = `scores.${sortedScore.join(".")}`;
  const mode = page.order === "score difference" ? "difference" : "value";
  return {
    limit: page.limit,
    offset: page.offset,
    include_raw_data_rows: page.rawDataRows,
    resolve_row_refs: page.rawDataRows,
    ...(page.order === "digest" ? {} : { sort_by: [{ field, direction: "desc", mode }] }),
  };
}

function filterExpression(filter: RowFilter): unknown {
  if (filter.kind === "score above")
    return { $gt: [{ $getField: `scores.${sortedScore.join(".")}` }, { $literal: filter.value }] };
  const field = filter.kind === "inputs contain" ? `inputs.${searchedInput}` : `outputs.${searchedOutput}`;
  return { $contains: { input: { $getField: field }, substr: { $literal: filter.text } } };
}
