import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord, type Engine } from "../../src/index.ts";
import { connect, serviceOf, type Asker } from "./clients.ts";

/** Names, inputs and scores of many lengths: 24 evaluations, 120 rows, 70 fields. */
function* calls(): Generator<CallRecord> {
  for (let i = 0; i < 24; i++) {
    const id = `run-${String(i).padStart(2, "0")}`;
    const started_at = `2026-01-01T00:${String(i).padStart(2, "0")}:00Z`;
    const root = {
      id,
      project_id: "big/one",
      op_name: "Evaluation.evaluate",
      started_at,
      ended_at: started_at,
    };
    yield { ...root, display_name: `run ${"x".repeat(i)}`, output: {} };
    for (let row = 0; row < (i < 2 ? 120 : 4); row++)
      yield {
        id: `${id}-${row}`,
        project_id: "big/one",
        op_name: "Evaluation.predict_and_score",
        parent_id: id,
        started_at,
        inputs: {
          example: { row, text: `${"long ".repeat(row % 40)}${row}`, ...parts(row % 3 === 0 ? "a" : "b") },
        },
        output: {
          output: `answer ${"y".repeat(row)}`,
          scores: { correct: (row + i) % 3 > 0, judge: scores(row + i) },
        },
      };
  }
}

const parts = (name: string) =>
  Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`${name}${i}`, { deep: i }]));
const scores = (n: number) =>
  Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`s${i}`, (n * (i + 3)) % 7]));

let engine: Engine;
let asker: Asker;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([...calls()]);
  asker = await connect("2025-11-25", serviceOf(engine).transport());
  return async () => {
    await asker.close();
    await engine.close();
  };
});

const RUNS = ["run-00", "run-01"];

/** Tools with a cursor: what they are asked, and what their items are known by. */
// eslint-disable-next-line typescript/no-explicit-any
type Items = (data: any) => readonly unknown[];
const PAGED: readonly (readonly [tool: string, args: object, items: Items, least: number])[] = [
  [
    "rows",
    { evaluations: RUNS },
    (data) => data.rows.map((one: { row_digest: string }) => one.row_digest),
    1500,
  ],
  [
    "rows",
    { evaluations: RUNS, include_outputs: true, sort_by: ["scores.correct:difference"] },
    (data) => data.rows.map((one: { row_digest: string }) => one.row_digest),
    1500,
  ],
  ["list_evaluations", {}, (data) => data.evaluations.map((one: { id: string }) => one.id), 1500],
  ["describe_fields", {}, (data) => data.fields.map((one: { field: string }) => one.field), 1500],
  [
    "compare",
    { baseline: "run-00", candidates: ["run-01", "run-02"] },
    (data) =>
      data.comparisons.map((one: Record<string, string>) => [
        one["candidate"],
        one["scorer_key"],
        one["path"],
      ]),
    2500,
  ],
  [
    "leaderboard",
    {},
    (data) => data.entries.map((one: { evaluation_call_id: string }) => one.evaluation_call_id),
    2500,
  ],
  [
    "summary",
    { evaluations: RUNS },
    (data) =>
      data.evaluations.flatMap(
        (one: { evaluation_call_id: string; scorer_stats: Record<string, string>[] }) =>
          one.scorer_stats.map((stats) => [one.evaluation_call_id, stats["scorer_key"], stats["path"]]),
      ),
    2500,
  ],
];

describe("following next gives every item once", () => {
  it.each(
    PAGED.flatMap((one) =>
      [1500, 2500, 8192].filter((bytes) => bytes >= one[3]).map((bytes) => [...one, bytes] as const),
    ),
  )("%s %j", async (tool, args, items, _least, max_bytes) => {
    const whole = await asker.call(tool, { ...args, max_bytes: 1_000_000 });
    const wanted = items(whole.structured.data);
    expect(whole.structured.next).toBeNull();
    const found: unknown[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page = await asker.call(tool, { ...args, max_bytes, ...(cursor === null ? {} : { cursor }) });
      expect(page.structured).not.toHaveProperty("error");
      expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(max_bytes);
      expect(Buffer.byteLength(JSON.stringify(page.structured))).toBeLessThanOrEqual(max_bytes);
      found.push(...items(page.structured.data));
      cursor = page.structured.next as string | null;
      expect(cursor?.length ?? 0).toBeLessThanOrEqual(500);
      pages++;
    } while (cursor !== null && pages < 2000);
    expect(found).toEqual(wanted);
    expect(pages > 1).toBe(Buffer.byteLength(whole.text) > max_bytes);
  });
});

it("keeps every answer within max_bytes, errors too, and text and data say the same", async () => {
  const asked: (readonly [string, object])[] = [
    ...PAGED.map(([tool, args]) => [tool, args] as const),
    ["row", { row: "?", evaluations: RUNS }],
    ["sql", { statement: "select * from trials order by trial_id" }],
    ["sql", { statement: "select lpad('', 100000, 'long ') as t" }],
    ["compare", { baseline: "x".repeat(100_000), candidates: ["y".repeat(100_000)] }],
    ["rows", { evaluations: RUNS, filters: Array.from({ length: 300 }, () => "?") }],
  ];
  const { structured } = await asker.call("rows", {
    evaluations: RUNS,
    include_outputs: true,
    max_bytes: 2000,
  });
  const digest = String(structured.data.rows[0].row_digest);
  for (const [tool, args] of asked)
    for (const max_bytes of [1000, 1001, 1234, 1500, 3000, 8192, 20_000, 1_000_000]) {
      const wanted = tool === "row" ? { ...args, row: digest } : args;
      const { text, structured: told, isError } = await asker.call(tool, { ...wanted, max_bytes });
      expect(Buffer.byteLength(text), `${tool} ${max_bytes}`).toBeLessThanOrEqual(max_bytes);
      expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThanOrEqual(max_bytes);
      if (isError) continue;
      const { says, warnings, note, data, next, request } = told;
      const notes = [...warnings.map((one: string) => `note: ${one}`), ...(note === null ? [] : [note])];
      expect(text).toBe([...says, ...notes, "", JSON.stringify({ data, next, request })].join("\n"));
    }
});

async function refused(tool: string, args: object): Promise<string> {
  return (await asker.call(tool, { ...args })).structured.error.reason as string;
}

describe("a cursor", () => {
  it("belongs to its tool and its other arguments, but for max_bytes", async () => {
    const { structured } = await asker.call("rows", { evaluations: RUNS, max_bytes: 2000 });
    const cursor = structured.next as string;
    expect((await asker.call("rows", { evaluations: RUNS, cursor, max_bytes: 5000 })).isError).toBe(false);
    const said = "cursor: it belongs to another tool or to other arguments; begin again without it.";
    expect(await refused("rows", { evaluations: ["run-00"], cursor })).toBe(said);
    expect(await refused("list_evaluations", { cursor })).toBe(said);
  });

  it.each(["", "?", "aaaa", "5", "MTAw", "x".repeat(100)])(
    "that is broken (%j) is refused",
    async (cursor) => {
      expect(await refused("rows", { evaluations: RUNS, cursor })).toBe(
        "cursor: it is broken; begin again without it.",
      );
    },
  );
});

it("cuts long quoted values, and says how long they are", async () => {
  const evaluations = ["run-00"];
  const { structured: told } = await asker.call("sql", {
    statement: "select lpad('', 1000, 'é') as t",
    max_bytes: 1200,
  });
  const [[value]] = told.data.records;
  expect(value.bytes).toBe(2000);
  expect("é".repeat(1000)).toContain(value.$cut);
  expect(value.$cut.length).toBeGreaterThan(100);
  const { structured: all } = await asker.call("rows", { evaluations, limit: 3, include_outputs: true });
  expect(all.data.rows).toHaveLength(3);
  expect(all.request.stdin).toMatchObject({ limit: 3, offset: 0 });
  const cut = await asker.call("rows", { evaluations, limit: 1000, max_bytes: 1500 });
  expect(cut.structured.request.stdin).not.toHaveProperty("limit");
  expect(cut.structured.says).toEqual([`120 rows, ${cut.structured.data.rows.length} shown`]);
});
