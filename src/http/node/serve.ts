import { createServer, ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { EvalcubeError } from "../../errors.ts";
import { fileFault } from "../../model/messages.ts";
import { checkArgument } from "../../model/arguments.ts";
import type { HttpHandler } from "../handler.ts";
import { answerMalformed, faultResponse } from "./malformed.ts";
import type { Answer } from "../wire/answer.ts";

/** The address to listen on, and how long to wait for requests under way when stopping. */
export interface ServeOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Default 7341; 0 takes any free port. */
  readonly port?: number | undefined;
  /** How long to wait in milliseconds; default 10 seconds. */
  readonly graceMs?: number | undefined;
}

/** A running service. */
export interface RunningService {
  /** Base URL `http://host:port`. */
  readonly url: string;
  /** The port that the service listens on. */
  readonly port: number;
  /**
   * Accepts no more requests, waits for those under way, ends those that remain half a second before `graceMs` is over,
   * and resolves when everything is closed.
   */
  stop(): Promise<void>;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7341;
/** Longer than load balancers keep idle connections. */
const KEEP_ALIVE_MS = 75_000;
/** Time to write error frames at the end of the grace period. */
const LAST_WORDS_MS = 500;
const SWEEP_MS = 50;

const handlerSchema = z.custom<HttpHandler>(
  (value) => typeof value === "function" && "answer" in value && "interrupt" in value && "close" in value,
  "must be what createHttpHandler gives",
);

const optionsSchema = z.strictObject({
  host: z.string().min(1).default(DEFAULT_HOST),
  port: z.int().min(0).max(65_535).default(DEFAULT_PORT),
  graceMs: z.number().min(0).default(10_000),
});

/**
 * Serves the handler over HTTP/1.1. Rejects with `cannot_listen` and a one-line message when the port is not
 * available.
 */
export async function serveHttp(handler: HttpHandler, options: ServeOptions = {}): Promise<RunningService> {
  checkArgument(handler, handlerSchema, ["handler"]);
  const { host, port, graceMs } = checkArgument(options, optionsSchema, ["options"]);
  const listener = await openListener(handler);
  // The listener refuses a request without a host like any other malformed request.
  const settings = { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false };
  const server = createServer(settings, (request, response) => {
    // Health checks of load balancers may name no host.
    if (request.httpVersion === "1.0") request.headers.host ??= "localhost";
    void listener(request, response);
  });
  // `100 Continue` is sent only when the body is read, which is after the credentials have been checked.
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    request.once("resume", () => response.headersSent || response.writeContinue());
    void listener(request, response);
  });
  answerMalformed(server);
  await listen(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    stop: () => stop(server, handler, graceMs),
  };
}

/** Imports Hono's adapter here, so that it is not loaded where nothing is served. */
async function openListener(handler: HttpHandler) {
  const { getRequestListener, RequestError } = await import("@hono/node-server");
  const { RESPONSE_ALREADY_SENT } = await import("@hono/node-server/utils/response");
  return getRequestListener(
    async (request, { outgoing }) => {
      const answer = await handler.answer(request);
      if (outgoing instanceof ServerResponse) await sendAnswer(answer, outgoing);
      return RESPONSE_ALREADY_SENT;
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => faultResponse(error instanceof RequestError ? error.message : null),
    },
  );
}

/** Rejects as `serveHttp` does when the port is not available; needs no handler. */
export async function checkPort({ host = DEFAULT_HOST, port = DEFAULT_PORT }: ServeOptions): Promise<void> {
  const server = createServer();
  await listen(server, port, host);
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // Once the server listens, an error concerns a connection that could not be accepted, and the others go on.
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const message = `Cannot listen on ${host}:${port}: ${fileFault(cause)}.`;
      reject(new EvalcubeError("cannot_listen", message, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** How long what is under way is waited for, so that its end and its last words are within the grace period. */
export function patienceOf(graceMs: number): number {
  return Math.max(0, graceMs - LAST_WORDS_MS);
}

async function stop(server: Server, handler: HttpHandler, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // `close` does not close connections that become idle after it.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const interruptMs = patienceOf(graceMs);
  const grace = setTimeout(() => handler.interrupt(), interruptMs);
  const end = setTimeout(() => server.closeAllConnections(), interruptMs + LAST_WORDS_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(grace);
  clearTimeout(end);
  await handler.close();
}

/**
 * Writes an answer to a Node response: the headers immediately, a stream as it arrives and no faster than the client
 * reads. When the client disconnects, the stream is cancelled. When the stream breaks off, the connection is
 * destroyed, so that a partial answer does not look complete.
 */
async function sendAnswer({ status, headers, body }: Answer, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers);
  if (body instanceof ReadableStream) return writeStream(body, response);
  response.end(body);
}

async function writeStream(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  if (response.destroyed) return leave();
  response.once("close", leave);
  response.flushHeaders();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (response.write(next.value)) continue;
      await taken(response);
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    response.destroy();
  }
}

/** Resolves when the response has room again or is closed. */
function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}
