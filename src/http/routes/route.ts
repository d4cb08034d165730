import type { Answer } from "../wire/answer.ts";
import type { Principal } from "../keys/key-ring.ts";
import type { Trace } from "../log/trace.ts";
import type { Operation, PublicOperation } from "../openapi/operation.ts";
import type { Service } from "./service.ts";

/** A request on its way through its route. */
export interface RouteRequest {
  readonly raw: Request;
  readonly trace: Trace;
  /** Segments of the path by the names that the route gives them, decoded once. */
  readonly params: ReadonlyMap<string, string>;
}

/** An endpoint for callers that are known: its address, its description and what it does. */
export interface ProtectedRoute extends Operation {
  readonly run: (service: Service, request: RouteRequest, principal: Principal) => Promise<Answer>;
}

/** A document for everybody. */
export interface PublicRoute extends PublicOperation {
  readonly run: () => Answer;
}

/** The router and the description of the service read the same list of these. */
export type Route = ProtectedRoute | PublicRoute;

/** A route and what its path's segments are. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
}

/**
 * Finds the route of a path. The path is as it was sent: each segment is decoded once, after it is cut. Hono's router
 * does not fit: it finds a method together with a path, but here credentials are checked before the method, and it
 * leaves decoding to its application. `hono` is installed only because its Node adapter asks for it.
 */
export function matchRoutes(routes: readonly Route[]): (path: string) => RouteMatch | undefined {
  const patterns = routes.map((route) => ({ route, names: route.path.split("/") }));
  return (path) => {
    const segments = path.split("/").map(decodeSegment);
    for (const { route, names } of patterns) {
      const params = matchSegments(names, segments);
      if (params !== undefined) return { route, params };
    }
    return undefined;
  };
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

/** Undefined when it cannot be decoded. */
function decodeSegment(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
