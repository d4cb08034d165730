import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { nextTurn } from "../../src/model/turns.ts";
import { createFeedback } from "../../src/feedback/feedback.ts";
import { basic, startService, type TestService } from "../http/running-service.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { openMemoryRecords, openRecords } from "../support/record-database.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

const CALL = "svc:///acme/qa/call/c1";
const OBJECT = "svc:///acme/qa/object/judge:v1";
const OP = "svc:///acme/qa/op/score:v1";
const RECORD = { project_id: "acme/qa", svc_ref: CALL, feedback_type: "free", payload: { a: 1 } };

function create(record: unknown): Promise<Response> {
  return service.fetch("/feedback/create", {
    method: "POST",
    body: typeof record === "string" ? record : JSON.stringify(record),
    headers: { authorization: basic(service.key), "content-type": "application/json" },
  });
}

function createWith(id: string, payload: string): Promise<Response> {
  return create(JSON.stringify({ ...RECORD, id }).replace('{"a":1}', payload));
}

describe("feedback", () => {
  it("that is sent a thousand times at once is checked over several turns, each as it was when it was sent", async () => {
    const records = await openRecords();
    onTestFinished(() => records.close());
    const store = createSqlFeedbackStore(records);
    let stored = 0;
    const feedback = createFeedback({
      ...store,
      insert: (record) => {
        stored++;
        return store.insert(record);
      },
    });
    const payload = { n: 0, words: Array.from({ length: 100 }, (_, i) => `word ${i}`) };
    const sent = Array.from({ length: 1000 }, (_, n) => {
      payload.n = n;
      return feedback.create({ ...RECORD, payload }, { userId: "ann" });
    });
    await nextTurn();
    expect(stored).toBeLessThan(1000);
    const numbers = (await Promise.all(sent)).map((one) => (one.payload as { n: number }).n);
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  });

  it("is stored under a new id with the server's time and the key's user", async () => {
    const response = await create(RECORD);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as unknown,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as unknown,
      svc_user_id: "ann",
      payload: { a: 1 },
    });
  });

  it("keeps every digit of its payload", async () => {
    const response = await create(
      JSON.stringify(RECORD).replace('{"a":1}', '{"n":9007199254740993,"x":1.0}'),
    );
    expect(await response.text()).toContain('"payload":{"n":9007199254740993,"x":1}');
  });

  it("keeps numbers beyond a double's range, as calls do", async () => {
    const payload = '{"a":1e400,"b":[-1.5E+999,{"c":1e-400}]}';
    const first = await createWith("large", payload);
    expect(first.status).toBe(200);
    const answer = await first.text();
    expect(answer).toContain('"payload":{"a":1e400,"b":[-1.5E+999,{"c":0}]}');
    const again = await createWith("large", '{ "b": [-1.5E+999, {"c": 0}], "a": 1e400 }');
    expect(await again.text()).toBe(answer);
    for (const other of ['{"a":1e401}', '{"a":null}']) {
      expect((await createWith(other, '{"a":1e400}')).status).toBe(200);
      expect((await createWith(other, other)).status).toBe(409);
    }
  });

  it("with an id is one record, however often it is sent, and cannot be changed", async () => {
    const record = { ...RECORD, id: "mine", creator: null, payload: { b: 1, a: 2 } };
    const first = await (await create(record)).text();
    expect(await (await create({ ...record, payload: { a: 2, b: 1 }, creator: undefined })).text()).toBe(
      first,
    );
    const other = await create({ ...record, payload: {} });
    expect(other.status).toBe(409);
    expect(await other.json()).toEqual({ reason: expect.any(String) as unknown });
    const elsewhere = {
      ...RECORD,
      id: "mine",
      project_id: "acme/other",
      svc_ref: "svc:///acme/other/call/c",
    };
    expect((await create(elsewhere)).status).toBe(200);
  });

  it.each([
    ["project_id", { project_id: "acme" }],
    ["svc_ref", { svc_ref: "nothing" }],
    ["feedback_type", { feedback_type: "" }],
    ["payload", { payload: [] }],
    ["payload", { payload: undefined }],
    ["id", { id: "" }],
    ["id", { id: "x".repeat(129) }],
    ["svc_user_id", { svc_user_id: "ann" }],
    ["call_ref", { call_ref: "x" }],
    ["surprise", { surprise: 1 }],
    ["creator", { creator: 1 }],
  ])("with a malformed %s (%j) is a 422 that says so", async (name, change) => {
    const response = await create({ ...RECORD, ...change });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      reason: expect.any(String) as unknown,
      detail: [{ loc: ["body", name] }],
    });
  });

  it.each([
    ["one emoji", { feedback_type: "svc.reaction.1", payload: { emoji: "👍🏽", alias: ":+1:" } }],
    ["an emoji without variation selector", { feedback_type: "svc.reaction.1", payload: { emoji: "❤" } }],
    ["a family", { feedback_type: "svc.reaction.1", payload: { emoji: "👨‍👩‍👧" } }],
    ["a note of 1024 characters", { feedback_type: "svc.note.1", payload: { note: "😀".repeat(1024) } }],
    [
      "an annotation",
      { feedback_type: "svc.annotation.judge", payload: { value: null }, annotation_ref: OBJECT },
    ],
    [
      "a runnable object",
      { feedback_type: "svc.runnable.judge", payload: { output: 1 }, runnable_ref: OBJECT },
    ],
    [
      "a runnable op",
      {
        feedback_type: "svc.runnable.score",
        payload: { output: 1 },
        runnable_ref: OP,
        call_ref: CALL,
        trigger_ref: OBJECT,
      },
    ],
    ["a reference to an object", { svc_ref: OBJECT, queue_id: "q", creator: "me" }],
    ["a reference to an op", { svc_ref: OP }],
    ["nulls", { svc_user_id: null, id: null, call_ref: null }],
    ["a type like ours", { feedback_type: "svcx.y" }],
  ])("may be %s", async (_name, change) => {
    const response = await create({ ...RECORD, ...change });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  });

  it.each([
    ["two emoji", { feedback_type: "svc.reaction.1", payload: { emoji: "👍👍" } }],
    ["a letter for an emoji", { feedback_type: "svc.reaction.1", payload: { emoji: "a" } }],
    ["a digit for an emoji", { feedback_type: "svc.reaction.1", payload: { emoji: "1" } }],
    ["no emoji", { feedback_type: "svc.reaction.1", payload: {} }],
    ["an empty note", { feedback_type: "svc.note.1", payload: { note: "" } }],
    ["a long note", { feedback_type: "svc.note.1", payload: { note: "x".repeat(1025) } }],
    [
      "an annotation of another name",
      { feedback_type: "svc.annotation.x", payload: { value: 1 }, annotation_ref: OBJECT },
    ],
    ["an annotation without reference", { feedback_type: "svc.annotation.judge", payload: { value: 1 } }],
    [
      "an annotation without value",
      { feedback_type: "svc.annotation.judge", payload: {}, annotation_ref: OBJECT },
    ],
    [
      "an annotation by an op",
      { feedback_type: "svc.annotation.score", payload: { value: 1 }, annotation_ref: OP },
    ],
    [
      "a runnable op without call",
      { feedback_type: "svc.runnable.score", payload: { output: 1 }, runnable_ref: OP },
    ],
    ["a runnable without output", { feedback_type: "svc.runnable.judge", payload: {}, runnable_ref: OBJECT }],
    ["a reserved type", { feedback_type: "svc.note.2" }],
    ["a stray annotation_ref", { annotation_ref: OBJECT }],
    ["a stray runnable_ref", { runnable_ref: OP }],
    ["a stray call_ref", { call_ref: CALL }],
    ["a stray trigger_ref", { trigger_ref: OBJECT }],
    ["a reference to another project", { svc_ref: "svc:///acme/other/call/c" }],
    [
      "an annotation of another project",
      {
        feedback_type: "svc.annotation.judge",
        payload: { value: 1 },
        annotation_ref: OBJECT.replace("/qa/", "/b/"),
      },
    ],
    [
      "a runnable of another project",
      {
        feedback_type: "svc.runnable.judge",
        payload: { output: 1 },
        runnable_ref: OBJECT.replace("/qa/", "/b/"),
      },
    ],
    [
      "a runnable called in another project",
      {
        feedback_type: "svc.runnable.score",
        payload: { output: 1 },
        runnable_ref: OP,
        call_ref: CALL.replace("/qa/", "/b/"),
      },
    ],
    [
      "a runnable triggered in another project",
      {
        feedback_type: "svc.runnable.judge",
        payload: { output: 1 },
        runnable_ref: OBJECT,
        trigger_ref: OBJECT.replace("/qa/", "/b/"),
      },
    ],
    [
      "an annotation without a name",
      { feedback_type: "svc.annotation.", payload: { value: 1 }, annotation_ref: OBJECT },
    ],
    [
      "a runnable without a name",
      { feedback_type: "svc.runnable.", payload: { output: 1 }, runnable_ref: OBJECT },
    ],
    ["a family in capitals", { feedback_type: "svc.Note.1", payload: { note: "x" } }],
    ["a note in numbers", { feedback_type: "svc.note.1", payload: { note: 1 } }],
  ])("cannot be %s", async (_name, change) => {
    const response = await create({ ...RECORD, ...change });
    expect(response.status).toBe(400);
    expect(Object.keys((await response.json()) as object)).toEqual(["reason"]);
  });

  it("is of the user who sent it first: the same id from another user is taken", async () => {
    const keys = [generateKey("ann", ["acme/*"], new Date()), generateKey("bob", ["acme/*"], new Date())];
    const shared = await startService({ keys: { version: 1, keys: keys.map(({ entry }) => entry) } });
    const send = (key: string) =>
      shared.fetch("/feedback/create", {
        method: "POST",
        body: JSON.stringify({ ...RECORD, id: "one" }),
        headers: { authorization: basic(key), "content-type": "application/json" },
      });
    const statuses: number[] = [];
    for (const { key } of [...keys, ...keys]) statuses.push((await send(key)).status);
    expect(statuses).toEqual([200, 409, 200, 409]);
    await shared.stop();
  });

  it.each([
    [
      "names of prototypes",
      '{"__proto__":{"a":1},"constructor":{"prototype":{"polluted":1}},"toString":null}',
    ],
    [
      "control characters and both quotes",
      String.raw`{"a'\u0000\u001f\"b":"\u2028'; DROP TABLE feedback; --"}`,
    ],
    ["numbers of any size", '{"a":123456789012345678901234567890,"b":-9223372036854775809}'],
  ])("keeps %s in its payload as they are", async (_name, payload) => {
    const response = await create(JSON.stringify(RECORD).replace('{"a":1}', () => payload));
    expect(response.status).toBe(200);
    expect(JSON.parse(await response.text())).toHaveProperty("payload", JSON.parse(payload));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("keeps to the key's projects and to a payload of 1 MiB", async () => {
    expect((await create({ ...RECORD, project_id: "other/qa" })).status).toBe(403);
    const fitting = { pad: "x".repeat((1 << 20) - 10) };
    expect((await create({ ...RECORD, payload: fitting })).status).toBe(200);
    expect((await create({ ...RECORD, payload: { pad: `${fitting.pad}x` } })).status).toBe(413);
    const digits = JSON.stringify({ ...RECORD, payload: { pad: "x".repeat(9 << 20) } }).replace(
      "{",
      '{"creator":"12345678901234567890",',
    );
    expect((await create(digits)).status).toBe(413);
  });
});

describe("a list of feedback", () => {
  it("is of one project, filtered, oldest first, in pages", async () => {
    const { feedback, close } = await openMemoryRecords();
    onTestFinished(close);
    const add = (change: Record<string, unknown>) =>
      feedback.create({ ...RECORD, ...change }, { userId: "u" });
    for (let at = 0; at < 5; at++) await add({ id: `f${at}`, feedback_type: at % 2 === 0 ? "even" : "odd" });
    await add({ project_id: "acme/b", svc_ref: "svc:///acme/b/call/x" });
    const ids = async (options = {}) => (await feedback.list("acme/qa", options)).data.map(({ id }) => id);
    expect(await ids()).toEqual(["f0", "f1", "f2", "f3", "f4"]);
    expect(await ids({ feedback_type: "odd" })).toEqual(["f1", "f3"]);
    expect(await ids({ svc_ref: OBJECT })).toEqual([]);
    expect(await ids({ after: "f1", limit: 2 })).toEqual(["f2", "f3"]);
    expect(await feedback.list("acme/qa", { limit: 5 })).toMatchObject({ has_more: false });
    const third = (await feedback.list("acme/qa")).data[2]?.created_at ?? "";
    expect(await ids({ since: third })).toEqual(["f2", "f3", "f4"]);
    expect(await ids({ until: third })).toEqual(["f0", "f1"]);
    await expect(ids({ after: "none" })).rejects.toMatchObject({ issues: [{ type: "invalid_cursor" }] });
    await expect(ids({ since: "yesterday" })).rejects.toThrow("since: must be an ISO 8601 time");
    await expect(ids({ limit: 0 })).rejects.toThrow("limit");
  });
});
