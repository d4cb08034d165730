import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { allRoutes } from "../../src/http/all-routes.ts";
import { createPlaces } from "../../src/http/wire/places.ts";
import type { Weave } from "../../src/weave/weave.ts";
import { settle } from "../support/until.ts";
import { JOB } from "../flood/valid-requests.ts";
import { basic, startService, type TestService } from "./running-service.ts";

const QUERY = "/v2/acme/qa/eval_results/query";
const here = new AbortController().signal;

const services: TestService[] = [];
afterEach(async () => {
  for (const one of services.splice(0)) await one.stop();
});

/** A service that gives one answer at a time; an answer to `{"endless": true}` has no end. */
async function startNarrow(): Promise<TestService> {
  const service = await startService({
    maxConcurrentAnswers: 1,
    results: { weave: {} as Weave, exportSql: () => Promise.reject(new Error("none")) },
    async *query(_project, body) {
      do yield "x".repeat(100_000);
      while ((body as { endless?: true }).endless);
    },
  });
  services.push(service);
  return service;
}

/** Sends a query whose answer has no end, and reads nothing of it. */
async function hold(service: TestService): Promise<Socket> {
  const socket = connect(service.port, "127.0.0.1").on("error", () => {});
  const body = '{"endless":true}';
  const head = [`POST ${QUERY} HTTP/1.1`, "host: a", `authorization: ${basic(service.key)}`];
  const sized = [...head, "content-type: application/json", `content-length: ${body.length}`, "", body];
  socket.write(sized.join("\r\n"));
  await once(socket, "readable");
  return socket;
}

function ask(service: TestService, path: string, init: RequestInit = {}): Promise<Response> {
  const authorization = path.startsWith("/v1") ? `Bearer ${service.key}` : basic(service.key);
  const headers = { authorization, "content-type": "application/json" };
  return service.fetch(path, { headers, ...init });
}

function query(service: TestService, init: RequestInit = {}): Promise<Response> {
  return ask(service, QUERY, { method: "POST", body: "{}", ...init });
}

it("places are given in order, and to nobody who has left", async () => {
  const place = createPlaces(2);
  const places = Array.from({ length: 5 }, () => place());
  const leaver = new AbortController();
  const order: number[] = [];
  const taken = places.map((one, at) =>
    one.take(at === 3 ? leaver.signal : here).then(
      () => order.push(at),
      () => order.push(-at),
    ),
  );
  await settle();
  expect(order).toEqual([0, 1]);
  expect(places[0]?.isWanted()).toBe(true);
  leaver.abort();
  places[1]?.leave();
  places[1]?.leave();
  places[3]?.leave();
  await settle();
  expect(order).toEqual([0, 1, -3, 2]);
  places[0]?.leave();
  await Promise.all(taken);
  expect(order).toEqual([0, 1, -3, 2, 4]);
  expect(places[0]?.isWanted()).toBe(false);
});

it("an answer that nobody reads keeps its place, others wait, and the rest of the service goes on", async () => {
  const service = await startNarrow();
  const holder = await hold(service);
  const leaver = new AbortController();
  const left = query(service, { signal: leaver.signal }).catch(() => "left");
  const answered = query(service).then(({ status }) => status);
  let isAnswered = false;
  void answered.then(() => (isAnswered = true));
  expect((await ask(service, "/healthz")).status).toBe(200);
  const body = JSON.stringify(JOB);
  expect((await ask(service, "/v1/preview/training-jobs", { method: "POST", body })).status).toBe(200);
  leaver.abort();
  expect(await left).toBe("left");
  await settle();
  expect(isAnswered).toBe(false);
  holder.destroy();
  expect(await answered).toBe(200);
});

it("every endpoint that reads the database waits for a place once its body is there", async () => {
  const service = await startNarrow();
  const holder = await hold(service);
  const reading = allRoutes("/").filter((route) => route.access !== "public" && route.reads === true);
  expect(reading.length).toBeGreaterThan(15);
  const early: string[] = [];
  let isFree = false;
  const answers = reading.map(async ({ method, path, id }) => {
    const filled = path.replace("{entity}/{project}", "acme/qa").replace(/\{\w+\}/, "x");
    await ask(service, filled, method === "GET" ? {} : { method, body: "{}" });
    if (!isFree) early.push(id);
  });
  for (let times = 0; times < 3; times++) await ask(service, "/healthz");
  await settle();
  isFree = true;
  holder.destroy();
  await Promise.all(answers);
  expect(early).toEqual([]);
});
