import { parseJson } from "../../model/json.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import type { QueryContext } from "../context.ts";
import { checkQuery } from "../../flow/check-options.ts";
import { generatePieces } from "../../flow/pieces.ts";
import { queryEvalResults, type QueryOptions } from "./query.ts";

/** Yields the response in pieces, made as they are read. */
export async function* streamAnswer(
  context: QueryContext,
  projectId: string,
  request: unknown,
  options: QueryOptions,
): AsyncGenerator<string, void, undefined> {
  checkQuery(projectId, options);
  yield* generatePieces<string>(
    (write, signal) => queryEvalResults(context, projectId, request, write, signal),
    context.store.closing,
    options.signal,
  );
}

/** Returns the response as one JSON text. */
export async function writeAnswer(
  context: QueryContext,
  projectId: string,
  request: unknown,
  options: QueryOptions,
): Promise<string> {
  checkQuery(projectId, options);
  const pieces: string[] = [];
  await queryEvalResults(context, projectId, request, (piece) => void pieces.push(piece), options.signal);
  return pieces.join("");
}

/** Returns the response as plain objects. */
export async function readAnswer(
  context: QueryContext,
  projectId: string,
  request: EvalResultsRequest,
  options: QueryOptions,
): Promise<EvalResultsResponse> {
  const text = await writeAnswer(context, projectId, request, options);
  await context.store.turns.take();
  const response: unknown = parseJson(text);
  return response as EvalResultsResponse;
}
