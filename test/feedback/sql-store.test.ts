import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFeedback, type Feedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import type { RecordStore, Store } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { isOnServer, openRecords } from "../support/record-database.ts";
import { refusal } from "../support/refusal.ts";

let folder: string;
let store: RecordStore & Store;
let feedback: Feedback;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evalcube-feedback-"));
  store = await openRecords(join(folder, "f.duckdb"));
  feedback = createFeedback(createSqlFeedbackStore(store));
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const RECORD = {
  project_id: "acme/qa",
  svc_ref: "svc:///acme/qa/call/c",
  feedback_type: "free",
  payload: {},
};

describe("feedback in the database", () => {
  it("is kept with every digit and character", async () => {
    const payload = {
      n: 9007199254740993n,
      text: "'; DROP TABLE feedback; -- \u0000é😀",
      deep: [null, { "": true }],
    };
    const record = { ...RECORD, id: "'\"", creator: "nul\u0000", payload, queue_id: "q" };
    const stored = await feedback.create(record, { userId: "ann" });
    expect(stored).toMatchObject({ id: "'\"", creator: "nul\u0000", payload, queue_id: "q", call_ref: null });
    expect(await feedback.create(record, { userId: "ann" })).toEqual(stored);
    expect((await feedback.list("acme/qa")).data).toEqual([stored]);
    await expect(feedback.create(record, { userId: "bob" })).rejects.toMatchObject({ code: "conflict" });
    await expect(feedback.create({ ...record, id: "a\u0000b" }, { userId: "ann" })).rejects.toThrow("U+0000");
  });

  it("is read back with numbers beyond a double's range", async () => {
    const record = { ...RECORD, project_id: "acme/large", svc_ref: "svc:///acme/large/call/c", id: "x" };
    const text = JSON.stringify(record).replace('"payload":{}', '"payload":{"value":1e400}');
    const created = await feedback.createJson(text, { userId: "ann" });
    expect(created).toContain('"payload":{"value":1e400}');
    expect(await feedback.createJson(text, { userId: "ann" })).toBe(created);
    expect(await feedback.listJson("acme/large")).toMatch(
      /^\{"data":\[\{"id":"x",.*"payload":\{"value":1e400\}\}\],"has_more":false\}$/,
    );
    if (isOnServer) return;
    const stored = await store.read((session) =>
      session.rows(sql`SELECT json_extract(content, '/payload/value') FROM feedback WHERE id = 'x'`),
    );
    expect(stored).toEqual([["1e400"]]);
  });

  it.each([
    ["NaN", { payload: { a: [Number.NaN] } }, ["payload", "a", 0]],
    ["an infinity", { payload: { a: Infinity } }, ["payload", "a"]],
    ["a function", { payload: { f: () => 1 } }, ["payload", "f"]],
  ])("takes no %s from a program", async (_name, change, path) => {
    const error = await refusal(feedback.create({ ...RECORD, ...change }, { userId: "ann" }));
    expect(error).toMatchObject({ code: "invalid_request", path });
  });

  it.each(["", "{", "[1,]", `{"payload":${"[".repeat(2000)}${"]".repeat(2000)}}`])(
    "takes no text that is not JSON, or nests too deep (%#)",
    async (text) => {
      const error = await refusal(feedback.createJson(text, { userId: "ann" }));
      expect(error.message).toContain("must be a JSON text");
    },
  );

  it("of one id is one record though it is sent many times at once", async () => {
    const record = { ...RECORD, project_id: "acme/many", svc_ref: "svc:///acme/many/call/c", id: "x" };
    const all = await Promise.all(Array.from({ length: 20 }, () => feedback.create(record, { userId: "u" })));
    expect(new Set(all.map((one) => one.created_at)).size).toBe(1);
    expect((await feedback.list("acme/many")).data).toHaveLength(1);
  });

  it("is listed by project, reference, type and time, page by page", async () => {
    const add = (id: string, change: object) =>
      feedback.create(
        { ...RECORD, project_id: "acme/l", svc_ref: "svc:///acme/l/call/c", id, ...change },
        { userId: "u" },
      );
    for (let at = 0; at < 5; at++) await add(`f${at}`, { feedback_type: at % 2 === 0 ? "even" : "odd" });
    const ids = async (options = {}) => (await feedback.list("acme/l", options)).data.map(({ id }) => id);
    expect(await ids({ limit: 2 })).toEqual(["f0", "f1"]);
    expect(await ids({ limit: 2, after: "f1" })).toEqual(["f2", "f3"]);
    expect(await ids({ feedback_type: "odd", svc_ref: "svc:///acme/l/call/c" })).toEqual(["f1", "f3"]);
    const third = (await feedback.list("acme/l")).data[2]?.created_at ?? "";
    expect(await ids({ since: third, until: third })).toEqual([]);
    expect(await ids({ since: third })).toEqual(["f2", "f3", "f4"]);
  });

  it("is there when the database is opened again", async () => {
    const before = await feedback.list("acme/l");
    await store.close();
    store = await openRecords(join(folder, "f.duckdb"));
    feedback = createFeedback(createSqlFeedbackStore(store));
    expect(await feedback.list("acme/l")).toEqual(before);
  });
});
