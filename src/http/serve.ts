import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { EvalcubeError } from "../errors.ts";
import { cutOnFault } from "./cut-on-fault.ts";
import type { HttpHandler } from "./handler.ts";

/** Where to listen and how long to wait for requests under way when stopping. */
export interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  /** Default 10 seconds. */
  readonly graceMs?: number;
}

/** A running service. */
export interface RunningService {
  /** `http://host:port` */
  readonly url: string;
  readonly port: number;
  /** Takes no more, waits for what is under way, ends what remains, and resolves when all is closed. */
  stop(): Promise<void>;
}

const DEFAULT_PORT = 7341;
/** Longer than load balancers keep idle connections. */
const KEEP_ALIVE_MS = 75_000;
/** Time for error frames to be written after the grace period. */
const LAST_WORDS_MS = 500;
const SWEEP_MS = 50;

/** Serves the handler over HTTP/1.1. Rejects with one clear line when the port cannot be had. */
export async function serveHttp(handler: HttpHandler, options: ServeOptions = {}): Promise<RunningService> {
  const listener = getRequestListener(
    async (request, { outgoing }) => cutOnFault(await handler(request), outgoing),
    { overrideGlobalObjects: false, errorHandler: answerFault },
  );
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void listener(request, response);
  });
  // The body is asked for only once somebody reads it: after the credentials have been checked.
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    request.once("resume", () => response.headersSent || response.writeContinue());
    void listener(request, response);
  });
  const { host = "127.0.0.1", port = DEFAULT_PORT, graceMs = 10_000 } = options;
  await listen(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    stop: () => stop(server, handler, graceMs),
  };
}

/** What did not get as far as the handler, or not through it. */
function answerFault(error: unknown): Response {
  const malformed = error instanceof RequestError;
  const reason = malformed ? "The request is malformed." : "Something went wrong on our side.";
  return Response.json(
    { reason },
    { status: malformed ? 400 : 500, headers: { "x-request-id": randomUUID() } },
  );
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "the port is in use" : (cause.code ?? cause.message);
      reject(new EvalcubeError("cannot_listen", `Cannot listen on ${host}:${port}: ${why}.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

async function stop(server: Server, handler: HttpHandler, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // Connections that fall idle are not closed by `close` itself.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const grace = setTimeout(() => handler.interrupt(), graceMs);
  const end = setTimeout(() => server.closeAllConnections(), graceMs + LAST_WORDS_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(grace);
  clearTimeout(end);
  await handler.close();
}
