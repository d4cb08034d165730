import type { Readable, Writable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createMcpServer } from "./server.ts";
import type { Caller } from "./tools.ts";

/** Answers messages of a stream, each a line, until the function that it gives is called. */
export function serveOverStreams(caller: Caller, input: Readable, output: Writable): () => Promise<void> {
  const transport = new StdioServerTransport(input, output);
  const served = serveStdio(() => createMcpServer(caller), { transport });
  return () => served.close();
}

/** Answers one request, without anything of another: two processes behind one address answer the same. */
export async function answerOverHttp(caller: Caller, request: Request): Promise<Response> {
  const { fetch } = createMcpHandler(() => createMcpServer(caller), { maxSubscriptions: 0 });
  return await fetch(request);
}
