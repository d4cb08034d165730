import { withoutTrailing } from "../model/plain-line.ts";
import { needOf } from "../model/rights.ts";
import { checkOwnSite, checkRight } from "./keys/credentials.ts";
import { clientGone } from "../inference/errors/api-error.ts";
import { jsonAnswer, type Answer } from "./wire/answer.ts";
import { BodyTooLarge, lingeringBody } from "./wire/body.ts";
import { describeFailure, failureBody, isStoreFault } from "./errors/failures.ts";
import { methodNotAllowed, unknownPath, HttpError } from "./errors/http-error.ts";
import { allRoutes } from "./all-routes.ts";
import { feedbackRoutes } from "./routes/feedback.ts";
import { listEvaluationsRoute } from "./routes/results/lists.ts";
import { queryResults } from "./routes/results/query.ts";
import { allows, matchRoutes, type RouteMatch, type RouteRequest } from "./routes/route.ts";
import type { Service } from "./routes/service.ts";
import { pageFor, pageRoutes } from "./view/page-routes.ts";
import { withVersions } from "./weave/evaluation-routes.ts";
import { refusalOf } from "./weave/refused.ts";
import { BELOW_TRACES, weaveRoutes } from "./weave/weave-routes.ts";
import type { Trace } from "./log/trace.ts";

/** Answers a request; never rejects. */
export type App = (request: Request, trace: Trace) => Promise<Answer>;

/** Serves every route below `basePath`, and answers requests that match no route or whose route throws. */
export function createApp(service: Service, basePath: string): App {
  const base = withoutTrailing(basePath, "/");
  const page = service.page === undefined ? [] : pageRoutes(service.page);
  const all = allRoutes(base === "" ? "/" : base);
  const find = findBelowTraces(
    matchRoutes([...all, ...page]),
    matchRoutes([...weaveRoutes, ...feedbackRoutes, withVersions(listEvaluationsRoute), queryResults]),
  );
  return async (request, trace) => {
    const path = pathOf(request.url);
    const inner = path.startsWith(base) ? path.slice(base.length) : undefined;
    try {
      return await answer(service, request, trace, { inner, match: find(inner ?? "", request.method) });
    } catch (error) {
      return answerFailure(error, request, trace, familyOf(inner));
    }
  };
}

type Find = ReturnType<typeof matchRoutes>;

/** What SDKs of W&B Weave call is below `/traces` as well. */
function findBelowTraces(find: Find, findTraced: Find): Find {
  return (path, method) => find(path, method) ?? findTraced(withoutTraces(path), method);
}

interface Found {
  /** The path below the base path; undefined when the request is outside it. */
  readonly inner: string | undefined;
  readonly match: RouteMatch | undefined;
}

/** Checks the credentials, then the method and what the key may do, then runs the endpoint. */
async function answer(service: Service, raw: Request, trace: Trace, found: Found): Promise<Answer> {
  const { inner, match } = found;
  const isAllowed = match !== undefined && allows(match.route.method, raw.method);
  const refusal = isAllowed ? undefined : refusalOf(raw.method, withoutTraces(inner ?? ""));
  if (refusal !== undefined) {
    trace.principal = await service.authenticate(raw, "basic");
    return notStored(refusal);
  }
  if (match === undefined) {
    const page = service.page === undefined ? null : pageFor(raw, inner);
    if (page !== null) return page;
    // Callers without a key cannot find out which paths exist below /v1.
    if (familyOf(inner) === "v1") await service.authenticate(raw, "bearer");
    throw notOffered(raw.method, inner ?? "") ?? unknownPath();
  }
  const { route, params, methods } = match;
  trace.route = route.path;
  const request: RouteRequest = { raw, trace, params, turn: service.largeBodies() };
  if (route.access === "public") {
    if (!isAllowed) throw methodNotAllowed(raw.method, methods);
    return await route.run(request, service);
  }
  const principal = await service.authenticate(raw, route.access);
  trace.principal = principal;
  if (!isAllowed) throw methodNotAllowed(raw.method, methods);
  checkRight(principal, needOf(route.method, route.path));
  if (route.reads === true) trace.place = service.place();
  else if (raw.method !== "GET" && raw.method !== "HEAD") checkOwnSite(raw);
  // A body is read before, however slowly it comes.
  if (route.method === "GET") await trace.place?.take(raw.signal);
  try {
    return notStored(await route.run(service, request, principal));
  } finally {
    request.turn.end();
  }
}

function withoutTraces(path: string): string {
  return path.startsWith(`${BELOW_TRACES}/`) ? path.slice(BELOW_TRACES.length) : path;
}

/** What one caller was told is for no other, whatever the credentials are; caches know only `Authorization`. */
function notStored(answered: Answer): Answer {
  return { ...answered, headers: { "cache-control": "no-store", ...answered.headers } };
}

/** The path of an absolute URL, undecoded. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return /^[^?#]*/.exec(url.slice(start))?.[0] ?? "";
}

function familyOf(path: string | undefined): "v1" | "plain" {
  return path === "/v1" || path?.startsWith("/v1/") === true ? "v1" : "plain";
}

function answerFailure(error: unknown, request: Request, trace: Trace, family: "v1" | "plain"): Answer {
  // Once the client has gone, that is the cause, whatever failed.
  const cause = request.signal.aborted ? clientGone(error) : error;
  const failure = describeFailure(cause, trace.issuePart, trace.requestId);
  if (failure.status === 500 || isStoreFault(error)) trace.fault(error);
  const body = failureBody(failure, family);
  const refusal = notStored(jsonAnswer(body, failure.headers, failure.status));
  if (!(error instanceof BodyTooLarge) || error.rest === undefined) return refusal;
  return { ...refusal, body: lingeringBody(body, error.rest) };
}

/** Endpoints below /v1 that clients know and this service leaves out: method, path, and what to do instead. */
const NOT_OFFERED: readonly (readonly [method: RegExp, path: RegExp, advice: string])[] = [
  [
    /^POST$/,
    /^\/v1\/preview\/sft-training-jobs\/?$/,
    "its data lie behind an address that this service would have to fetch; use /v1/preview/training-jobs",
  ],
  [
    /^(?:GET|POST|DELETE)$/,
    /^\/v1\/responses\//,
    "the state of responses lies at one model server; send the whole conversation to /v1/responses",
  ],
];

/** The refusal of an endpoint that is left out; undefined for any other. */
function notOffered(method: string, path: string): HttpError | undefined {
  const found = NOT_OFFERED.find(([methods, paths]) => methods.test(method) && paths.test(path));
  if (found === undefined) return undefined;
  const reason = `${method} ${path} is not part of this service: ${found[2]}.`;
  const headers = { "x-should-retry": "false" };
  return new HttpError(404, "not_offered", reason, { type: "not_found_error", headers });
}
