import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import type { Target } from "./latency.ts";
import type { ServerProcess } from "./processes.ts";

const STREAMS = 100;
const SAMPLE_MS = 50;

/** The most that the process grew over what it had at the start of `work`, in bytes. */
async function growthDuring(server: ServerProcess, work: () => Promise<void>): Promise<number> {
  const before = await server.memory();
  let most = before;
  const timer = setInterval(() => {
    void server.memory().then((now) => (most = Math.max(most, now)));
  }, SAMPLE_MS);
  await work();
  clearInterval(timer);
  return Math.max(most, await server.memory()) - before;
}

/** A hundred streams at once for three seconds, several times over: growth of each time, in bytes. */
export async function growthOfStreams(
  server: ServerProcess,
  target: Target,
  rounds: number,
): Promise<number[]> {
  const pool = new Pool(new URL(target.url).origin, { connections: STREAMS });
  const headers = { authorization: `Bearer ${target.key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "long", stream: true, messages: [] });
  const one = async () => {
    const path = "/v1/chat/completions";
    const response = await pool.request({ path, method: "POST", headers, body });
    const text = await response.body.text();
    if (!text.endsWith("data: [DONE]\n\n") || text.includes('"error"')) throw new Error("a stream broke");
  };
  const growths: number[] = [];
  for (let round = 0; round < rounds; round++) {
    growths.push(
      await growthDuring(server, async () => {
        await Promise.all(Array.from({ length: STREAMS }, one));
      }),
    );
  }
  await pool.close();
  return growths;
}

/** One reader that takes nothing while 200 MiB are offered, several times: growth of each time, in bytes. */
export async function growthOfStalledReader(
  server: ServerProcess,
  target: Target,
  rounds: number,
): Promise<number[]> {
  const growths: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let socket: Socket | undefined;
    growths.push(
      await growthDuring(server, async () => {
        socket = stalledReader(target);
        await pause(3000);
      }),
    );
    socket?.destroy();
    if (socket !== undefined) await once(socket, "close");
    await pause(200);
  }
  return growths;
}

function stalledReader({ url, key }: Target): Socket {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ model: "flood", stream: true, messages: [] });
  const head = [
    "POST /v1/chat/completions HTTP/1.1",
    `Host: ${hostname}`,
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  const socket = connect(Number(port), hostname).pause();
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return socket;
}
