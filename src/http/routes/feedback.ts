import { jsonAnswer } from "../wire/answer.ts";
import { decodeBody, parseBody, readBody } from "../wire/body.ts";
import { checkProject } from "../keys/credentials.ts";
import type { Endpoint, Route } from "./route.ts";
import type { Service } from "./service.ts";

const MAX_DEPTH = 256;

/** `/feedback/create`. */
export function feedbackRoutes(service: Service): Route[] {
  return [{ path: "/feedback/create", method: "POST", access: "basic", endpoint: create(service) }];
}

function create({ engine, limits }: Service): Endpoint {
  return async ({ raw, trace }, principal) => {
    const body = await readBody(raw, limits.other);
    trace.bytesIn = body.length;
    const text = decodeBody(body);
    parseBody(text, JSON.parse, MAX_DEPTH);
    const stored = await engine.feedback.createJson(text, {
      userId: principal.user,
      authorize(projectId) {
        checkProject(principal, projectId);
        trace.project = projectId;
      },
    });
    return jsonAnswer(stored);
  };
}
