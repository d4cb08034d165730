import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import type { Answers } from "../answers.ts";
import type { RowQuery, RowSource } from "../rows/row-source.ts";
import { detailOf, lineOf } from "./read-rows.ts";
import { PAGE_ROWS, rowPages } from "./row-pages.ts";
import { rowRequest, rowsRequest, type RowsAsked } from "./rows-request.ts";
import { projectPath, type Service } from "./service.ts";

/** The rows of a service, and the request that answers a question about them. */
export interface ServiceRows extends RowSource {
  readonly requestOf: (query: RowQuery) => EvalResultsRequest;
}

/** Rows that were asked for with the answers. */
export interface FirstRows {
  readonly request: EvalResultsRequest;
  /** Null where they did not come. */
  readonly response: Promise<EvalResultsResponse | null>;
}

/** Rows of a project that a service has; those that come with the answers are not asked for a second time. */
export function serviceRows(
  service: Service,
  answers: Answers,
  firstRows: FirstRows | null = null,
): ServiceRows {
  const { project, summary, whole, request: scope } = answers;
  const evaluations = answers.evaluations.map(({ id }) => id);
  const asked: RowsAsked = { evaluations, scope };
  let coming = firstRows;
  const ask = async (body: EvalResultsRequest, signal: AbortSignal): Promise<EvalResultsResponse> => {
    const path = projectPath(project, "eval_results/query");
    const isComing = coming !== null && JSON.stringify(coming.request) === JSON.stringify(body);
    const come = isComing ? await coming?.response : null;
    // What was shown once may have changed.
    if (isComing) coming = null;
    return come ?? ((await service.post(path, body, signal)) as EvalResultsResponse);
  };
  return {
    requestOf: (query) => rowsRequest(asked, query),
    find: async (query, signal) => {
      const question = rowsRequest(asked, query);
      const lines = ({ rows }: EvalResultsResponse) =>
        rows.map((row) => lineOf(row, evaluations, query.score));
      const first = await ask({ ...question, limit: PAGE_ROWS }, signal);
      const pages = rowPages(lines(first), async (page, wanted) =>
        lines(await ask({ ...question, limit: PAGE_ROWS, offset: page * PAGE_ROWS }, wanted)),
      );
      return { count: first.total_rows, total: (whole ?? summary).row_count, ...pages };
    },
    detail: async (digest, signal) => {
      const { rows } = await ask(rowRequest(asked, digest), signal);
      return rows[0] === undefined ? null : detailOf(rows[0], evaluations);
    },
  };
}
