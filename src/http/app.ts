import { clientGone } from "../inference/errors/api-error.ts";
import { jsonAnswer, type Answer } from "./wire/answer.ts";
import { BodyTooLarge, lingeringBody } from "./wire/body.ts";
import { authenticate } from "./keys/credentials.ts";
import { evalResultsRoutes } from "./routes/eval-results.ts";
import { describeFailure, failureBody, isStoreFault } from "./errors/failures.ts";
import { feedbackRoutes } from "./routes/feedback.ts";
import { methodNotAllowed, unknownPath } from "./errors/http-error.ts";
import { inferenceRoutes } from "./routes/inference.ts";
import { publicRoutes } from "./routes/public.ts";
import { matchRoutes, type Route, type RouteMatch, type RouteRequest } from "./routes/route.ts";
import type { Service } from "./routes/service.ts";
import type { Trace } from "./log/trace.ts";
import { trainingRoutes } from "./routes/training.ts";

/** Answers a request; never rejects. */
export type App = (request: Request, trace: Trace) => Promise<Answer>;

/** Every route below `basePath`, and what is answered when none matches or one throws. */
export function createApp(service: Service, basePath: string): App {
  const base = basePath.replace(/\/+$/, "");
  const find = matchRoutes(allRoutes(service, base));
  return async (request, trace) => {
    const path = pathOf(request.url);
    const inner = path.startsWith(base) ? path.slice(base.length) : undefined;
    try {
      return await answer(service, request, trace, { inner, match: find(inner ?? "") });
    } catch (error) {
      return answerFailure(error, request, trace, familyOf(inner));
    }
  };
}

function allRoutes(service: Service, base: string): Route[] {
  return [
    ...publicRoutes(base === "" ? "/" : base),
    ...evalResultsRoutes(service),
    ...feedbackRoutes(service),
    ...inferenceRoutes(service),
    ...trainingRoutes(service),
  ];
}

interface Found {
  /** The path below the base path, undefined when it is not below it. */
  readonly inner: string | undefined;
  readonly match: RouteMatch | undefined;
}

/** Credentials first, then the method, then the endpoint. */
async function answer(service: Service, raw: Request, trace: Trace, found: Found): Promise<Answer> {
  const { inner, match } = found;
  const header = raw.headers.get("authorization");
  if (match === undefined) {
    // Without a key nobody learns which paths exist below /v1.
    if (familyOf(inner) === "v1") authenticate(header, "bearer", service.keyRing());
    throw unknownPath();
  }
  const { route, params } = match;
  trace.route = route.path;
  const request: RouteRequest = { raw, trace, params };
  if (route.access === "public") {
    checkMethod(raw.method, route.method);
    return route.endpoint(request);
  }
  const principal = authenticate(header, route.access, service.keyRing());
  trace.principal = principal;
  checkMethod(raw.method, route.method);
  return route.endpoint(request, principal);
}

function checkMethod(method: string, allowed: "GET" | "POST"): void {
  if (method === allowed || (method === "HEAD" && allowed === "GET")) return;
  throw methodNotAllowed(allowed);
}

/** The path of an absolute address, as it was sent. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return /^[^?#]*/.exec(url.slice(start))?.[0] ?? "";
}

function familyOf(path: string | undefined): "v1" | "plain" {
  return path === "/v1" || path?.startsWith("/v1/") === true ? "v1" : "plain";
}

function answerFailure(error: unknown, request: Request, trace: Trace, family: "v1" | "plain"): Answer {
  // Whatever it was that failed, nobody waits for the answer any more.
  const cause = request.signal.aborted ? clientGone(error) : error;
  const failure = describeFailure(cause, trace.issuePart, trace.requestId);
  if (failure.status === 500 || isStoreFault(error)) trace.fault(error);
  const body = failureBody(failure, family);
  const refusal = jsonAnswer(body, failure.headers, failure.status);
  if (!(error instanceof BodyTooLarge) || error.rest === undefined) return refusal;
  return { ...refusal, body: lingeringBody(body, error.rest) };
}
