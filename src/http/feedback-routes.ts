import { parseJson, writeJson } from "../model/json.ts";
import { jsonAnswer } from "./answer.ts";
import { decodeBody, parseBody, readBody } from "./body.ts";
import { checkProject } from "./credentials.ts";
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
    const record: unknown = parseBody(decodeBody(body), parseExactly, MAX_DEPTH);
    const stored = await engine.feedback.create(record, {
      userId: principal.user,
      authorize(projectId) {
        checkProject(principal, projectId);
        trace.project = projectId;
      },
    });
    const { id, created_at, svc_user_id, payload } = stored;
    return jsonAnswer(writeJson({ id, created_at, svc_user_id, payload }));
  };
}

/** With every digit, unless a text is so long that it cannot be read so; its payload is too large anyway. */
function parseExactly(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text) as unknown;
    throw error;
  }
}
