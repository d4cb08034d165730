import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type Json } from "../../src/index.ts";
import { closedJson } from "../../src/respond/query/cut-values.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const LONG = '€ and "more" \\ 😀\n'.repeat(20_000);
const CHAT = {
  messages: Array.from({ length: 2000 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `said ${i} ${"x".repeat(80)}`,
  })),
};
const OUTPUTS: readonly Json[] = [
  "short",
  "m".repeat(20_000),
  LONG,
  CHAT,
  { text: LONG, after: 1 },
  [1, LONG],
  Number.MAX_VALUE,
];
const inputOf = (i: number): Json => (i === 1 ? { i, image: LONG } : { i });

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  const trials = OUTPUTS.flatMap((output, i) =>
    ["e", "f"].map((parent_id) =>
      trial(`${parent_id}${i}`, inputOf(i), {}, { parent_id, output: { output, scores: { good: true } } }),
    ),
  );
  await engine.ingestCalls([root("e"), root("f"), ...trials]);
});
afterAll(() => engine.close());

async function shown(asked: object) {
  const { rows } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["e"],
    include_raw_data_rows: true,
    ...asked,
  });
  return rows
    .flatMap((row) => row.evaluations.flatMap(({ trials }) => trials.map((one) => ({ row, one }))))
    .map(({ row, one }) => ({ row, one, i: Number(one.predict_and_score_call_id.slice(1)) }))
    .toSorted((a, b) => a.i - b.i);
}

/** Whether a value is the beginning of another, in which the last text, list or object may have less. */
function begins(part: Json, whole: Json): boolean {
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (typeof part !== "object" || part === null || typeof whole !== "object" || whole === null)
    return part === whole;
  const of = whole as Record<string, Json>;
  return (
    Array.isArray(part) === Array.isArray(whole) &&
    Object.entries(part).every(
      ([name, value], i) => Object.keys(of)[i] === name && begins(value, of[name] ?? null),
    )
  );
}

const bytesOf = (value: Json) => Buffer.byteLength(JSON.stringify(value));

describe("long values of an answer", () => {
  it.each([
    ["start", 65_536, 65_536 - 16, 65_536],
    ["head", 4096, 190, 1000],
  ] as const)(
    "are cut to their %s, values of the same kind, with the size of the whole",
    async (long_values, most, least, limit) => {
      const values = (await shown({ long_values })).flatMap(({ row, one, i }) => [
        { part: one.model_output, bytes: one.output_bytes, whole: OUTPUTS[i] ?? null },
        { part: row.raw_data_row, bytes: row.row_bytes, whole: inputOf(i) },
      ]);
      const short = values.filter(({ whole }) => bytesOf(whole) <= most);
      expect(short.map(({ part }) => part)).toEqual(short.map(({ whole }) => whole));
      expect(short.filter(({ bytes }) => bytes !== undefined)).toEqual([]);
      const long = values.filter(({ whole }) => bytesOf(whole) > most);
      expect(long.map(({ bytes }) => bytes)).toEqual(long.map(({ whole }) => bytesOf(whole)));
      expect(long.filter(({ part, whole }) => !begins(part, whole))).toEqual([]);
      const sizes = long.filter(({ whole }) => whole !== CHAT).map(({ part }) => bytesOf(part));
      expect(sizes.length).toBeGreaterThan(3);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...long.map(({ part }) => bytesOf(part)))).toBeLessThanOrEqual(limit + 16);
    },
  );

  it("are whole where nothing else is asked, as lines, and of the one row that is asked for", async () => {
    const whole = await shown({});
    expect(whole.map(({ one }) => one.model_output)).toEqual(OUTPUTS);
    expect(await shown({ long_values: null })).toEqual(whole);
    expect(await shown({ long_values: "whole" })).toEqual(whole);
    const lines = await shown({ include_outputs: "line", long_values: "head" });
    const asLines = await shown({ include_outputs: "line" });
    expect(lines.map(({ one }) => one)).toEqual(asLines.map(({ one }) => one));
    const none = await shown({ include_outputs: false, long_values: "start" });
    expect(none.map(({ one }) => one.model_output)).toEqual(OUTPUTS.map(() => null));
  });

  it("do not change what filters, searches and sorts find", async () => {
    const asked = { search: "said 1999", include_outputs: true };
    expect((await shown({ ...asked, long_values: "head" })).map(({ i }) => i)).toEqual([3]);
  });

  it("are refused in another word", async () => {
    await expect(shown({ long_values: "tail" })).rejects.toThrow(/long_values/);
  });
});

describe("the start of JSON", () => {
  it.each([
    ['{"a":1,"b":"x', '{"a":1,"b":"x"}'],
    ['{"a":1,"b', '{"a":1}'],
    ['{"a":1,"b":', '{"a":1}'],
    ['{"a":12', "{}"],
    ['{"a":tru', "{}"],
    ['[1,2,{"c":[[', '[1,2,{"c":[[]]}]'],
    ['"a\\', '"a"'],
    ['"a\\\\', '"a\\\\"'],
    ['"a\\u00e', '"a"'],
    ['"a\\\\u00e', '"a\\\\u00e"'],
    ['["}{,:", "', '["}{,:", ""]'],
    ["1234", '"1234"'],
    ["", '""'],
  ])("%j is closed as %j", (start, closed) => {
    expect(closedJson(start)).toBe(closed);
  });

  it("is the start of the value wherever it is cut", () => {
    const value: Json = {
      a: [1, -2.5e-7, { 'k"\\': "v\n\u0001" }, [], {}],
      b: null,
      "": "\\u12",
      c: [true, "é"],
    };
    const json = JSON.stringify(value);
    for (let at = 1; at <= json.length; at++)
      expect(begins(JSON.parse(closedJson(json.slice(0, at))) as Json, value)).toBe(true);
  });
});
