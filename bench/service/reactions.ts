import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import type { Target } from "./latency.ts";

const ROUNDS = 50;
const DONE = "data: [DONE]\n\n";

/** The model that {@link openHolder} answers for. */
export const HELD_MODEL = "held";

/** A model server in this process, whose clock is then that of its client: it answers when it is told to. */
export interface Holder {
  readonly url: string;
  /** The response of the next request. */
  next(): Promise<ServerResponse>;
  close(): void;
}

export async function openHolder(): Promise<Holder> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: async () => ((await once(server, "request")) as [unknown, ServerResponse])[1],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** How long the model server goes on after its client has gone, in ms: before it has answered anything. */
export async function abortTimes(holder: Holder, target: Target): Promise<number[]> {
  return repeat(async (pool) => {
    const controller = new AbortController();
    const held = holder.next();
    const reply = ask(pool, target, controller.signal);
    const response = await held;
    const start = performance.now();
    controller.abort();
    await Promise.all([once(response, "close"), reply.catch(() => undefined)]);
    return performance.now() - start;
  }, target);
}

/** How long a stream stays open after the model server has said `[DONE]`, in ms; that one never ends. */
export async function endTimes(holder: Holder, target: Target): Promise<number[]> {
  return repeat(async (pool) => {
    const held = holder.next();
    const reply = ask(pool, target);
    const response = await held;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const start = performance.now();
    response.write(DONE);
    await (await reply).body.dump();
    return performance.now() - start;
  }, target);
}

async function repeat(measure: (pool: Pool) => Promise<number>, { url }: Target): Promise<number[]> {
  const pool = new Pool(new URL(url).origin);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await measure(pool));
  await pool.destroy();
  return times;
}

function ask(pool: Pool, { key }: Target, signal?: AbortSignal) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: HELD_MODEL, stream: true, messages: [] });
  const path = "/v1/chat/completions";
  return pool.request({ path, method: "POST", headers, body, ...(signal === undefined ? {} : { signal }) });
}
