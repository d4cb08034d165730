import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOnServer } from "../support/record-database.ts";
import { because } from "../support/skipped.ts";
import { startWeave, type WeaveService } from "./service.ts";

let service: WeaveService;

beforeAll(async () => {
  service = await startWeave();
});

afterAll(async () => {
  await service.stop();
});

async function post(path: string, body: unknown, as?: string) {
  const response = await service.post(path, body, as === undefined ? {} : { as });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as Record<string, unknown> };
}

const TARGET = "weave:///acme/qa/call/t1";

const record = (id: string | undefined, others: object = {}) => ({
  project_id: "acme/qa",
  weave_ref: TARGET,
  feedback_type: "wandb.agent_monitor",
  payload: { output: 1 },
  ...(id === undefined ? {} : { id }),
  ...others,
});

interface Listed {
  readonly result: readonly Record<string, unknown>[];
  readonly total_count: number;
}

async function listed(query?: unknown, others: object = {}): Promise<Listed> {
  const { body } = await post("/feedback/query", {
    project_id: "acme/qa",
    ...(query === undefined ? {} : { query: { $expr: query } }),
    ...others,
  });
  return body as unknown as Listed;
}

const statusOf = async (others: object) => (await post("/feedback/create", record("x", others))).status;

const replace = (feedback_id: string, id: string | undefined, others: object = {}) =>
  post("/feedback/replace", { feedback_id, ...record(id, { payload: { v: 1 }, ...others }) });

const isId = (id: string) => ({ $eq: [{ $getField: "id" }, { $literal: id }] });

describe("what scorers say beside a payload", () => {
  it("is kept digit for digit, shown under every name, and empty where nothing was said", async () => {
    const said = `{"project_id":"acme/qa","weave_ref":"${TARGET}","feedback_type":"wandb.agent_monitor","payload":{},"id":"d1",
      "scorer_tags":["a","a"],"scorer_ratings":{"_rating_":0.5,"more":12345678901234567890},"scorer_tag_reasons":{},
      "span_agent_name":"helper","span_status_code":"UNSET","wb_user_id":"somebody",
      "runnable_ref":"weave:///acme/qa/object/monitor:v1","trigger_ref":"weave:///acme/qa/object/trigger:v1","call_ref":"weave:///acme/qa/call/c"}`;
    expect((await post("/feedback/create", said)).status).toBe(200);
    const { text } = await post("/feedback/query", { project_id: "acme/qa", query: { $expr: isId("d1") } });
    expect(text).toContain('"scorer_ratings":{"_rating_":0.5,"more":12345678901234567890}');
    const { result } = await listed(isId("d1"));
    expect(result[0]).toMatchObject({
      wb_user_id: "ann",
      scorer_tags: ["a", "a"],
      scorer_tag_confidences: {},
      scorer_rating_confidences: {},
      scorer_tag_reasons: {},
      scorer_rating_reasons: {},
      scorer_trace_id: "",
      span_agent_name: "helper",
      span_agent_version: "",
      span_conversation_id: "",
      span_status_code: "UNSET",
      span_trace_id: "",
    });
    expect(Object.keys(result[0] ?? {})).not.toContain("weave");
    const again = said.replace('"helper"', '"other"');
    expect((await post("/feedback/create", said)).status).toBe(200);
    expect((await post("/feedback/create", again)).status).toBe(409);
  });

  it("is taken beside svc_ref too, and can be asked for", async () => {
    const { weave_ref: _, ...rest } = record("d2", { scorer_ratings: { _rating_: 2 }, wb_user_id: null });
    const sent = { ...rest, feedback_type: "mine", svc_ref: "svc:///acme/qa/call/t2" };
    expect((await post("/feedback/batch/create", { batch: [sent] })).status).toBe(200);
    const rated = { $gt: [{ $getField: "scorer_ratings._rating_" }, { $literal: 1 }] };
    const { result } = await listed(rated, { fields: ["id", "scorer_ratings"] });
    expect(result).toEqual([{ id: "d2", scorer_ratings: { _rating_: 2 } }]);
    const sorted = await listed(undefined, { sort_by: [{ field: "span_agent_name", direction: "desc" }] });
    expect(sorted.result.map(({ id }) => id)).toEqual(["d1", "d2"]);
    expect(await post("/feedback/create", { ...sent, id: "d3", wb_user_id: "eve" })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "wb_user_id"] }] },
    });
  });

  it("is refused where it is of another type, with its place", async () => {
    for (const [member, value, place] of [
      ["scorer_tags", [1], ["scorer_tags", 0]],
      ["scorer_ratings", { a: "1" }, ["scorer_ratings", "a"]],
      ["scorer_tag_reasons", { a: 1 }, ["scorer_tag_reasons", "a"]],
      ["span_agent_name", 1, ["span_agent_name"]],
    ] as const) {
      const { status, body } = await post("/feedback/create", record("bad", { [member]: value }));
      expect([status, body["detail"]]).toMatchObject([422, [{ loc: ["body", ...place] }]]);
    }
    const beyond = JSON.stringify(record("bad", { scorer_ratings: { a: 1 } })).replace('"a":1', '"a":1e400');
    expect((await post("/feedback/create", beyond)).status).toBe(422);
    expect((await listed(isId("bad"))).total_count).toBe(0);
  });

  it("may be about a turn, a conversation or a span of an agent, and about nothing else that is new", async () => {
    for (const kind of ["agent_turn", "agent_conversation", "agent_span"]) {
      const weave_ref = `weave:///acme/qa/${kind}/x1`;
      const payload = { emoji: "👍" };
      const sent = record(kind, { weave_ref, feedback_type: "wandb.reaction.1", payload });
      expect((await post("/feedback/create", sent)).status).toBe(200);
      expect((await listed(isId(kind))).result[0]).toMatchObject({ weave_ref });
    }
    expect(await statusOf({ weave_ref: "weave:///acme/qa/agent_turn/a/b" })).toBe(422);
    expect(await statusOf({ weave_ref: "weave:///acme/qa/agent/a" })).toBe(422);
    expect(await statusOf({ weave_ref: "weave:///other/project/agent_turn/a" })).toBe(400);
    expect(await statusOf({ runnable_ref: "weave:///acme/qa/agent_turn/a" })).toBe(422);
    expect(await statusOf({ runnable_ref: TARGET })).toBe(400);
    expect(await statusOf({ feedback_type: "mine", call_ref: TARGET })).toBe(400);
  });
});

describe.runIf(isOnServer)("feedback/replace on a server, which cannot undo a delete", () => {
  it("is refused for good, and nothing has changed", async () => {
    await post("/feedback/create", record("o1"));
    const response = await service.post("/feedback/replace", {
      feedback_id: "o1",
      ...record(undefined, { payload: {} }),
    });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([501, "false"]);
    expect((await listed(isId("o1"))).result[0]).toMatchObject({ payload: { output: 1 } });
  });
});

const NO_REPLACE = isOnServer ? "a server cannot undo a delete" : null;

describe.skipIf(isOnServer)(`feedback/replace${because(NO_REPLACE)}`, () => {
  it("stores one record instead of another, and a repeated request changes nothing", async () => {
    const created = await post("/feedback/create", record("r1"));
    const replaced = await replace("r1", undefined);
    expect(replaced).toMatchObject({ status: 200, body: { id: "r1", payload: { v: 1 }, wb_user_id: "ann" } });
    expect(String(replaced.body["created_at"]) > String(created.body["created_at"])).toBe(true);
    expect((await replace("r1", undefined)).body).toEqual(replaced.body);
    expect(await replace("r1", "r2")).toMatchObject({ status: 200, body: { id: "r2" } });
    expect([(await listed(isId("r1"))).total_count, (await listed(isId("r2"))).total_count]).toEqual([0, 1]);
    expect(await replace("r1", "r2")).toMatchObject({ status: 200, body: { id: "r2" } });
    expect(await replace("unknown", undefined)).toMatchObject({ status: 200, body: { id: "unknown" } });
  });

  it("changes nothing where it is refused", async () => {
    await post("/feedback/create", record("k1"));
    await post("/feedback/create", record("k2"));
    expect((await replace("k1", "k2")).status).toBe(409);
    expect((await replace("k1", undefined, { scorer_tags: 1 })).status).toBe(422);
    expect((await replace("k1", undefined, { call_ref: "weave:///acme/qa/object/a:v1" })).status).toBe(400);
    expect((await replace("k1", undefined, { payload: { text: "x".repeat(1_100_000) } })).status).toBe(413);
    expect((await replace("", undefined)).status).toBe(422);
    expect((await replace("k".repeat(129), undefined)).status).toBe(422);
    expect((await post("/feedback/replace", record("k1"), service.eve)).status).toBe(422);
    const foreign = { feedback_id: "k1", ...record(undefined) };
    expect((await post("/feedback/replace", foreign, service.eve)).status).toBe(403);
    for (const id of ["k1", "k2"])
      expect((await listed(isId(id))).result[0]).toMatchObject({ payload: { output: 1 } });
  });

  it("takes the names of evalcube as well", async () => {
    const { weave_ref: _, ...rest } = record(undefined, { feedback_type: "mine", feedback_id: "s1" });
    const sent = { ...rest, svc_ref: "svc:///acme/qa/call/t3" };
    expect(await post("/feedback/replace", sent)).toMatchObject({
      status: 200,
      body: { id: "s1", svc_user_id: "ann" },
    });
    expect((await post("/feedback/replace", { ...sent, surprise: 1 })).status).toBe(422);
  });
});
