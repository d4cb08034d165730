import { ApiError, invalidMember } from "../errors/api-error.ts";
import type { ModelRequest } from "../request/model-request.ts";
import { mergeModels, serves, type ModelListing, type ModelLists } from "./model-list.ts";
import type { HeaderSource } from "./request-headers.ts";
import type { Upstream } from "./upstream.ts";

/** Chooses the server that answers for a model. */
export interface Router {
  /** Lists the models of the servers that answer; rejects when none does. */
  list(caller: HeaderSource, signal: AbortSignal): Promise<ModelListing>;
  route(model: string, caller: HeaderSource, signal: AbortSignal): Promise<Upstream>;
}

/**
 * A server that names the model comes before servers with `*`. Among several servers with `*` the router chooses the
 * first that lists the model, otherwise the first.
 */
export function createRouter(upstreams: readonly Upstream[], lists: ModelLists): Router {
  const ordered = [...upstreams].sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)));
  return {
    async list(caller, signal) {
      const asked = ordered.map((upstream) => lists.of(upstream, caller, signal));
      const answers = await Promise.allSettled(asked);
      signal.throwIfAborted();
      return mergeModels(ordered, answers);
    },
    async route(model, caller, signal) {
      const candidates = ordered.filter((upstream) => serves(upstream, model));
      const first = candidates[0];
      if (first === undefined) throw modelNotFound(model);
      if (!isOpen(first) || candidates.length === 1) return first;
      return (await firstThatLists(candidates, model, lists, caller, signal)) ?? first;
    },
  };
}

function isOpen(upstream: Upstream): boolean {
  return upstream.config.models.includes("*");
}

async function firstThatLists(
  candidates: readonly Upstream[],
  model: string,
  lists: ModelLists,
  caller: HeaderSource,
  signal: AbortSignal,
): Promise<Upstream | undefined> {
  const listed = await Promise.all(
    candidates.map((upstream) => lists.recent(upstream, caller, signal).catch(() => [])),
  );
  return candidates.find((_, at) => listed[at]?.some((entry) => entry.id === model));
}

/** The model that the request names, otherwise `fallback`; throws without either. */
export function requestedModel(request: ModelRequest, fallback: string | undefined): string {
  const model = request.model ?? fallback;
  if (model === undefined) {
    throw invalidMember("model", "Missing required parameter: 'model'.", "missing_required_parameter");
  }
  return model;
}

function modelNotFound(model: string): ApiError {
  const shown = model.length > 200 ? `${model.slice(0, 200)}…` : model;
  return new ApiError(
    `The model '${shown}' does not exist or is not served here; GET /v1/models lists those that are.`,
    {
      status: 404,
      type: "not_found_error",
      code: "model_not_found",
      param: "model",
    },
  );
}
