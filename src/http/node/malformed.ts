import { randomUUID } from "node:crypto";
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errorEnvelope } from "../../inference/errors/api-error.ts";

/**
 * A fault of a request that could not be parsed, so that neither its path nor the error format of its client is
 * known.
 */
interface Fault {
  readonly status: number;
  readonly reason: string;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: "The request's headers are too large." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: "The request's chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: "The request took too long to arrive." },
};
const EXPECTATION: Fault = { status: 417, reason: "Nothing but 100-continue can be expected." };
const BROKEN: Fault = { status: 500, reason: "Something went wrong on our side." };

function malformed(why: string | undefined): Fault {
  return { status: 400, reason: `The request is malformed${why === undefined ? "" : `: ${why}`}.` };
}

/** Writes an answer that holds both formats of error bodies. */
function writeFault({ status, reason }: Fault): {
  readonly headers: Record<string, string>;
  readonly body: string;
} {
  const facts =
    status === 500
      ? { type: "api_error", code: "internal_error" }
      : { type: "invalid_request_error", code: "malformed_request" };
  const body = JSON.stringify({ reason, ...errorEnvelope(reason, facts) });
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": randomUUID(),
    connection: "close",
  };
  return { headers, body };
}

/** The answer to a request that the adapter could not read, and why, or to an error that the handler did not catch. */
export function faultResponse(why: string | null): Response {
  const fault = why === null ? BROKEN : malformed(why);
  const { headers, body } = writeFault(fault);
  return new Response(body, { status: fault.status, headers });
}

/**
 * Answers requests that the server's parser refuses, unless another answer on the same connection has begun or is owed.
 */
export function answerMalformed(server: Server): void {
  const open = new WeakMap<Duplex, Set<ServerResponse>>();
  const follow = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = open.get(socket) ?? new Set();
    open.set(socket, responses.add(response));
    response.once("close", () => responses.delete(response));
  };
  server.prependListener("request", follow).prependListener("checkContinue", follow);
  server.on("checkExpectation", (_request, response) => {
    const { headers, body } = writeFault(EXPECTATION);
    response.writeHead(EXPECTATION.status, headers).end(body);
  });
  server.on("clientError", (error: NodeJS.ErrnoException & { readonly reason?: string }, socket) => {
    const answers = [...(open.get(socket) ?? [])];
    const begun = answers.some(({ headersSent }) => headersSent);
    if (!socket.writable || begun || error.code === "ECONNRESET") return void socket.destroy();
    // Its client would take the refusal for the answer to a whole request that is still worked on.
    const owed = answers.findLast(({ req }) => req.complete);
    if (owed !== undefined) return void (owed.shouldKeepAlive = false);
    const fault = FAULTS[error.code ?? ""] ?? malformed(error.reason);
    const { headers, body } = writeFault(fault);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end([`HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`, ...lines, "", body].join("\r\n"));
  });
}
