import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer, type McpCaller } from "./server.ts";

/** Answers one request, without anything of another: two processes behind one address answer the same. */
export async function answerOverHttp(caller: McpCaller, request: Request): Promise<Response> {
  const { fetch } = createMcpHandler(() => createMcpServer(caller), { maxSubscriptions: 0 });
  return await fetch(request);
}
