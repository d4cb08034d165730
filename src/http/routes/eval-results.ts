import { PROJECT_ID } from "../../model/project-id.ts";
import { stopWith } from "../../inference/upstream/upstream.ts";
import { decodeBody, parseBody, readBody } from "../wire/body.ts";
import { checkProject } from "../keys/credentials.ts";
import { unknownPath } from "../errors/http-error.ts";
import type { Endpoint, Route } from "./route.ts";
import type { Service } from "./service.ts";
import { answerInPieces } from "../wire/streamed-answer.ts";

/** Filters nest; nothing sensible nests deeper. */
const MAX_DEPTH = 256;

/** `/v2/{entity}/{project}/eval_results/query`. */
export function evalResultsRoutes(service: Service): Route[] {
  const path = "/v2/{entity}/{project}/eval_results/query";
  return [{ path, method: "POST", access: "basic", endpoint: query(service) }];
}

function query({ engine, limits }: Service): Endpoint {
  return async ({ raw, trace, params }, principal) => {
    const projectId = projectIdOf(params.get("entity"), params.get("project"));
    checkProject(principal, projectId);
    trace.project = projectId;
    const body = await readBody(raw, limits.other);
    trace.bytesIn = body.length;
    const request = parseBody(decodeBody(body), (text) => JSON.parse(text) as unknown, MAX_DEPTH);
    const stop = stopWith(raw.signal);
    const pieces = engine.streamEvalResults(projectId, request, { signal: stop.signal });
    return answerInPieces(pieces, { trace, stop });
  };
}

/** The path's segments, decoded once; what is not a name leads nowhere. */
function projectIdOf(entity: string | undefined, project: string | undefined): string {
  const projectId = `${entity ?? ""}/${project ?? ""}`;
  if (!PROJECT_ID.test(projectId)) throw unknownPath();
  return projectId;
}
