import type { Readable, Writable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { inTurns } from "./in-turns.ts";
import { LONGEST_LINE, shortLines } from "./lines.ts";
import { createMcpServer } from "./server.ts";
import type { Caller } from "./tools.ts";

/** So many answers may wait for a slow reader, each with a listener. */
const MOST_LISTENERS = 64;
const INVALID_REQUEST = -32600;

/**
 * Answers messages of a stream, each a line, until `stop` is called. `ended` aborts once the stream has ended and what
 * came before is answered, or where nothing can be read or written any more.
 */
export function serveOverStreams(caller: Caller, input: Readable, output: Writable) {
  const done = new AbortController();
  const end = () => done.abort();
  output.setMaxListeners(MOST_LISTENERS);
  const tooLong = (id: string | number | null) => {
    const message = `the message is longer than ${LONGEST_LINE / 1024 / 1024} MiB, and was not read`;
    const error = { code: INVALID_REQUEST, message };
    output.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  };
  const lines = shortLines(input, tooLong, () => setImmediate(() => transport.whenAnswered(end)));
  const transport = inTurns(new StdioServerTransport(lines, output, { maxBufferSize: 2 * LONGEST_LINE }));
  input.once("error", end);
  input.once("close", () => {
    if (!input.readableEnded) end();
  });
  output.once("error", end);
  const served = serveStdio(() => createMcpServer(caller), { transport });
  const stop = async () => {
    await served.close();
    // What is read keeps a process alive.
    input.pause();
  };
  return { ended: done.signal, stop };
}

/** Answers one request, without anything of another: two processes behind one address answer the same. */
export async function answerOverHttp(caller: Caller, request: Request): Promise<Response> {
  const { fetch } = createMcpHandler(() => createMcpServer(caller), { maxSubscriptions: 0 });
  return await fetch(request);
}
