import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { basic } from "../../http/running-service.ts";
import { PROJECT } from "../../support/records.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { startSoaked, type SoakedService } from "../service-soak/soaked-service.ts";

const CLIENTS = Number(process.env["COUNT"] ?? 1000);
const SECONDS = Number(process.env["SECONDS"] ?? 20);
/** No answer to whether the service is up may take longer. */
const LONGEST_MS = 250;
/** By which the process may grow: what lies in 64 answers and in the sockets of all. */
const MOST_MEBIBYTES = 1024;

/** Asks for an answer of four megabytes, and reads nothing of it. */
function ask({ port, key }: SoakedService, offset: number): Socket {
  const body = JSON.stringify({ evaluation_call_ids: ["e", "f"], include_raw_data_rows: true, offset });
  const lines = [`POST /v2/${PROJECT}/eval_results/query HTTP/1.1`, "host: x"];
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.pause();
  const headers = [`authorization: ${basic(key)}`, "content-type: application/json"];
  socket.write([...lines, ...headers, `content-length: ${body.length}`, "", body].join("\r\n"));
  return socket;
}

it(`${CLIENTS} clients that read nothing keep nobody waiting who asks whether the service is up`, async () => {
  const service = await startSoaked(scratchFolder());
  onTestFinished(async () => void (await service.stop()));
  const before = service.sample().residentBytes;
  const sockets = Array.from({ length: CLIENTS }, (_, at) => ask(service, at % 100));
  const end = Date.now() + SECONDS * 1000;
  const waits: number[] = [];
  while (Date.now() < end) {
    const start = performance.now();
    const answer = await fetch(`http://127.0.0.1:${service.port}/healthz`);
    expect(answer.status).toBe(200);
    waits.push(performance.now() - start);
    await pause(20);
  }
  const mebibytes = (service.sample().residentBytes - before) / 2 ** 20;
  process.stdout.write(
    `${JSON.stringify({ longest: Math.max(...waits), asked: waits.length, mebibytes })}\n`,
  );
  for (const socket of sockets) socket.destroy();
  expect(Math.max(...waits)).toBeLessThan(LONGEST_MS);
  expect(mebibytes).toBeLessThan(MOST_MEBIBYTES);
});
