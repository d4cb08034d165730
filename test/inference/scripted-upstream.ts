import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request that the upstream has had. */
export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
  /** The connection that the request came in by. */
  readonly socket: Socket;
  /** Resolves when the connection of the reply is gone before the reply was complete. */
  readonly cutOff: Promise<true>;
}

/** What the upstream does with a request whose `model` is the script's name. */
export type Script = (response: ServerResponse, call: RecordedCall) => void | Promise<void>;

/** A model server on loopback that does as it is told. */
export interface ScriptedUpstream {
  readonly url: string;
  readonly calls: RecordedCall[];
  /** Replies to `GET /models`. */
  models: Script;
  script(model: string, script: Script): void;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<ScriptedUpstream> {
  const scripts = new Map<string, Script>();
  const calls: RecordedCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const call: RecordedCall = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
        response,
        socket: request.socket,
        cutOff: new Promise((resolve) => {
          response.on("close", () => response.writableFinished || resolve(true));
        }),
      };
      calls.push(call);
      const script = request.url?.endsWith("/models") === true ? upstream.models : scripts.get(modelOf(body));
      void (
        script ?? replyWith(404, '{"error":{"message":"no such model","type":"NotFoundError","code":404}}')
      )(response, call);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const upstream: ScriptedUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    models: replyWith(200, '{"object":"list","data":[]}'),
    script: (model, script) => scripts.set(model, script),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
  return upstream;
}

function modelOf(body: string): string {
  return /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? "";
}

/** A whole reply. */
export function replyWith(
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Script {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  };
}

const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8" };

/** A stream whose headers come at once, and whose pieces come when the test says so. */
export interface SteppedStream {
  readonly script: Script;
  readonly send: (piece: string) => void;
  readonly end: () => void;
}

export function steppedStream(): SteppedStream {
  const requests = new EventEmitter();
  const opened = once(requests, "open") as Promise<[ServerResponse]>;
  return {
    script(response) {
      response.writeHead(200, EVENT_STREAM);
      response.flushHeaders();
      requests.emit("open", response);
    },
    send: (piece) => void opened.then(([response]) => response.write(piece)),
    end: () => void opened.then(([response]) => response.end()),
  };
}

/** Writes the pieces as they are, each once the one before is on its way, then ends, or does what `ending` says. */
export function streamOf(
  pieces: readonly (string | Buffer)[],
  options: {
    readonly ending?: (response: ServerResponse) => void;
    /** Awaited before each piece. */
    readonly pace?: () => Promise<void>;
  } = {},
): Script {
  const { ending = (response) => void response.end(), pace } = options;
  return async (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.flushHeaders();
    for (const piece of pieces) {
      await pace?.();
      if (!(await sent(response, piece))) return;
    }
    ending(response);
  };
}

/** Writes a piece and waits until the kernel has it; false where the connection is gone. */
export function sent(response: ServerResponse, piece: string | Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isSent: boolean) => {
      response.off("close", gone);
      resolve(isSent);
    };
    const gone = () => settle(false);
    response.once("close", gone);
    response.write(piece, (error) => settle(error == null));
  });
}

/** One event of a chat completion stream. */
export function frame(members: Record<string, unknown>): string {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", ...members };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function delta(content: string, index = 0): string {
  return frame({ choices: [{ index, delta: { role: "assistant", content }, finish_reason: null }] });
}

export function finish(index = 0): string {
  return frame({ choices: [{ index, delta: {}, finish_reason: "stop" }] });
}

export const DONE = "data: [DONE]\n\n";

/** A whole, plain completion. */
export const COMPLETION =
  '{"id": "chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":' +
  '{"role":"assistant","content":"hello"},"logprobs":null,"finish_reason":"stop","stop_reason":null}],' +
  '"usage":{"prompt_tokens":3,"total_tokens":5,"completion_tokens":2,"prompt_tokens_details":null},"big":9007199254740993}';
