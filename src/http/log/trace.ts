import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { StoreError } from "../../errors.ts";
import type { Principal } from "../keys/key-ring.ts";

/** What is known of a request while it is under way, and the line that is logged at its end. */
export interface Trace {
  readonly requestId: string;
  /** Filled in as they become known. */
  route: string;
  principal: Principal | undefined;
  project: string | null;
  bytesIn: number;
  /** The answer is a stream, whose own end writes the line. */
  deferred: boolean;
  /** Whether issues of a schema are located in the body or in the query. */
  issuePart: "body" | "query";
  /** An error that nobody foresaw: told of in the log, never in the answer. */
  fault(error: unknown): void;
  /** Tells the log of what went wrong although the request is answered; nothing in `facts` may be a secret. */
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  /** Writes the line; later calls do nothing. */
  end(status: number, bytesOut: number, outcome?: string): void;
}

/** Printable ASCII without blanks; anything else is not taken over. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Starts the clock. No header, body, query or path value reaches the log: the route is the pattern, the key is
 * its fingerprint.
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
    outcome,
    ms,
    bytes_in: trace.bytesIn,
    bytes_out: bytesOut,
    key: trace.principal?.keyId,
    project: trace.project ?? undefined,
  };
}

/** How a request ended, going by the status alone. */
function outcomeOf(status: number): string {
  if (status === 499) return "aborted";
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "ok";
}

/** What a fault of the disk or the file was, and where any other error was thrown: its message may quote the request. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  if (error instanceof StoreError && error.code !== "query_failed")
    return { error: error.name, code: error.code, message: error.message };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const code = "code" in error ? String(error.code) : undefined;
  return { error: error.name, code, stack: frames.slice(0, 12).map((line) => line.trim()) };
}
