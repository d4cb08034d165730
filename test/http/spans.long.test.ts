import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createHttpHandler, openEngine } from "../../src/index.ts";
import { ATTEMPTS, SCORES, spanOf, spansExport, traceOf } from "../import/otlp-exports.ts";

async function service(projects: readonly string[] = ["acme/qa"]) {
  const engine = await openEngine();
  const handle = createHttpHandler(engine, {
    authenticate: () => ({ user: "ann", projects: [...projects] }),
  });
  const post = async (path: string, body: Uint8Array | string, headers: Record<string, string> = {}) => {
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: body as BodyInit,
    });
    const answer = await handle(request);
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
  };
  const rows = async (statement: string) =>
    Array.from(await engine.sql("acme/qa", statement), (row) => ({ ...row }));
  return { engine, post, rows };
}

it.each([
  ["in their order", ATTEMPTS],
  ["in another order", ATTEMPTS.toReversed()],
])("spans that come one by one, %s, give trials, steps and scores", async (_, spans) => {
  const { engine, post, rows } = await service();
  expect(await post("/v1/logs", JSON.stringify(SCORES[1]))).toMatchObject({ status: 200, text: "{}" });
  for (const one of spans) {
    const body = gzipSync(JSON.stringify(spansExport([one])));
    expect(await post("/otel/v1/traces", body, { "content-encoding": "gzip" })).toMatchObject({ text: "{}" });
  }
  await post("/otel/v1/logs", JSON.stringify(SCORES[2]));
  expect(
    await rows("select trial_id, stop_reason, total_tokens::int as tokens from trials order by started_at"),
  ).toEqual([
    { trial_id: `otlp:${traceOf(1)}`, stop_reason: "stop", tokens: 380 },
    { trial_id: `otlp:${traceOf(2)}`, stop_reason: "RateLimit", tokens: null },
  ]);
  const parents = await rows(
    "select id, parent_id from calls where op_name in ('chat', 'invoke_agent') order by id",
  );
  expect(parents).toContainEqual({ id: spanOf(5), parent_id: spanOf(1) });
  expect(parents).toContainEqual({ id: spanOf(6), parent_id: spanOf(5) });
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
