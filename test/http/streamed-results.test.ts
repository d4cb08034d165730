import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { toResponse } from "../../src/http/wire/answer.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import { answerInPieces } from "../../src/http/wire/streamed-answer.ts";
import { startTrace } from "../../src/http/log/trace.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { root, trial } from "../support/records.ts";
import { standstill, until } from "../support/until.ts";
import { basic, piecesOf, startService, type TestService } from "./running-service.ts";

const PATH = "/v2/acme/qa/eval_results/query";
const LARGE = { evaluation_call_ids: ["e"], include_raw_data_rows: true, include_summary: true, limit: 5000 };

let engine: Engine;
let service: TestService;
let whole: string;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  const output = { output: "é".repeat(5_000), scores: { correct: true } };
  const trials = Array.from({ length: 3_000 }, (_, at) => trial(`t${at}`, { n: at }, {}, { output }));
  await engine.ingestCalls([root(), ...trials]);
  whole = await engine.queryEvalResultsJson("acme/qa", LARGE);
  service = await startService({ query: (...args) => watched(engine.streamEvalResults(...args)) });
});

afterAll(async () => {
  await service.stop();
  await engine.close();
});

/** How many pieces the service has taken; null while it waits for one. */
let taken: number | null = 0;

async function* watched(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let count = 0;
  taken = null;
  for await (const piece of pieces) {
    taken = ++count;
    yield piece;
    taken = null;
  }
}

const others: TestService[] = [];
afterEach(async () => {
  for (const one of others.splice(0)) await one.stop();
});

/** A service whose engine answers every query in this way. */
async function answering(query: TestQuery): Promise<TestService> {
  const one = await startService({ query });
  others.push(one);
  return one;
}

type TestQuery = NonNullable<NonNullable<Parameters<typeof startService>[0]>["query"]>;

function ask(one: TestService, body: object = {}): Promise<Response> {
  const headers = { authorization: basic(one.key), "content-type": "application/json" };
  return one.fetch(PATH, { method: "POST", body: JSON.stringify(body), headers });
}

/** Sends a query and gives the answer before its body has been read. */
async function open(one: TestService, body: object): Promise<IncomingMessage> {
  const headers = { authorization: basic(one.key), "content-type": "application/json" };
  const sent = request(one.url + PATH, { method: "POST", headers });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

async function logged(one: TestService, outcome: string): Promise<Record<string, unknown>> {
  const line = () => one.log.find((text) => text.includes(`"outcome":"${outcome}"`));
  await until(`a line of the log with the outcome ${outcome}`, () => line() !== undefined);
  return JSON.parse(line() ?? "") as Record<string, unknown>;
}

describe("a long answer", () => {
  it("streams the engine's own bytes, and is logged with its length", async () => {
    const response = await ask(service, LARGE);
    expect(response.headers.get("content-length")).toBeNull();
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect((await response.text()) === whole).toBe(true);
    const { status, bytes_out } = await logged(service, "ok");
    expect({ status, bytes_out }).toEqual({ status: 200, bytes_out: Buffer.byteLength(whole) });
  });

  it("is made no faster than it is read, and ends when its client goes away", async () => {
    const response = await open(service, LARGE);
    response.once("readable", () => response.read(1));
    await standstill("the service takes no more pieces", () => taken);
    response.destroy();
    const { bytes_out } = await logged(service, "aborted");
    expect(bytes_out).toBeLessThan(Buffer.byteLength(whole) / 2);
    expect(service.log.join("")).not.toContain("internal error");
  });

  it("keeps nothing in memory for readers that stop", async () => {
    const chunk = "x".repeat(100_000);
    let made = 0;
    const one = await answering(async function* () {
      for (; made < 10_000; made++) yield chunk;
    });
    const response = await open(one, {});
    await standstill("the service takes no more pieces", () => made);
    // What lies in the sockets' buffers.
    expect(made).toBeLessThan(200);
    response.destroy();
    await logged(one, "aborted");
  });
});

const failing: TestQuery = async function* () {
  yield "x".repeat(300_000);
  throw new Error("password=hunter2");
};

describe("an answer that breaks off", () => {
  it("does not look whole and says nothing of the fault", async () => {
    const one = await answering(failing);
    await expect((await ask(one)).text()).rejects.toThrow("terminated");
    const socket = connect(one.port, "127.0.0.1");
    const body = `POST ${PATH} HTTP/1.1\r\nhost: a\r\nauthorization: ${basic(one.key)}\r\n`;
    socket.write(`${body}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`);
    let text = "";
    socket.on("data", (data: Buffer) => (text += data.toString()));
    await once(socket, "close");
    expect(text).toContain("200 OK");
    expect(text).not.toContain("hunter2");
    expect(text).not.toMatch(/\r\n0\r\n/);
    expect(await logged(one, "failed")).toMatchObject({ status: 200 });
    expect(one.log.join("")).toContain("internal error");
    expect(one.log.join("")).not.toContain("hunter2");
  });

  it("before its first byte is an error like any other", async () => {
    const one = await answering(async function* () {
      yield "x".repeat(200_000);
      throw new Error("password=hunter2");
    });
    const response = await ask(one);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("hunter2");
  });

  it("because its client takes nothing is cut off", async () => {
    const stop = new AbortController();
    const trace = startTrace(new Request("http://a/"), undefined);
    const pieces = piecesOf(...Array<string>(300).fill("x".repeat(100_000)));
    // A reader that takes nothing is cut off however short the time is that it has.
    const answer = () => answerInPieces(pieces, { trace, stop, stalledMs: 100 });
    const handle = async () => toResponse(await answer(), "GET");
    const nothing = { reloadKeys() {}, interrupt() {}, close: async () => {} };
    const running = await serveHttp(Object.assign(handle, { answer, ...nothing }), { port: 0 });
    const socket = connect(running.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await once(stop.signal, "abort");
    socket.resume();
    socket.on("error", () => {});
    await once(socket, "close");
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
    await running.stop();
  });
});

describe("a short answer", () => {
  it("has its length", async () => {
    const response = await ask(service, { ...LARGE, limit: 5 });
    expect(response.headers.get("content-length")).toBe(String((await response.arrayBuffer()).byteLength));
  });
});
