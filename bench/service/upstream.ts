import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

/** A model server whose answers cost nothing; run in a process of its own, it prints its address. */

const COMPLETION =
  '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant",' +
  '"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}';
const FLOOD_BYTES = 200 * 1024 * 1024;

function event(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

function* flood(): Generator<string> {
  const piece = event("x".repeat(64 * 1024));
  for (let sent = 0; sent < FLOOD_BYTES; sent += piece.length) yield piece;
  yield `${event("", "stop")}data: [DONE]\n\n`;
}

/** What is done for each name of a model. */
const MODELS: Readonly<Record<string, (response: ServerResponse) => void | Promise<void>>> = {
  whole(response) {
    response.writeHead(200, { "content-type": "application/json", "content-length": COMPLETION.length });
    response.end(COMPLETION);
  },
  short(response) {
    openStream(response);
    response.end(`${event("hello")}${event("", "stop")}data: [DONE]\n\n`);
  },
  /** A token every ten milliseconds for three seconds. */
  long: async (response) => {
    openStream(response);
    for (let at = 0; at < 300 && !response.destroyed; at++) {
      response.write(event("token"));
      await pause(10);
    }
    response.end(`${event("", "stop")}data: [DONE]\n\n`);
  },
  /** As fast as it is taken. */
  flood(response) {
    openStream(response);
    Readable.from(flood()).pipe(response);
  },
};

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { model } = JSON.parse(body) as { readonly model: string };
  await MODELS[model]?.(response);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
