import { jsonAnswer } from "../wire/answer.ts";
import { decodeBody, parseBody, readBody } from "../wire/body.ts";
import { callerOf, checkProject, projectOf } from "../keys/credentials.ts";
import { HttpError, unknownPath } from "../errors/http-error.ts";
import type { Principal } from "../keys/key-ring.ts";
import type { Endpoint, Route, RouteRequest } from "./route.ts";
import type { Service } from "./service.ts";

const MAX_DEPTH = 64;
const MAX_IDEMPOTENCY_KEY = 255;
const NO_STORE = { "cache-control": "no-store" };

/** Training jobs, their events, models and checkpoints, all below `/v1/preview`. */
export function trainingRoutes(service: Service): Route[] {
  const get = { method: "GET", access: "bearer" } as const;
  const post = { method: "POST", access: "bearer" } as const;
  return [
    { ...post, path: "/v1/preview/training-jobs", endpoint: createJob(service) },
    { ...get, path: "/v1/preview/training-jobs/{job_id}/events", endpoint: listEvents(service) },
    { ...post, path: "/v1/preview/models", endpoint: registerModel(service) },
    { ...get, path: "/v1/preview/models/{model_id}/checkpoints", endpoint: listCheckpoints(service) },
  ];
}

function createJob(service: Service): Endpoint {
  return async (asked, principal) => {
    const { trace } = asked;
    const { headers } = asked.raw;
    trace.project = projectOf(headers, service.inference.config.project_header, principal);
    const idempotencyKey = idempotencyKeyOf(headers);
    const text = await readText(asked, service.limits.training);
    const request = parseBody(text, (json) => JSON.parse(json) as unknown, MAX_DEPTH);
    const job = await service.engine.training.createJob(request, {
      raw: text,
      keyId: principal.keyId,
      userId: principal.user,
      projectId: trace.project,
      caller: callerOf(principal),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    return jsonAnswer(JSON.stringify({ id: job.id }), { "x-should-retry": "false" });
  };
}

function registerModel(service: Service): Endpoint {
  return async (asked, principal) => {
    const text = await readText(asked, service.limits.other);
    const request = parseBody(text, (json) => JSON.parse(json) as unknown, MAX_DEPTH);
    const model = await service.engine.training.registerModel(request, {
      entity: entityOf(principal),
      authorize(projectId) {
        checkProject(principal, projectId);
        asked.trace.project = projectId;
      },
    });
    return jsonAnswer(JSON.stringify(model));
  };
}

/** The entity of requests that name none: that of the key's projects, or the user's own. */
function entityOf(principal: Principal): string {
  const named = principal.projects.find((pattern) => pattern !== "*");
  return named?.slice(0, named.indexOf("/")) ?? principal.user;
}

function listCheckpoints({ engine }: Service): Endpoint {
  return async (asked, principal) => {
    const modelId = segment(asked, "model_id");
    const page = await engine.training.listCheckpoints(modelId, lastOfEach(asked), callerOf(principal));
    return jsonAnswer(JSON.stringify(page), NO_STORE);
  };
}

function listEvents({ engine }: Service): Endpoint {
  return async (asked, principal) => {
    const jobId = segment(asked, "job_id");
    const page = await engine.training.listEvents(jobId, lastOfEach(asked), callerOf(principal));
    return jsonAnswer(JSON.stringify(page), NO_STORE);
  };
}

async function readText({ raw, trace }: RouteRequest, limit: number): Promise<string> {
  const body = await readBody(raw, limit);
  trace.bytesIn = body.length;
  return decodeBody(body);
}

/** A path segment, decoded once; a slash or a control character in it leads nowhere. */
function segment({ params }: RouteRequest, name: string): string {
  const value = params.get(name) ?? "";
  if (!/^[^/\p{Cc}]+$/u.test(value)) throw unknownPath();
  return value;
}

/** Of repeated query parameters the last counts; an empty `after` counts as none. */
function lastOfEach({ raw, trace }: RouteRequest): Record<string, string> {
  trace.issuePart = "query";
  const query = Object.fromEntries(new URL(raw.url).searchParams);
  if (query["after"] === "") delete query["after"];
  return query;
}

function idempotencyKeyOf(headers: Headers): string | undefined {
  const value = headers.get("idempotency-key") ?? "";
  if (value.length > MAX_IDEMPOTENCY_KEY) {
    const reason = `The Idempotency-Key is longer than ${MAX_IDEMPOTENCY_KEY} characters.`;
    throw new HttpError(400, "invalid_value", reason, { param: "Idempotency-Key" });
  }
  return value === "" ? undefined : value;
}
