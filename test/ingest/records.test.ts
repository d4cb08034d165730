import { describe, expect, it } from "vitest";
import { EVALUATION, ndjson, PROJECT, root, stream, trial } from "../support/records.ts";
import { askAll, storedIds } from "../support/queries.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine } from "../support/scratch.ts";

const T1 = trial("t1", { q: 1 }, { acc: 1 });
const T2 = trial("t2", { q: 2 }, { acc: 0 });
const T3 = trial("t3", { q: 3 }, { acc: 0.5 });

function without(name: string): object {
  return Object.fromEntries(Object.entries(T1).filter(([member]) => member !== name));
}

/** So many scores under the shortest names. */
function ones(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [i.toString(36), 1]));
}

describe("a record of calls", () => {
  it.each(["id", "project_id", "op_name", "started_at"])("needs %s", async (name) => {
    const engine = await scratchEngine();
    for (const record of [without(name), { ...T1, [name]: null }] as object[]) {
      const error = await refusal(engine.ingestCalls<object>([T2, record]));
      expect(error).toMatchObject({ code: "invalid_record", position: 2, path: [name] });
      expect(error.message).toMatch(/is required/);
    }
    expect(await storedIds(engine)).toEqual([]);
  });

  it.each([
    ["id", [1, true, {}, [], ""]],
    ["project_id", [1, {}, "", "acme", "acme/qa/x", "acme/", "/qa", "ac\nme/qa"]],
    ["op_name", [1, {}, []]],
    ["trace_id", [1, {}, []]],
    ["parent_id", [1, {}, []]],
    ["display_name", [1, {}, []]],
    ["exception", [1, {}, []]],
    ["attributes", [1, "x", []]],
    ["inputs", [1, "x", []]],
    ["summary", [1, "x", []]],
    [
      "started_at",
      [
        1.5,
        -1,
        1e300,
        true,
        {},
        "",
        "yesterday",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-02-30T00:00:00Z",
      ],
    ],
    ["ended_at", [-1, {}, "2026-01-01T24:00:00Z", "2026-01-01 00:00"]],
    ["deleted_at", [-1, true, "soon"]],
  ])("refuses %s of a wrong type", async (name, values: readonly unknown[]) => {
    const engine = await scratchEngine();
    for (const value of values) {
      const error = await refusal(engine.ingestCalls([{ ...T1, [name]: value }]));
      expect(error).toMatchObject({ code: "invalid_record", position: 1, path: [name] });
      expect(error.message).toMatch(/must/);
    }
  });

  it.each(["a\0b", "\0"])("refuses ids with U+0000", async (text) => {
    const engine = await scratchEngine();
    for (const name of ["id", "parent_id", "trace_id", "display_name", "op_name", "exception"]) {
      const error = await refusal(engine.ingestCalls([{ ...T1, [name]: text }]));
      expect(error).toMatchObject({ code: "invalid_record", path: [name] });
    }
  });

  it("of a trial has at most 10,000 dimensions, however short their names are", async () => {
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls([trial("t4", { q: 4 }, ones(10_001))]));
    expect(error).toMatchObject({ code: "invalid_record", position: 1, path: ["output", "scores"] });
    await engine.ingestCalls([trial("t4", { q: 4 }, ones(10_000))]);
    expect(await storedIds(engine)).toEqual(["t4"]);
  });

  it("takes any JSON for an output, null for what is optional, and times in any offset", async () => {
    const engine = await scratchEngine();
    const optional = Object.fromEntries(
      ["trace_id", "display_name", "ended_at", "exception", "attributes", "summary", "deleted_at"].map(
        (name) => [name, null],
      ),
    );
    const records = [null, 1, "x", true, [1], {}].map((output, i) =>
      trial(`t${i}`, i, {}, { ...optional, output }),
    );
    await engine.ingestCalls([...records, { ...T1, started_at: "2026-01-01T05:30:00.123456+05:30" }]);
    expect(await storedIds(engine)).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"]);
  });

  it("takes Date values and bigint values", async () => {
    const engine = await scratchEngine();
    const started_at = new Date("2026-01-31T12:00:00.250Z");
    await engine.ingestCalls([
      root(EVALUATION, { started_at }),
      trial("t", { n: 2n ** 64n }, { n: -(2n ** 53n) - 1n }),
    ]);
    expect(await engine.listEvaluations(PROJECT)).toMatchObject([
      { started_at: "2026-01-31T12:00:00.250000Z" },
    ]);
    const json = await engine.queryEvalResultsJson(PROJECT, {
      evaluation_call_ids: [EVALUATION],
      include_raw_data_rows: true,
    });
    expect(json).toContain('"raw_data_row":{"n":18446744073709551616}');
    expect(json).toContain('"scores":{"n":-9007199254740993}');
  });

  it("keeps integers beyond 2^53 digit for digit through text and back", async () => {
    const engine = await scratchEngine();
    const digits = "123456789012345678901234567890";
    const line = JSON.stringify(trial("t", "EXAMPLE", { n: "SCORE" }))
      .replace('"EXAMPLE"', `{"n":[${digits},-9007199254740993]}`)
      .replace('"SCORE"', digits);
    await engine.ingestCalls(stream([line]));
    const json = await engine.queryEvalResultsJson(PROJECT, {
      evaluation_call_ids: [EVALUATION],
      include_raw_data_rows: true,
    });
    expect(json).toContain(`"raw_data_row":{"n":[${digits},-9007199254740993]}`);
    expect(json).toContain(`"scores":{"n":${digits}}`);
    const { rows } = await askAll(engine);
    expect(rows[0]?.raw_data_row).toEqual({ n: [BigInt(digits), -9007199254740993n] });
  });

  it("counts members that are not a call's own", async () => {
    const engine = await scratchEngine();
    const records = [{ ...T1, wb_user_ids: "u", Inputs: {} }, { ...T2, wb_user_ids: null }, T3];
    expect(await engine.ingestCalls(records)).toMatchObject({
      unknown_members: { wb_user_ids: 2, Inputs: 1 },
    });
  });

  it.each([undefined, { projectId: PROJECT, user: "ann", mayDelete: true }])(
    "does not count who stored a call or hid it, sent by %j",
    async (sender) => {
      const engine = await scratchEngine();
      const hidden = { ...T2, deleted_at: "2026-01-01T00:00:00Z", deleted_by: "zoe" };
      const records = [{ ...T1, wb_user_id: "zoe" }, hidden, { ...T3, wb_user_id: 7, deleted_by: null }];
      const { unknown_members, stored } = await engine.ingestCalls(records, { sender });
      expect({ unknown_members, stored }).toEqual({ unknown_members: {}, stored: 3 });
    },
  );
});

describe("a record of dataset rows", () => {
  it.each<[string, unknown, (string | number)[]]>([
    ["no project", { digest: "d", val: 1 }, ["project_id"]],
    ["a malformed project", { project_id: "acme", digest: "d", val: 1 }, ["project_id"]],
    ["no value", { project_id: PROJECT, digest: "d" }, ["val"]],
    ["a digest that is no text", { project_id: PROJECT, digest: 1, val: 1 }, ["digest"]],
    ["an empty digest", { project_id: PROJECT, digest: "", val: 1 }, ["digest"]],
  ])("is refused with %s", async (_fault, record, where) => {
    const engine = await scratchEngine();
    const good = { project_id: PROJECT, digest: "good", val: 1 };
    expect(await refusal(engine.ingestRows([good, record]))).toMatchObject({ position: 2, path: where });
    expect(await engine.ingestRows([good])).toMatchObject({ stored: 1, unchanged: 0 });
  });

  it("counts what is stored, unchanged and unknown", async () => {
    const engine = await scratchEngine();
    const rows = [
      { project_id: PROJECT, val: null },
      { project_id: PROJECT, digest: null, val: { b: 1, a: 2 } },
      { project_id: PROJECT, digest: "d", val: 1, note: "x" },
      { project_id: PROJECT, digest: "d", val: 2 },
    ];
    const first = await engine.ingestRows(rows);
    expect(first).toEqual({
      received: 4,
      stored: 4,
      unchanged: 0,
      rejected: [],
      unknown_members: { note: 1 },
      epoch_times: {},
      evaluations: 0,
      trials: 0,
      unattached: 0,
      unused_ops: {},
    });
    expect(await engine.ingestRows(rows.filter((_, i) => i !== 2))).toMatchObject({
      stored: 0,
      unchanged: 3,
    });
  });

  it("answers for the trials that refer to it, the later of two with one digest", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([trial("t", "svc:///acme/qa/object/data:v1/attr/rows/id/d1")]);
    const resolved = async () => (await askAll(engine, { resolve_row_refs: true })).rows[0]?.raw_data_row;
    expect(await resolved()).toBe("svc:///acme/qa/object/data:v1/attr/rows/id/d1");
    await engine.ingestRows(stream([ndjson([{ project_id: PROJECT, digest: "d1", val: "first" }])]));
    expect(await resolved()).toBe("first");
    await engine.ingestRows([1, 2, 3].map((n) => ({ project_id: PROJECT, digest: "d1", val: { n } })));
    expect(await resolved()).toEqual({ n: 3 });
  });
});
