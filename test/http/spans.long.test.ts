import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { LOGS, SPAN, TRACE, TRACES } from "../import/otlp-bytes.ts";
import { ATTEMPTS, SCORES, spanOf, spansExport, traceOf } from "../import/otlp-exports.ts";
import { builtProgram } from "../support/built-program.ts";
import { scratchPath } from "../support/scratch.ts";
import { basic } from "./running-service.ts";
import { spanService as service } from "./span-service.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const PROTOBUF = { "content-type": "application/x-protobuf" };

it.each([
  ["in their order", ATTEMPTS],
  ["in another order", ATTEMPTS.toReversed()],
])("spans that come one by one, %s, give trials, steps and scores", async (_, spans) => {
  const { engine, post } = await service();
  const rows = async (statement: string) =>
    Array.from(await engine.sql("acme/qa", statement), (row) => ({ ...row }));
  expect(await post("/v1/logs", JSON.stringify(SCORES[1]))).toMatchObject({ status: 200, text: "{}" });
  for (const one of spans) {
    const body = gzipSync(JSON.stringify(spansExport([one])));
    expect(await post("/otel/v1/traces", body, { "content-encoding": "gzip" })).toMatchObject({ text: "{}" });
  }
  await post("/otel/v1/logs", JSON.stringify(SCORES[2]));
  expect(
    await rows("select trial_id, stop_reason, total_tokens::int as tokens from trials order by started_at"),
  ).toEqual([
    { trial_id: `otlp:${traceOf(1)}:${spanOf(1)}`, stop_reason: "stop", tokens: 380 },
    { trial_id: `otlp:${traceOf(2)}:${spanOf(8)}`, stop_reason: "RateLimit", tokens: null },
  ]);
  const parents = await rows(
    "select id, parent_id from calls where op_name in ('chat', 'invoke_agent') order by id",
  );
  expect(parents).toContainEqual({ id: spanOf(5), parent_id: spanOf(1) });
  expect(parents).toContainEqual({ id: spanOf(6), parent_id: spanOf(5) });
  // A subagent that comes before what stands above it was a trial of another evaluation until then.
  const listed = await engine.listEvaluations("acme/qa");
  expect(listed).toMatchObject([{ display_name: "shop: m-1", user: "ann" }]);
  expect(await rows("select display_name from evaluations")).toEqual([{ display_name: "shop: m-1" }]);
  await engine.close();
});

it("what cannot be kept is refused, never taken and dropped", async () => {
  const { engine, post } = await service();
  const bad = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: "x" }] }] }] });
  expect(JSON.parse((await post("/v1/traces", bad)).text)).toMatchObject({
    partialSuccess: { rejectedSpans: "1" },
  });
  const text = await post("/v1/traces", "x", { "content-type": "text/plain" });
  expect(text).toMatchObject({ status: 415 });
  expect(text.text).toContain("application/json or application/x-protobuf");
  const binary = await post("/v1/traces", Buffer.from([1, 2, 3]), {
    "content-type": "application/x-protobuf",
  });
  expect(binary.status).toBe(400);
  await engine.close();
});

it("spans without a project are refused where the key has several", async () => {
  const { engine, post } = await service(["acme/qa", "acme/other"]);
  const body = JSON.stringify(spansExport(ATTEMPTS));
  expect((await post("/v1/traces", body)).status).toBe(400);
  expect((await post("/v1/traces", body, { project_id: "acme/qa" })).status).toBe(200);
  expect((await post("/v1/traces", body, { project_id: "else/qa" })).status).toBe(403);
  await engine.close();
});

/** Agents side by side and within each other, below a span that tells nothing, with an answer after the agent's end. */
const NESTED = [
  { trace: 4, id: 30, at: 0, seconds: 30, name: "POST /ask" },
  agent(31, 30, 1, "planner", 9),
  agent(32, 31, 2, "helper", 20),
  agent(33, 31, 3, "checker", 4),
  agent(34, 33, 4, "reader", 1),
  { ...chat(35, 32), seconds: 15 },
  chat(36, 34),
  chat(37, 31),
] as const;

function agent(id: number, parent: number, at: number, name: string, seconds: number) {
  const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name };
  return { trace: 4, id, parent, at, seconds, attributes };
}

function chat(id: number, parent: number) {
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.model": `model-${id}`,
    "gen_ai.usage.input_tokens": id,
    "gen_ai.usage.output_tokens": 1,
  };
  return { trace: 4, id, parent, at: id - 30, attributes };
}

it(`spans and scores in any order, together or not, give the same (SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const parts: object[] = [...ATTEMPTS, ...NESTED].map((one) => spansExport([one]));
  parts.push(...SCORES.slice(1));
  let first = "";
  for (let round = 0; round < 4; round++) {
    const { engine, post, told } = await service();
    const order = parts.map((part) => [random(), part] as const).sort(([a], [b]) => a - b);
    // The first round has all in their order.
    for (const [, part] of round === 0 ? parts.map((one) => [0, one] as const) : order) {
      const path = "resourceLogs" in part ? "/v1/logs" : "/v1/traces";
      expect(await post(path, JSON.stringify(part))).toMatchObject({ status: 200, text: "{}" });
    }
    const { names, results } = await told();
    expect(names).toEqual(["shop: m-1", "shop: model-35"]);
    if (round === 0) first = results;
    expect(results).toBe(first);
    await engine.close();
  }
});

const of = (entity: string, project: string) =>
  JSON.stringify(spansExport(ATTEMPTS, { "wandb.entity": entity, "wandb.project": project }));

it("the project is that of the header, else of the resource, else the only one of the key", async () => {
  const { engine, post } = await service(["acme/qa", "acme/other"]);
  const stored = async (project: string) =>
    (await engine.listEvaluations(project).catch(() => [])).map(({ display_name: name }) => name);
  expect((await post("/otel/v1/traces", of("acme", "other"))).status).toBe(200);
  expect([await stored("acme/qa"), await stored("acme/other")]).toEqual([[], ["agents: m-1"]]);
  expect((await post("/v1/traces", of("acme", "other"), { project_id: "acme/qa" })).status).toBe(200);
  expect(await stored("acme/qa")).toEqual(["agents: m-1"]);
  expect((await post("/v1/traces", of("else", "other"))).status).toBe(403);
  expect((await post("/v1/traces", of("a/b", "c"))).status).toBe(400);
  await engine.close();
});

it("protobuf is answered in protobuf", async () => {
  const { engine, post } = await service();
  const answer = await post("/v1/traces", Buffer.from(TRACES, "base64"), PROTOBUF);
  expect(answer).toMatchObject({ status: 200, type: "application/x-protobuf", bytes: { length: 0 } });
  expect((await post("/v1/logs", Buffer.from(LOGS, "base64"), PROTOBUF)).bytes).toHaveLength(0);
  const { rows } = await engine.queryEvalResults("acme/qa", {
    evaluation_call_ids: (await engine.listEvaluations("acme/qa")).map(({ id }) => id),
  });
  expect(JSON.stringify(rows)).toContain(`otlp:${TRACE}:${SPAN}`);
  expect(JSON.stringify(rows)).toContain("kind");
  // A span without ids: field 1 of the answer has the count in field 1 and the reason in field 2.
  const refused = await post("/v1/traces", Buffer.from([10, 6, 18, 4, 18, 2, 42, 0]), PROTOBUF);
  const [partial, size, count, one, reason, length, ...text] = refused.bytes;
  expect([partial, count, one, reason]).toEqual([10, 8, 1, 18]);
  expect([size, length]).toEqual([text.length + 4, text.length]);
  expect(Buffer.from(text).toString()).toContain("has no traceId of 32 hexadecimal digits");
  await engine.close();
});

it("what no exporter names so is refused, and so is a span with the id of another trace's", async () => {
  const { engine, post } = await service();
  const partial = async (path: string, body: object) =>
    (JSON.parse((await post(path, JSON.stringify(body))).text) as { partialSuccess?: object }).partialSuccess;
  expect(await partial("/v1/traces", { resource_spans: [{}] })).toMatchObject({
    rejectedSpans: "1",
    errorMessage: expect.stringContaining('the body has "resource_spans"') as unknown,
  });
  const old = { resourceSpans: [{ resource: {}, instrumentationLibrarySpans: [{ spans: [{}] }] }] };
  expect(await partial("/v1/traces", old)).toMatchObject({ rejectedSpans: "1" });
  const first = { ...NESTED[0], trace: 8 };
  expect(await partial("/v1/traces", spansExport([first, { ...first, trace: 9 }]))).toMatchObject({
    rejectedSpans: "1",
    errorMessage: expect.stringContaining("has the id of a call of another trace") as unknown,
  });
  expect(await partial("/v1/traces", spansExport([{ ...first, trace: 9 }]))).toMatchObject({
    rejectedSpans: "1",
  });
  expect(await partial("/v1/traces", spansExport([first]))).toBeUndefined();
  await engine.close();
});

it("no span is an evaluation or a trial by its name", async () => {
  const { engine, post } = await service();
  const names = ["Evaluation.evaluate", "weave:///acme/qa/op/Evaluation.evaluate:abc"];
  const spans = names.map((name, i) => ({ trace: 5, id: 40 + i, at: i, name }));
  expect((await post("/v1/traces", JSON.stringify(spansExport(spans)))).text).toBe("{}");
  expect(await engine.listEvaluations("acme/qa")).toEqual([]);
  await engine.close();
});

it("a large body is stored, and one of more values than the limit is refused at once", async () => {
  const { engine, post } = await service();
  const long = "x".repeat(20_000);
  const many = Array.from({ length: 400 }, (_, i) => ({
    trace: 6,
    id: 100 + i,
    parent: 100,
    at: i,
    attributes: { "gen_ai.operation.name": i === 0 ? "invoke_agent" : "execute_tool", text: long },
  }));
  expect(await post("/v1/traces", JSON.stringify(spansExport(many)))).toMatchObject({
    status: 200,
    text: "{}",
  });
  const empty = Buffer.alloc(60_000_000);
  for (let at = 0; at < empty.length; at += 2) empty[at] = 10;
  const before = process.memoryUsage().rss;
  const refused = await post("/v1/traces", empty, PROTOBUF);
  expect(refused).toMatchObject({
    status: 400,
    text: expect.stringContaining("has more than 200000 values") as unknown,
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
  await engine.close();
});

it("what was answered survives a kill", async () => {
  const path = scratchPath();
  const { key, entry } = generateKey("ann", ["acme/qa"], new Date());
  const keys = JSON.stringify({ version: 1, keys: [entry] });
  const child = spawn(process.execPath, [builtProgram("children/weave-service"), path, keys], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const url of createInterface(child.stdout)) {
    const headers = { "content-type": "application/json", authorization: basic(key) };
    const send = (to: string, body: object) =>
      fetch(`${url}${to}`, { method: "POST", headers, body: JSON.stringify(body) });
    for (const one of ATTEMPTS.toReversed())
      expect((await send("/v1/traces", spansExport([one]))).status).toBe(200);
    expect((await send("/v1/logs", SCORES[1] ?? {})).status).toBe(200);
    child.kill("SIGKILL");
    await once(child, "exit");
    break;
  }
  const { engine, post, told } = await service(["acme/qa"], { path });
  const before = await told();
  expect(before.names).toEqual(["shop: m-1"]);
  expect(before.results).toContain("kind");
  for (const one of ATTEMPTS) await post("/v1/traces", JSON.stringify(spansExport([one])));
  expect(await told()).toEqual(before);
  await engine.close();
});
