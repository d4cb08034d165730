import { Agent, request } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  COMPLETION,
  delta,
  DONE,
  finish,
  replyWith,
  startUpstream,
  streamOf,
  type ScriptedUpstream,
} from "../../inference/scripted-upstream.ts";
import { startService, type TestService } from "../../http/running-service.ts";

const CONNECTIONS = 200;

let upstream: ScriptedUpstream;
let service: TestService;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  upstream.script("s", streamOf([delta("a"), delta("b"), finish(), DONE]));
  service = await startService({ inference: { upstreams: [{ base_url: upstream.url }] } });
});

afterAll(async () => {
  agent.destroy();
  await service.stop();
  await upstream.close();
});

function call(body: object): Promise<string> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${service.key}`,
    "content-type": "application/json",
    "content-length": text.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${service.url}/v1/chat/completions`,
      { method: "POST", agent, headers },
      (response) => {
        let reply = `${response.statusCode} `;
        response.on("data", (data: Buffer) => {
          reply += data.toString();
        });
        response.on("end", () => resolve(reply));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function retainedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Sends the request over every connection, `rounds` times, and gives the distinct answers. */
async function storm(body: object, rounds: number): Promise<Set<string>> {
  const answers = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const answer of await Promise.all(Array.from({ length: CONNECTIONS }, () => call(body))))
      answers.add(answer);
  }
  return answers;
}

describe("two hundred connections at once", () => {
  it("are all answered, whole and in streams, and leave nothing behind", async () => {
    const whole = { model: "m", messages: [] };
    const stream = { model: "s", messages: [], stream: true };
    const events = [delta("a"), delta("b"), finish(), DONE].join("");
    await storm(whole, 2);
    await storm(stream, 2);
    const before = retainedHeap();
    expect(await storm(whole, 10)).toEqual(new Set([`200 ${COMPLETION}`]));
    expect(await storm(stream, 5)).toEqual(new Set([`200 ${events}`]));
    expect(service.usage).toHaveLength(19 * CONNECTIONS);
    // What the test itself keeps (usage, log, calls) is below 10 KiB a request.
    expect(retainedHeap() - before).toBeLessThan(15 * CONNECTIONS * 10 * 1024);
  });
});
