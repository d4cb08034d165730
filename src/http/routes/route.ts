import type { Answer } from "../wire/answer.ts";
import type { LargeBodyTurn } from "../wire/places.ts";
import type { Principal } from "../keys/key-ring.ts";
import type { Trace } from "../log/trace.ts";
import type { OpenApiOperation, PublicOperation } from "../openapi/operation.ts";
import type { Service } from "./service.ts";

/** A request with its trace and its path parameters. */
export interface RouteRequest {
  readonly raw: Request;
  readonly trace: Trace;
  /** Path segments by the parameter names of the route, decoded once. */
  readonly params: ReadonlyMap<string, string>;
  readonly turn: LargeBodyTurn;
}

/** An endpoint for authenticated callers: its address, its description and its implementation. */
export interface ProtectedRoute extends OpenApiOperation {
  /**
   * Whether it reads the database and changes nothing: then it waits for a place among the answers under way. Any other
   * POST is refused where a page of another site sends it.
   */
  readonly reads?: true;
  readonly run: (service: Service, request: RouteRequest, principal: Principal) => Promise<Answer>;
}

/** A document that needs no credentials. */
export interface PublicRoute extends PublicOperation {
  readonly run: (request: RouteRequest, service: Service) => Answer | Promise<Answer>;
}

/** A route; the router and the description of the service read the same list of routes. */
export type Route = ProtectedRoute | PublicRoute;

/** A route and the values of its path parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
  /** Methods of all routes at the path. */
  readonly methods: readonly Route["method"][];
}

/**
 * Matches the raw path, then the method; answers the first route of the path where none has the method. Each segment
 * is decoded once, after the split. Hono's router does not fit: it matches a method together with a path,
 * whereas credentials are checked before the method here, and it leaves decoding to the application. `hono` is
 * installed only because its Node adapter requires it.
 */
export function matchRoutes(
  routes: readonly Route[],
): (path: string, method: string) => RouteMatch | undefined {
  const patterns = routes.map((route) => ({ route, names: route.path.split("/") }));
  return (path, method) => {
    const segments = path.split("/").map(decodeSegment);
    const first = patterns.find(({ names }) => matchSegments(names, segments) !== undefined);
    if (first === undefined) return undefined;
    const same = patterns.filter(({ route }) => route.path === first.route.path);
    const { route, names } = same.find((one) => allows(one.route.method, method)) ?? first;
    const params = matchSegments(names, segments) ?? new Map<string, string>();
    return { route, params, methods: same.map((one) => one.route.method) };
  };
}

/** Whether a route of one method takes requests of another: `HEAD` asks as `GET`. */
export function allows(method: Route["method"], asked: string): boolean {
  return method === asked || (asked === "HEAD" && method === "GET");
}

function matchSegments(
  names: readonly string[],
  segments: readonly (string | undefined)[],
): Map<string, string> | undefined {
  if (names.length !== segments.length) return undefined;
  const params = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const segment = segments[at];
    if (segment === undefined) return undefined;
    if (name.startsWith("{")) params.set(name.slice(1, -1), segment);
    else if (name !== segment) return undefined;
  }
  return params;
}

/** Returns undefined when the segment cannot be decoded. */
function decodeSegment(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
