import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFeedback, type Feedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import type { RecordStore, Store } from "../../src/store/session.ts";
import { openRecords } from "../support/record-database.ts";
import { basic, startService, type TestService } from "../http/running-service.ts";
import { createTraining } from "../../src/training/training.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";

let store: RecordStore & Store;
let feedback: Feedback;
let service: TestService;

beforeAll(async () => {
  store = await openRecords();
  feedback = createFeedback(createSqlFeedbackStore(store));
  service = await startService({
    records: { feedback, training: createTraining(createSqlTrainingStore(store)) },
  });
});
afterAll(async () => {
  await service.stop();
  await store.close();
});

let project = "";
let count = 0;
beforeEach(() => {
  project = `acme/batch-${++count}`;
});

function record(members: object = {}, of = project) {
  const own = { project_id: of, svc_ref: `svc:///${of}/call/c`, feedback_type: "free", payload: {} };
  return { ...own, ...members };
}

const ANN = { userId: "ann" };

async function idsIn(projectId: string): Promise<string[]> {
  return (await feedback.list(projectId, { limit: 1000 })).data.map(({ id }) => id);
}

describe("many records at once", () => {
  it("are stored and answered in their order, with every digit", async () => {
    const payload = { n: 9007199254740993n };
    const sent = ["b", "a", undefined].map((id) => record({ payload, ...(id === undefined ? {} : { id }) }));
    const stored = await feedback.createMany(sent, ANN);
    expect(stored.map(({ id }) => id).slice(0, 2)).toEqual(["b", "a"]);
    expect(stored.map((one) => one.payload)).toEqual([payload, payload, payload]);
    expect((await feedback.list(project)).data).toEqual(stored);
  });

  it("may be of several projects", async () => {
    const other = `${project}-other`;
    await feedback.createMany([record({ id: "x" }), record({ id: "x" }, other)], ANN);
    expect([await idsIn(project), await idsIn(other)]).toEqual([["x"], ["x"]]);
  });

  it("may be none", async () => {
    expect(await feedback.createMany([], ANN)).toEqual([]);
  });

  it("are answered again where they are sent again, alone, in part or twice in one batch", async () => {
    const [first] = await feedback.createMany([record({ id: "a" })], ANN);
    const again = await feedback.createMany(
      [record({ id: "n" }), record({ id: "a" }), record({ id: "n" })],
      ANN,
    );
    expect(again[1]).toEqual(first);
    expect(again[2]).toEqual(again[0]);
    expect(await idsIn(project)).toEqual(["a", "n"]);
  });

  it.each([
    ["of a wrong shape", { feedback_type: 1 }, { path: [1, "feedback_type"], code: "invalid_request" }],
    [
      "without meaning",
      { feedback_type: "svc.none" },
      { path: [1, "feedback_type"], code: "unsupported_request" },
    ],
    ["with an id that is taken", { id: "taken", payload: { other: 1 } }, { code: "conflict" }],
    ["with an id of the same batch", { id: "new", payload: { other: 1 } }, { code: "conflict" }],
    ["that is too large", { payload: { text: "x".repeat(1024 * 1024) } }, { code: "payload_too_large" }],
    ["that JSON cannot hold", { payload: { n: Number.NaN } }, { path: [1, "payload", "n"] }],
  ])("are all refused for one %s, which is named", async (_, fault, error) => {
    await feedback.create(record({ id: "taken" }), ANN);
    const sent = [record({ id: "new" }), record(fault), record()];
    await expect(feedback.createMany(sent, ANN)).rejects.toMatchObject(error);
    await expect(feedback.createMany(sent, ANN)).rejects.toThrow(/^\[1\]/);
    expect(await idsIn(project)).toEqual(["taken"]);
  });

  it("are refused where they are no list, and where nobody gives them", async () => {
    await expect(feedback.createMany(JSON.parse("{}") as [], ANN)).rejects.toMatchObject({ path: [] });
    await expect(feedback.createMany([record()], { userId: "" })).rejects.toMatchObject({
      path: ["options", "userId"],
    });
  });
});

const given = () => [
  record({ id: "a", feedback_type: "kind" }),
  record({ id: "b", svc_ref: `svc:///${project}/call/other` }),
  record({ id: "c" }),
];

describe("a purge", () => {
  it.each([
    ["ids", () => ({ ids: ["a", "c", "none"] }), ["b"]],
    ["no ids", () => ({ ids: [] }), ["a", "b", "c"]],
    ["a reference", () => ({ svc_ref: `svc:///${project}/call/c` }), ["b"]],
    ["a type", () => ({ feedback_type: "free" }), ["a"]],
    ["ids of a type", () => ({ ids: ["a", "b"], feedback_type: "free" }), ["a", "c"]],
  ])("by %s deletes these and tells how many, in its project alone", async (_, selection, left) => {
    await feedback.createMany([...given(), record({ id: "a" }, `${project}-other`)], ANN);
    expect(await feedback.purge(project, selection())).toEqual({ purged: 3 - left.length });
    expect((await feedback.list(project)).data.map(({ id }) => id)).toEqual(left);
    expect((await feedback.list(`${project}-other`)).data).toHaveLength(1);
    await feedback.purge(project, { ids: ["a", "b", "c"] });
  });

  it("lets the id be used again", async () => {
    await feedback.create(record({ id: "a" }), ANN);
    await feedback.purge(project, { ids: ["a"] });
    await feedback.create(record({ id: "a", payload: { other: 1 } }), ANN);
    expect(await idsIn(project)).toEqual(["a"]);
  });

  it("of everything is refused, and of what is misspelt", async () => {
    await expect(feedback.purge(project, {})).rejects.toThrow("must name ids");
    const misspelt = JSON.parse('{ "id": ["a"] }') as object;
    await expect(feedback.purge(project, misspelt)).rejects.toMatchObject({ path: ["selection", "id"] });
  });
});

async function post(
  path: string,
  body: unknown,
  key = service.key,
): Promise<{ status: number; body: unknown }> {
  const response = await service.fetch(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { authorization: basic(key), "content-type": "application/json" },
  });
  return { status: response.status, body: await response.json() };
}
const batch = (...records: unknown[]) => post("/feedback/batch/create", { batch: records });

const idField = { $getField: "id" };
const literal = (value: unknown) => ({ $literal: value });
const purge = (expression: object, of = project) =>
  post("/feedback/purge", { project_id: of, query: { $expr: expression } });

describe("over HTTP", () => {
  it("a batch is answered in order, as each record alone would be", async () => {
    const { status, body } = await batch(record({ id: "b", payload: { n: 1 } }), record({ id: "a" }));
    expect(status).toBe(200);
    const { res } = body as { readonly res: readonly { readonly id: string }[] };
    expect(res.map(({ id }) => id)).toEqual(["b", "a"]);
    const alone = await post("/feedback/create", record({ id: "b", payload: { n: 1 } }));
    expect(alone.body).toEqual(res[0]);
  });

  it("a batch keeps every digit", async () => {
    const text = JSON.stringify({ batch: [record()] }).replace(
      '"payload":{}',
      '"payload":{"n":9007199254740993}',
    );
    const response = await service.fetch("/feedback/batch/create", {
      method: "POST",
      body: text,
      headers: { authorization: basic(service.key), "content-type": "application/json" },
    });
    expect(await response.text()).toContain('"payload":{"n":9007199254740993}');
  });

  it.each([
    [422, "a record of a wrong shape", () => record({ svc_ref: "no" }), ["body", "batch", 1, "svc_ref"]],
    [400, "a record without meaning", () => record({ feedback_type: "svc.x" }), undefined],
    [403, "a record of a foreign project", () => record({}, "other/qa"), undefined],
    [409, "a record with a taken id", () => record({ id: "a", payload: { n: 2 } }), undefined],
    [
      422,
      "a user of the sender's choice",
      () => record({ svc_user_id: "bob" }),
      ["body", "batch", 1, "svc_user_id"],
    ],
  ])("a batch is answered with %i for %s, and nothing is stored", async (status, _, bad, loc) => {
    const refused = await batch(record({ id: "a" }), bad());
    expect(refused.status).toBe(status);
    expect(refused.body).toMatchObject(loc === undefined ? {} : { detail: [{ loc }] });
    expect(await idsIn(project)).toEqual([]);
  });

  it.each([{}, { batch: {} }, { batch: [], more: 1 }, []])(
    "a body that is no batch is 422: %j",
    async (body) => {
      expect((await post("/feedback/batch/create", body)).status).toBe(422);
    },
  );

  it.each([
    ["equal", { $eq: [idField, literal("a")] }, ["b", "c"]],
    ["among others", { $in: [idField, [literal("a"), literal("b")]] }, ["c"]],
    [
      "one or the other",
      { $or: [{ $eq: [idField, literal("a")] }, { $in: [idField, [literal("c")]] }] },
      ["b"],
    ],
  ])("a purge takes ids that are %s", async (_, expression, left) => {
    await feedback.createMany(
      ["a", "b", "c"].map((one) => record({ id: one })),
      ANN,
    );
    expect(await purge(expression)).toEqual({ status: 200, body: {} });
    expect(await idsIn(project)).toEqual(left);
  });

  it.each([
    ["another field", { $eq: [{ $getField: "svc_ref" }, literal("a")] }],
    ["what is no text", { $eq: [idField, literal(1)] }],
    ["another operator", { $not: [{ $eq: [idField, literal("a")] }] }],
    [
      "a list with another field",
      { $or: [{ $eq: [idField, literal("a")] }, { $eq: [{ $getField: "x" }, literal("a")] }] },
    ],
    ["nothing", {}],
  ])("a purge by %s is refused", async (_, expression) => {
    await feedback.create(record({ id: "a" }), ANN);
    expect((await purge(expression)).status).toBe(400);
    expect(await idsIn(project)).toEqual(["a"]);
  });

  it("a purge in a foreign project is refused", async () => {
    await feedback.create(record({ id: "a" }, "other/qa"), ANN);
    expect((await purge({ $eq: [idField, literal("a")] }, "other/qa")).status).toBe(403);
    expect(await idsIn("other/qa")).toEqual(["a"]);
  });
});
