import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { StoreError } from "../../errors.ts";
import type { Principal } from "../keys/key-ring.ts";

/** A place among the answers under way, for one request. */
export interface AnswerPlace {
  /** Resolves once there is a place; those who wait get theirs in order. Rejects when the client leaves before. */
  readonly take: (client: AbortSignal) => Promise<void>;
  /** Gives the place up; later calls do nothing. */
  readonly leave: () => void;
  /** Whether somebody waits for a place. */
  readonly isWanted: () => boolean;
}

/** The state of a request under way, and the line that is logged at its end. */
export interface Trace {
  readonly requestId: string;
  /** Pattern of the route; set, like `principal`, `project` and `bytesIn`, once it is known. */
  route: string;
  principal: Principal | undefined;
  project: string | null;
  bytesIn: number;
  /** Whether the answer is a stream, which writes the log line when it ends. */
  deferred: boolean;
  /** Its place among the answers under way, until it ends; undefined where it needs none. */
  place: AnswerPlace | undefined;
  /** What was asked for, where one route answers several questions; a name of ours. */
  detail: string | undefined;
  /** The part of the request that schema issues are located in. */
  issuePart: "body" | "query";
  /** Logs an unexpected error, which is never shown in the answer. */
  fault(error: unknown): void;
  /** Logs a fault of a request that is answered nonetheless; nothing in `facts` may be a secret. */
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  /** Writes the log line; later calls do nothing. */
  end(status: number, bytesOut: number, outcome?: string): void;
}

/** Request ids that are accepted: printable ASCII without blanks. Any other id is replaced. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Starts the clock of a request. The request id and the project are the only values of headers, body, query and path
 * that reach the log: the route is logged as its pattern and the key as its fingerprint.
 */
export function startTrace(request: Request, logger: Logger | undefined): Trace {
  const given = request.headers.get("x-request-id");
  const requestId = given !== null && REQUEST_ID.test(given) ? given : randomUUID();
  const start = performance.now();
  const { method } = request;
  let open = true;
  const trace: Trace = {
    requestId,
    route: "unknown",
    principal: undefined,
    project: null,
    bytesIn: 0,
    deferred: false,
    place: undefined,
    detail: undefined,
    issuePart: "body",
    fault(error) {
      logger?.error({ request_id: requestId, route: trace.route, ...describe(error) }, "internal error");
    },
    warn(facts, message) {
      logger?.warn({ request_id: requestId, route: trace.route, ...facts }, message);
    },
    end(status, bytesOut, outcome = outcomeOf(status)) {
      if (!open) return;
      open = false;
      trace.place?.leave();
      const ms = Math.round((performance.now() - start) * 100) / 100;
      logger?.info(requestLine(trace, { method, status, outcome, ms, bytesOut }), "request");
    },
  };
  return trace;
}

interface End {
  readonly method: string;
  readonly status: number;
  readonly outcome: string;
  readonly ms: number;
  readonly bytesOut: number;
}

function requestLine(trace: Trace, { method, status, outcome, ms, bytesOut }: End) {
  return {
    request_id: trace.requestId,
    method,
    route: trace.route,
    status,
    outcome: trace.detail === undefined ? outcome : `${outcome}: ${trace.detail}`,
    ms,
    bytes_in: trace.bytesIn,
    bytes_out: bytesOut,
    key: trace.principal?.keyId,
    project: trace.project ?? undefined,
  };
}

/** The outcome of a request, derived from the status alone. */
function outcomeOf(status: number): string {
  if (status === 499) return "aborted";
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "ok";
}

/** Codes of errors whose message may quote what a request or the database holds. */
const QUOTING: ReadonlySet<string> = new Set(["query_failed", "out_of_memory", "memory_limit"]);

/**
 * The log members of an error: the message for a fault of the disk or the file, the stack frames for any other error,
 * since its message may quote the request.
 */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  if (error instanceof StoreError && !QUOTING.has(error.code))
    return { error: error.name, code: error.code, message: error.message };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const code = "code" in error ? String(error.code) : undefined;
  return { error: error.name, code, stack: frames.slice(0, 12).map((line) => line.trim()) };
}
