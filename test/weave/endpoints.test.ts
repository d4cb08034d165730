import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWeave, type WeaveService } from "./service.ts";

const PROJECT = "acme/qa";
const OP = `weave:///${PROJECT}/op/step:v1`;

let service: WeaveService;

beforeAll(async () => {
  service = await startWeave({ basePath: "/evals", limits: { weave: 20_000, file: 50_000 } });
});
afterAll(() => service.stop());

const at = (n: number) => `2026-01-01T00:00:0${n}.000000Z`;
const start = (id: string, others: object = {}) => ({
  project_id: PROJECT,
  id,
  op_name: OP,
  trace_id: "trace",
  started_at: at(1),
  attributes: {},
  inputs: {},
  ...others,
});
const end = (id: string, others: object = {}) => ({
  project_id: PROJECT,
  id,
  ended_at: at(2),
  summary: null,
  ...others,
});
const whole = (id: string, others: object = {}) => ({ ...start(id), ...end(id), ...others });

async function post(path: string, body: unknown, as?: string): Promise<{ status: number; body: unknown }> {
  const response = await service.post(`/evals${path}`, body, as === undefined ? {} : { as });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
}

async function lines(request: object): Promise<Record<string, unknown>[]> {
  const response = await service.post("/evals/calls/stream_query", { project_id: PROJECT, ...request });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/jsonl"]);
  const text = await response.text();
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function ids(request: object): Promise<unknown[]> {
  return (await lines(request)).map((line) => line["id"]);
}

describe("what an SDK asks first", () => {
  it("is answered without a key where it has none yet, and as its key allows after that", async () => {
    const info = await fetch(`${service.url}/evals/traces/server_info`);
    expect(await info.json()).toMatchObject({ min_required_weave_python_version: "0.51.0" });
    expect((await fetch(`${service.url}/evals/health`)).status).toBe(200);
    const ask = (query: string, variables?: object, as?: string) =>
      post("/graphql", { query, ...(variables === undefined ? {} : { variables }) }, as);
    expect(await ask("query { viewer { username } }")).toEqual({
      status: 200,
      body: { data: { viewer: { username: "ann", defaultEntity: { name: "acme" } } } },
    });
    const project = "query Project($name: String!) { project(name: $name) { name } }";
    const named = { entityName: "acme", name: "qa" };
    expect((await ask(project, named)).body).toEqual({ data: { project: { name: "qa" } } });
    expect((await ask(project, named, service.eve)).body).toMatchObject({
      data: { project: null },
      errors: [{ extensions: { code: "PERMISSION_ERROR" } }],
    });
    expect((await ask("mutation { upsertModel }", named)).body).toMatchObject({
      data: { upsertModel: { model: { name: "qa" } } },
    });
    expect((await ask("query { other }")).body).toEqual({
      data: null,
      errors: [{ message: "not part of this service" }],
    });
    expect((await post("/graphql", { query: "viewer" }, "Basic eA==")).status).toBe(401);
    expect(await post("/service/projects_info", { project_ids: [PROJECT] })).toEqual({
      status: 200,
      body: [],
    });
  });

  it("but has no part here is refused by name, and a typing error is not", async () => {
    const missing = await post("/traces/v2/acme/q%20a/datasets", {});
    expect(missing).toEqual({
      status: 404,
      body: {
        reason:
          "The operation v2_datasets.create of W&B Weave is not part of this service. Use /table/create instead.",
        operation: "v2_datasets.create",
        instead: "/table/create",
      },
    });
    const typo = await post("/calls/complet", {});
    expect(typo).toMatchObject({ status: 404 });
    expect(JSON.stringify(typo.body)).not.toContain("Weave");
  });
});

function sendPacked(batch: unknown[]): Promise<Response> {
  return fetch(`${service.url}/evals/v2/acme/qa/calls/complete`, {
    method: "POST",
    headers: {
      authorization: service.ann,
      "content-type": "application/json",
      "content-encoding": "gzip",
    },
    body: gzipSync(JSON.stringify({ batch })),
  });
}

describe("calls", () => {
  it("arrive in every form, and are read as they were sent", async () => {
    const inputs = { x: 1, ref: `weave:///${PROJECT}/object/data:v1/attr/rows/id/r` };
    expect(await post("/v2/acme/qa/call/start", { start: start("a", { inputs, surprise: [1] }) })).toEqual({
      status: 200,
      body: { id: "a", trace_id: "trace" },
    });
    expect(
      await post("/traces/call/update", { project_id: PROJECT, call_id: "b", display_name: "mine" }),
    ).toEqual({ status: 200, body: {} });
    const batch = [
      { mode: "end", req: { end: end("b", { output: null, exception: "boom\0", started_at: at(1) }) } },
      {
        mode: "start",
        req: { start: start("b", { parent_id: "a", attributes: null, display_name: "start" }) },
      },
    ];
    expect(await post("/call/upsert_batch", { batch })).toEqual({
      status: 200,
      body: { res: [{}, { id: "b", trace_id: "trace" }] },
    });
    const third = whole("c", { started_at: at(3), output: 9, summary: { status_counts: { error: 1 } } });
    expect(await post("/v2/acme/qa/calls/complete", { batch: [third] })).toEqual({ status: 200, body: {} });
    expect(await lines({})).toMatchObject([
      { id: "a", inputs, wb_user_id: "ann", ended_at: null, summary: { weave: { status: "running" } } },
      {
        id: "b",
        display_name: "mine",
        exception: "boom\uFFFD",
        parent_id: "a",
        deleted_at: null,
        summary: { weave: { status: "error", trace_name: "step", latency_ms: 1000 } },
      },
      { id: "c", output: 9, summary: { weave: { status: "descendant_error" } } },
    ]);
    expect(await ids({ filter: { op_names: [`weave:///${PROJECT}/op/step:*`] }, limit: 2 })).toEqual([
      "a",
      "b",
    ]);
    expect(await ids({ filter: { input_refs: [`weave:///${PROJECT}/object/data:v1`] } })).toEqual(["a"]);
    expect(await ids({ filter: { input_refs: [`weave:///${PROJECT}/object/data:v`] } })).toEqual([]);
    expect(await ids({ filter: { parent_ids: ["a"] } })).toEqual(["b"]);
    expect(await ids({ filter: { trace_roots_only: true }, offset: 1 })).toEqual(["c"]);
    const query = { $expr: { $gt: [{ $getField: "output" }, { $literal: 5 }] } };
    expect(await ids({ query })).toEqual(["c"]);
    const sort_by = [{ field: "started_at", direction: "desc" }];
    expect(await ids({ sort_by, limit: 1 })).toEqual(["c"]);
    const [only] = await lines({ filter: { call_ids: ["c"] }, columns: ["output"] });
    expect(only).toMatchObject({ id: "c", output: 9, inputs: {} });
    expect(only).not.toHaveProperty("summary");
    const counted = { project_id: PROJECT, filter: { call_ids: ["a", "b", "x"] } };
    expect((await post("/calls/query_stats", counted)).body).toEqual({ count: 2 });
    expect((await post("/calls/query_stats", { project_id: PROJECT, query })).body).toEqual({ count: 1 });
    expect((await post("/call/read", { project_id: PROJECT, id: "c" })).body).toMatchObject({
      call: { output: 9 },
    });
    expect((await post("/call/read", { project_id: PROJECT, id: "x" })).body).toEqual({ call: null });
    const cut = await post("/calls/delete", { project_id: PROJECT, call_ids: ["a", "\0"] });
    expect(cut.status).toBe(422);
    expect(JSON.stringify(cut.body)).toContain("must not contain U+0000");
    expect((await post("/calls/delete", { project_id: PROJECT, call_ids: ["a"] })).body).toEqual({
      num_deleted: 2,
    });
    expect(await ids({})).toEqual(["c"]);
  });

  it("without an id get one", async () => {
    const { body } = await post("/call/start", { start: start("x", { id: null, trace_id: undefined }) });
    expect(body).toMatchObject({
      id: expect.stringMatching(/-7/) as string,
      trace_id: expect.any(String) as string,
    });
  });

  it("of a wrong shape refuse their batch with their place, and nothing of it is stored", async () => {
    const batch = [whole("d"), whole("e", { started_at: "yesterday" })];
    const refused = await post("/v2/acme/qa/calls/complete", { batch });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "batch", 1, "started_at"] }] },
    });
    const odd = [whole("d"), whole("\uFEFFe")];
    expect(await post("/v2/acme/qa/calls/complete", { batch: odd })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "batch", 1, "id"] }] },
    });
    const elsewhere = whole("d", { project_id: "acme/other" });
    expect((await post("/v2/acme/qa/calls/complete", { batch: [elsewhere] })).status).toBe(400);
    expect(await ids({ filter: { call_ids: ["d", "e"] } })).toEqual([]);
  });

  it.each([
    ["/call/start", '{"start": {"a": NaN}}', "the request: is not a JSON text: line 1, column 17"],
    ["/call/upsert_batch", '{"batch": [],', "the request: is not a JSON text: it ends too early"],
    [
      "/calls/query_stats",
      `${"[".repeat(2000)}${"]".repeat(2000)}`,
      "the request: must be nested at most 1000 levels deep",
    ],
  ])("are refused with 400 and the place where a body is no JSON: %s", async (path, body, reason) => {
    expect(await post(path, body)).toEqual({ status: 400, body: { reason } });
  });

  it("are refused where their body is packed in another way, with the ways that there are", async () => {
    const headers = {
      authorization: service.ann,
      "content-type": "application/json",
      "content-encoding": "br",
    };
    const answer = await fetch(`${service.url}/evals/call/start`, { method: "POST", headers, body: "{}" });
    const reason = "Content-Encoding must be gzip or identity, not br.";
    expect([answer.status, await answer.json()]).toEqual([415, { reason }]);
  });

  it("and bodies may be packed, and are limited by what was packed", async () => {
    expect((await sendPacked([whole("packed")])).status).toBe(200);
    expect(await ids({ filter: { call_ids: ["packed"] } })).toEqual(["packed"]);
    expect((await sendPacked([whole("large", { output: "x".repeat(30_000) })])).status).toBe(413);
    expect((await post("/obj/create", `{"obj":"${"x".repeat(30_000)}"}`)).status).toBe(413);
  });
});

function sendForm(parts: Record<string, string | Blob>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.set(name, value);
  return fetch(`${service.url}/evals/file/create`, {
    method: "POST",
    headers: { authorization: service.ann },
    body: form,
  });
}

describe("files", () => {
  it("arrive as forms and come back as bytes", async () => {
    const bytes = Buffer.from([0, 1, 2, 255, 13, 10]);
    const created = await sendForm({ project_id: PROJECT, file: new Blob([bytes]) });
    const { digest } = (await created.json()) as { digest: string };
    const read = await service.post("/evals/file/content", { project_id: PROJECT, digest });
    expect(read.headers.get("content-type")).toBe("application/octet-stream");
    expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
    const wrong = { project_id: PROJECT, file: new Blob([bytes]), expected_digest: "x" };
    expect((await sendForm(wrong)).status).toBe(409);
  });

  it("are refused where the form has no file, is no form, or is too large", async () => {
    expect((await sendForm({ project_id: PROJECT })).status).toBe(422);
    expect((await sendForm({ file: new Blob(["x"]) })).status).toBe(422);
    expect((await sendForm({ project_id: PROJECT, file: new Blob(["x".repeat(60_000)]) })).status).toBe(413);
    expect((await post("/file/create", {})).status).toBe(415);
    const broken = await fetch(`${service.url}/evals/file/create`, {
      method: "POST",
      headers: { authorization: service.ann, "content-type": "multipart/form-data; boundary=x" },
      body: "no form",
    });
    expect(broken.status).toBe(400);
    expect((await post("/file/content", { project_id: PROJECT, digest: "x" })).status).toBe(404);
  });
});

function record(id: string | null, others: object = {}) {
  return {
    project_id: PROJECT,
    weave_ref: `weave:///${PROJECT}/call/fed`,
    feedback_type: "wandb.reaction.1",
    payload: { emoji: "👍" },
    id,
    scorer_tags: [],
    scorer_ratings: {},
    span_agent_name: "",
    span_status_code: "UNSET",
    ...others,
  };
}

describe("feedback under the names of the SDKs", () => {
  it("of a score call is stored once, also where the sender leaves its id to the service", async () => {
    const score = (output: number, others: object = {}) =>
      record(null, {
        weave_ref: `weave:///${PROJECT}/call/scored`,
        feedback_type: "wandb.runnable.right",
        payload: { output },
        runnable_ref: `weave:///${PROJECT}/op/right:v1`,
        call_ref: `weave:///${PROJECT}/call/scored-right`,
        ...others,
      });
    const first = await post("/feedback/create", score(1));
    expect(first.status).toBe(200);
    expect(await post("/feedback/create", score(1))).toEqual(first);
    expect(await post("/feedback/batch/create", { batch: [score(1), score(2)] })).toMatchObject({
      body: { res: [first.body, { payload: { output: 2 } }] },
    });
    const remark = { ...score(1), feedback_type: "mine", runnable_ref: null, call_ref: null };
    for (const one of [remark, remark]) expect((await post("/feedback/create", one)).status).toBe(200);
    const on = { $eq: [{ $getField: "weave_ref" }, { $literal: `weave:///${PROJECT}/call/scored` }] };
    expect((await post("/feedback/query", { project_id: PROJECT, query: { $expr: on } })).body).toMatchObject(
      {
        total_count: 4,
      },
    );
    for (const { id } of (await service.engine.feedback.list(PROJECT)).data)
      await service.engine.feedback.purge(PROJECT, { ids: [id] });
  });

  it("is stored once, in one form, and shown in both", async () => {
    const created = await post("/feedback/create", record("f1"));
    expect(created).toMatchObject({
      status: 200,
      body: { id: "f1", wb_user_id: "ann", payload: { emoji: "👍" } },
    });
    expect(await post("/feedback/create", record("f1"))).toEqual(created);
    expect((await post("/feedback/create", record("f1", { payload: { emoji: "👎" } }))).status).toBe(409);
    const scored = record("f2", {
      feedback_type: "wandb.runnable.exact",
      payload: { output: 1.5 },
      runnable_ref: `weave:///${PROJECT}/object/exact:v1`,
      scorer_tags: ["good"],
    });
    const free = record("f3", { feedback_type: "mine", payload: { n: 1 } });
    expect(await post("/traces/feedback/batch/create", { batch: [scored, free] })).toMatchObject({
      status: 200,
      body: { res: [{ id: "f2" }, { id: "f3", wb_user_id: "ann" }] },
    });
    const inside = await service.engine.feedback.list(PROJECT);
    expect(inside.data.map((one) => one.feedback_type)).toEqual([
      "svc.reaction.1",
      "svc.runnable.exact",
      "mine",
    ]);
    const on = { $eq: [{ $getField: "weave_ref" }, { $literal: `weave:///${PROJECT}/call/fed` }] };
    const asked = (expression: object, others: object = {}) =>
      post("/feedback/query", { project_id: PROJECT, query: { $expr: expression }, ...others });
    expect((await asked(on)).body).toMatchObject({
      total_count: 3,
      result: [
        { id: "f1", feedback_type: "wandb.reaction.1" },
        { runnable_ref: `weave:///${PROJECT}/object/exact:v1` },
        { id: "f3" },
      ],
    });
    const above = { $and: [on, { $gt: [{ $getField: "payload.output" }, { $literal: 1 }] }] };
    expect((await asked(above, { fields: ["id"] })).body).toEqual({ total_count: 1, result: [{ id: "f2" }] });
    await post("/v2/acme/qa/calls/complete", { batch: [whole("fed")] });
    const [line] = await lines({ filter: { call_ids: ["fed"] }, include_feedback: true });
    expect(line).toMatchObject({
      summary: { weave: { feedback: [{ id: "f1" }, { id: "f2" }, { id: "f3" }] } },
    });
    const query = { $expr: { $eq: [{ $getField: "id" }, { $literal: "f1" }] } };
    expect(await post("/feedback/purge", { project_id: PROJECT, query })).toEqual({ status: 200, body: {} });
    expect((await asked(on)).body).toMatchObject({ total_count: 2 });
  });

  it("is all there beside its call, however much it is", async () => {
    await post("/v2/acme/qa/calls/complete", { batch: [whole("rated")] });
    const batch = Array.from({ length: 1100 }, (_, n) => ({
      project_id: PROJECT,
      id: `rating-${n}`,
      weave_ref: `weave:///${PROJECT}/call/rated`,
      feedback_type: "rating",
      payload: { n },
    }));
    expect(await post("/feedback/batch/create", { batch })).toMatchObject({ status: 200 });
    const [line] = await lines({ filter: { call_ids: ["rated"] }, include_feedback: true });
    const { feedback } = (line as unknown as { summary: { weave: { feedback: { id: string }[] } } }).summary
      .weave;
    expect(new Set(feedback.map(({ id }) => id))).toEqual(new Set(batch.map(({ id }) => id)));
  });

  it("keeps the rules, and says where in the batch one is broken", async () => {
    const batch = [record("g1"), record("g2", { payload: { emoji: "two" } })];
    expect((await post("/feedback/batch/create", { batch })).status).toBe(400);
    const both = { ...record("g3"), svc_ref: `svc:///${PROJECT}/call/c` };
    expect(await post("/feedback/create", both)).toMatchObject({ status: 422 });
    const malformed = await post("/feedback/create", record("g4", { weave_ref: "x" }));
    expect(malformed).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "weave_ref"] }] } });
    expect((await service.engine.feedback.list(PROJECT)).data.map((one) => one.id)).not.toContain("g1");
  });
});

describe("a key", () => {
  const ref = `weave:///${PROJECT}/object/secret:latest`;
  const FOREIGN: readonly (readonly [path: string, body: object])[] = [
    ["/service/projects_info", { project_ids: [PROJECT] }],
    ["/v2/acme/qa/calls/complete", { batch: [] }],
    [
      "/v2/other/project/calls/complete",
      { batch: [whole("z", { project_id: "other/project" }), whole("z")] },
    ],
    ["/v2/other/project/call/start", { start: start("z") }],
    ["/v2/other/project/call/end", { end: end("z") }],
    ["/call/start", { start: start("z") }],
    ["/call/end", { end: end("z") }],
    ["/call/upsert_batch", { batch: [{ mode: "end", req: { end: end("z") } }] }],
    ["/call/update", { project_id: PROJECT, call_id: "z", display_name: "z" }],
    ["/calls/delete", { project_id: PROJECT, call_ids: ["z"] }],
    ["/calls/stream_query", { project_id: PROJECT }],
    ["/calls/query_stats", { project_id: PROJECT }],
    ["/call/read", { project_id: PROJECT, id: "z" }],
    ["/obj/create", { obj: { project_id: PROJECT, object_id: "z", val: 1 } }],
    ["/obj/read", { project_id: PROJECT, object_id: "secret", digest: "latest" }],
    ["/objs/query", { project_id: PROJECT }],
    ["/table/create", { table: { project_id: PROJECT, rows: [] } }],
    ["/table/create_from_digests", { project_id: PROJECT, row_digests: [] }],
    ["/table/update", { project_id: PROJECT, base_digest: "z", updates: [] }],
    ["/table/query", { project_id: PROJECT, digest: "z" }],
    ["/table/query_stats", { project_id: PROJECT, digest: "z" }],
    ["/file/content", { project_id: PROJECT, digest: "z" }],
    ["/refs/read_batch", { refs: [ref] }],
    ["/feedback/query", { project_id: PROJECT }],
    ["/feedback/create", { project_id: PROJECT, weave_ref: ref, feedback_type: "x", payload: {} }],
    [
      "/feedback/batch/create",
      { batch: [{ project_id: PROJECT, weave_ref: ref, feedback_type: "x", payload: {} }] },
    ],
  ];

  it.each(FOREIGN)("for another project is refused by %s, also below /traces", async (path, body) => {
    expect((await post(path, body, service.eve)).status).toBe(403);
    expect((await post(`/traces${path}`, body, service.eve)).status).toBe(403);
    expect((await post(path, body, "Basic eA==")).status).toBe(401);
  });

  it("of another project does not store files", async () => {
    const form = new FormData();
    form.set("project_id", PROJECT);
    form.set("file", new Blob(["x"]));
    const init = { method: "POST", headers: { authorization: service.eve }, body: form };
    expect((await fetch(`${service.url}/evals/file/create`, init)).status).toBe(403);
  });
});
