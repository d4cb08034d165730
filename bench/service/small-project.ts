export const PROJECT = "acme/qa";

const ROWS = 100;
const EVALUATIONS = ["e1", "e2"];

/** A page of ten rows of two evaluations. */
export const PAGE = { evaluation_call_ids: EVALUATIONS, limit: 10 };

/** A page of ten rows with a filter and a place that no other has. */
export function filteredPage(at: number): object {
  const better = { $gt: [{ $getField: "scores.similarity" }, { $literal: at * 1e-9 }] };
  return { ...PAGE, filters: [{ query: { $expr: better } }], offset: at % 90 };
}

const SORTS = [
  [],
  [{ field: "scores.similarity", direction: "desc" }],
  [{ field: "scores.similarity", direction: "asc", mode: "difference" }],
  [{ field: "inputs.question", direction: "asc" }],
];

/** How many requests {@link dashboardPage} has. */
export const DASHBOARD_PAGES = 200;

/** What readers of one dashboard turn to: ten pages under four orders and five filters, with the summary. */
export function dashboardPage(at: number): object {
  const least = { $gte: [{ $getField: "scores.similarity" }, { $literal: (Math.floor(at / 40) % 5) / 10 }] };
  return {
    ...PAGE,
    include_summary: true,
    sort_by: SORTS[Math.floor(at / 10) % SORTS.length],
    filters: [{ query: { $expr: least } }],
    offset: (at % 10) * 10,
  };
}

/** Nothing but the summary of two evaluations. */
export const SUMMARY = { evaluation_call_ids: EVALUATIONS, include_rows: false, include_summary: true };

/** Two evaluations of a hundred rows. */
export function smallProject(): object[] {
  return EVALUATIONS.flatMap((evaluation) => {
    const common = {
      project_id: PROJECT,
      started_at: "2026-01-01T00:00:00Z",
      ended_at: "2026-01-01T00:00:01Z",
    };
    const trials = Array.from({ length: ROWS }, (_, at) => ({
      ...common,
      id: `${evaluation}-${at}`,
      parent_id: evaluation,
      op_name: "Evaluation.predict_and_score",
      inputs: { example: { question: `question ${at}` } },
      output: { output: `answer ${at}`, scores: { correct: at % 3 === 0, similarity: at / ROWS } },
    }));
    return [{ ...common, id: evaluation, op_name: "Evaluation.evaluate" }, ...trials];
  });
}
