import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { run } from "../../src/cli/program.ts";
import { createHttpHandler, type HttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import type { Engine } from "../../src/index.ts";

/** What a tool gave. */
export interface Given {
  readonly isError: boolean;
  readonly text: string;
  // The tests look into it as JSON.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly structured: any;
}

/** A connected client of one generation. */
export interface Asker {
  readonly call: (tool: string, args?: Readonly<Record<string, unknown>>) => Promise<Given>;
  readonly ask: (method: string, params?: object) => Promise<Record<string, unknown>>;
  readonly close: () => Promise<void>;
}

/** Revisions of the protocol, one of each generation of clients. */
export const GENERATIONS = ["2024-10-07", "2025-11-25", "2026-07-28"] as const;
export type Generation = (typeof GENERATIONS)[number];

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: unknown;
  readonly isError?: boolean;
}

function givenOf({ content, structuredContent, isError = false }: ToolResult): Given {
  const [block, ...others] = content;
  if (block?.type !== "text" || others.length > 0) throw new Error("the content is not one block of text");
  return { isError, text: block.text, structured: structuredContent };
}

/** Connects a client over a transport; the oldest one speaks for itself. */
export async function connect(generation: Generation, transport: Transport): Promise<Asker> {
  if (generation === "2024-10-07") return connectBare(generation, transport);
  const mode = generation === "2025-11-25" ? "legacy" : { pin: generation };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    call: async (name, args = {}) =>
      givenOf((await client.callTool({ name, arguments: { ...args } })) as ToolResult),
    ask: async (method, params = {}) => (await client.request({ method, params } as never)) as never,
    close: () => client.close(),
  };
}

/** A client without a library, which knows requests, answers and the first handshake. */
async function connectBare(protocolVersion: string, transport: Transport): Promise<Asker> {
  const waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
  transport.onmessage = (message) => {
    const one = message as Record<string, unknown>;
    waiting.get(one["id"])?.(one);
  };
  await transport.start();
  let id = 0;
  const ask = async (method: string, params: object = {}) => {
    const own = ++id;
    const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(own, resolve));
    await transport.send({ jsonrpc: "2.0", id: own, method, params } as never);
    const { error, result } = await answered;
    if (error !== undefined) throw Object.assign(new Error("refused"), error);
    return result as Record<string, unknown>;
  };
  const hello = await ask("initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "old", version: "0" },
  });
  if (hello["protocolVersion"] !== protocolVersion) throw new Error("another version was agreed on");
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    ask,
    call: async (name, args = {}) => givenOf((await ask("tools/call", { name, arguments: args })) as never),
    close: () => transport.close(),
  };
}

/** Starts `evalcube mcp` in this process; what it prints to standard error and its status are known at its end. */
export function startMcp(args: readonly string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const said = text(stderr);
  const ended = run(["mcp", ...args], { stdin, stdout, stderr, signal: stop.signal }).then(async (status) => {
    stdout.end();
    stderr.end();
    return { status, stderr: await said };
  });
  return { transport: lineTransport(stdin, stdout), stdin, stdout, ended, stop };
}

/** Messages as lines of streams. */
export function lineTransport(input: NodeJS.WritableStream, output: NodeJS.ReadableStream): Transport {
  const transport: Transport = {
    start: async () => {
      let rest = "";
      output.setEncoding("utf8");
      output.on("data", (chunk: string) => {
        const lines = `${rest}${chunk}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(JSON.parse(line) as never);
      });
    },
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}

/** A service over an engine, and the transport of a key for some projects. */
export function serviceOf(engine: Engine, projects: readonly string[] = ["*"]) {
  const { key, entry } = generateKey("ann", projects, new Date());
  const handler = createHttpHandler(engine, { keys: { version: 1, keys: [entry] } });
  return { handler, key, transport: () => httpTransport(handler, key) };
}

export function httpTransport(handler: HttpHandler, key: string, path = "/mcp"): Transport {
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
  return new StreamableHTTPClientTransport(new URL(path, "http://evals.test"), {
    fetch,
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
}
