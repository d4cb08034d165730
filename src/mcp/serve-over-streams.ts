import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpCaller } from "./server.ts";

/** Answers messages of a stream, each a line, until the function that it gives is called. */
export function serveOverStreams(caller: McpCaller, input: Readable, output: Writable): () => Promise<void> {
  const transport = new StdioServerTransport(input, output);
  const served = serveStdio(() => createMcpServer(caller), { transport });
  return () => served.close();
}
