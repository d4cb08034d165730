import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";

/** A text of so many characters, words with escapes and characters of several bytes between them. */
function words(seed: number, length: number): string {
  let state = seed + 1;
  const next = () => (state = (state * 48271) % 2147483647);
  const parts: string[] = [];
  for (let at = 0; at < length; at += parts.at(-1)?.length ?? 0)
    parts.push(`${next().toString(36)}${["\n", " ", ' "ä" ', " 語\\", " €😀 "][next() % 5] ?? ""}`);
  return parts.join("").slice(0, length).toWellFormed();
}

const NEEDLE = 'find "me" ß\n';
const HEAD = "h".repeat(30_000);

const OUTPUTS: readonly unknown[] = [
  words(1, 20_000),
  { messages: [{ role: "user", content: words(2, 9000) }], answer: "yes", n: 12 },
  `${words(3, 4090)}${NEEDLE}${words(4, 3000)}`,
  "short",
  { messages: [], answer: "no", n: 3 },
  `${HEAD}b${words(5, 100)}`,
  `${HEAD}a${words(6, 100)}`,
  `${HEAD}a${words(6, 100)}`,
  ["x".repeat(5000), NEEDLE],
  null,
  HEAD.slice(0, 4000),
];
const INPUTS = OUTPUTS.map((_, i) => (i % 3 === 0 ? { q: i, text: words(100 + i, 6000) } : { q: i }));

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-test-"));
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ path: path.join(folder, "texts.db") });
  const trials = OUTPUTS.map((output, i) =>
    trial(`t${i}`, INPUTS[i], {}, { output: { output, scores: { s: i % 2 === 0 } } }),
  );
  await engine.ingestCalls([root(), ...trials]);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (asked: object) => {
  const { rows } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [EVALUATION],
    ...asked,
  });
  return rows.map((row) => {
    const [shown] = row.evaluations.flatMap(({ trials }) => trials);
    return Number(shown?.predict_and_score_call_id.slice(1));
  });
};

const spelled = (value: unknown) =>
  typeof value === "string" ? value : value === null ? null : JSON.stringify(value);

const order = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

const lines = async (format: "jsonl" | "json" | "csv") => {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => (pieces.push(Buffer.from(chunk)), done()),
  });
  await engine.exportResults(
    PROJECT,
    { evaluation_call_ids: [EVALUATION], include_raw_data_rows: true },
    { format, stream },
  );
  return Buffer.concat(pieces).toString("utf8");
};

const select = async (statement: string) =>
  (await engine.sql(PROJECT, statement))
    .toArray()
    .map((one) => (one as { toJSON: () => Record<string, unknown> }).toJSON());

const filtered = (expr: object) =>
  ask({ filters: [{ query: { $expr: expr } }] }).then((found) => found.toSorted((a, b) => a - b));

it("a page has each text as it was sent", async () => {
  const { rows } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [EVALUATION],
    include_raw_data_rows: true,
  });
  const found = rows.flatMap((row) =>
    row.evaluations.flatMap(({ trials }) => trials.map((one) => ({ ...one, raw: row.raw_data_row }))),
  );
  const byId = new Map(found.map((one) => [one.predict_and_score_call_id, one]));
  expect(OUTPUTS.map((_, i) => byId.get(`t${i}`)?.model_output ?? null)).toEqual(OUTPUTS);
});

describe("conditions", () => {
  const all = OUTPUTS.map((_, i) => i);
  const holding = (part: string, text = spelled) => all.filter((i) => text(OUTPUTS[i])?.includes(part));
  const output = { $getField: "output.output" };

  it.each([NEEDLE, "语", "語", "hb", "answer", HEAD, "no such text", 'e"m'])("$contains %j", async (part) => {
    expect(await filtered({ $contains: { input: output, substr: { $literal: part } } })).toEqual(
      holding(part),
    );
  });

  it("$contains without regard to case", async () => {
    const asked = {
      $contains: {
        input: output,
        substr: { $literal: NEEDLE.toUpperCase().replace("SS", "ß") },
        case_insensitive: true,
      },
    };
    expect(await filtered(asked)).toEqual(holding(NEEDLE));
  });

  it("equality and paths below the text", async () => {
    expect(await filtered({ $eq: [output, { $literal: OUTPUTS[0] }] })).toEqual([0]);
    expect(await filtered({ $eq: [{ $literal: OUTPUTS[6] }, output] })).toEqual([6, 7]);
    expect(await filtered({ $eq: [output, { $literal: JSON.stringify(OUTPUTS[1]) }] })).toEqual([1]);
    const some = [OUTPUTS[2], JSON.stringify(OUTPUTS[8]), "short", `${HEAD}b`].map((one) => ({
      $literal: one,
    }));
    expect(await filtered({ $in: [output, some] })).toEqual([2, 3, 8]);
    expect(await filtered({ $in: [output, [...some, output]] })).toEqual(all.filter((i) => i !== 9));
    expect(await filtered({ $eq: [{ $getField: "output.output.answer" }, { $literal: "yes" }] })).toEqual([
      1,
    ]);
    expect(await filtered({ $gt: [{ $getField: "output.output.n" }, { $literal: 5 }] })).toEqual([1]);
    expect(
      await filtered({
        $contains: {
          input: { $getField: "output.output.messages.0.content" },
          substr: { $literal: words(2, 50) },
        },
      }),
    ).toEqual([1]);
    expect(await filtered({ $not: [{ $contains: { input: output, substr: { $literal: "h" } } }] })).toEqual(
      all.filter((i) => spelled(OUTPUTS[i])?.includes("h") === false),
    );
  });

  it("conditions on the rows", async () => {
    const part = words(103, 6000).slice(5000, 5050);
    expect(
      await filtered({ $contains: { input: { $getField: "inputs.text" }, substr: { $literal: part } } }),
    ).toEqual([3]);
  });

  it("beside others", async () => {
    const both = {
      $and: [
        { $contains: { input: output, substr: { $literal: "h" } } },
        { $eq: [{ $getField: "scores.s" }, { $literal: true }] },
      ],
    };
    expect(await filtered(both)).toEqual(holding("h").filter((i) => i % 2 === 0));
  });

  it("search", async () => {
    const found = await ask({ search: "FIND" });
    expect(found.toSorted((a, b) => a - b)).toEqual([2, 8]);
  });
});

it("sorts by whole texts, beyond a common head", async () => {
  const texts = OUTPUTS.map((value, i) => [i, value] as const).filter(([, value]) => value !== null);
  const expected = texts
    .toSorted(([i, a], [k, b]) => Buffer.compare(order(a), order(b)) || i - k)
    .map(([i]) => i);
  const found = await ask({ sort_by: [{ field: "output.output", direction: "asc" }] });
  expect(found.filter((i) => i !== 9 && i !== 7)).toEqual(expected.filter((i) => i !== 7));
});

describe("exports", () => {
  const expected = OUTPUTS.map((value) => (value === null ? null : JSON.stringify(value)));

  it("have whole texts as lines and as one list", async () => {
    for (const format of ["jsonl", "json"] as const) {
      const text = await lines(format);
      const records = (
        format === "json"
          ? JSON.parse(text)
          : text
              .trim()
              .split("\n")
              .map((one) => JSON.parse(one))
      ) as Record<string, string>[];
      const byId = new Map(records.map((one) => [one["predict_and_score_call_id"], one]));
      expect(OUTPUTS.map((_, i) => byId.get(`t${i}`)?.["model_output"] ?? null)).toEqual(expected);
      expect(INPUTS.map((_, i) => byId.get(`t${i}`)?.["raw_data_row"])).toEqual(
        INPUTS.map((one) => JSON.stringify(one)),
      );
    }
  });

  it("have whole texts in Parquet and Arrow", async () => {
    const table = await engine.queryTable(PROJECT, { evaluation_call_ids: [EVALUATION] });
    const ids = table.getChild("predict_and_score_call_id");
    const outputs = table.getChild("model_output");
    const found = new Map(
      Array.from({ length: table.numRows }, (_, i) => [
        String(ids?.get(i)),
        outputs?.get(i) as string | null,
      ]),
    );
    expect(OUTPUTS.map((_, i) => found.get(`t${i}`) ?? null)).toEqual(expected);
  });
});

describe("SQL", () => {
  it("has whole texts in every view", async () => {
    const trials = await select("SELECT trial_id, model_output, output ->> '$.scores.s' AS s FROM trials");
    const byId = new Map(trials.map((one) => [one["trial_id"], one]));
    expect(OUTPUTS.map((_, i) => byId.get(`t${i}`)?.["model_output"] ?? null)).toEqual(
      OUTPUTS.map((one) => (one === null ? null : JSON.stringify(one))),
    );
    const calls = await select("SELECT id, record, inputs, output FROM calls WHERE id LIKE 't%'");
    for (const { id, record, inputs, output } of calls) {
      const i = Number(String(id).slice(1));
      expect(JSON.parse(String(record))).toMatchObject({
        inputs: { example: INPUTS[i] },
        output: { output: OUTPUTS[i] },
      });
      expect(JSON.parse(String(inputs))).toEqual({ example: INPUTS[i] });
      expect(JSON.parse(String(output))).toEqual({ output: OUTPUTS[i], scores: { s: i % 2 === 0 } });
    }
    const rows = await select("SELECT value FROM rows ORDER BY (value ->> '$.q')::INTEGER");
    expect(rows.map(({ value }) => JSON.parse(String(value)))).toEqual(INPUTS);
    const results = await select(
      "SELECT trial_id, model_output, row_value FROM results WHERE trial_id = 't0'",
    );
    expect(results.map((one) => [one["model_output"], one["row_value"]])).toEqual([
      [JSON.stringify(OUTPUTS[0]), JSON.stringify(INPUTS[0])],
    ]);
  });

  it("has no table beside the views", async () => {
    await expect(select("SELECT * FROM pieces")).rejects.toThrow(/pieces|text_mark/);
    await expect(select("SELECT * FROM main.text_mark")).rejects.toThrow(/pieces|text_mark/);
  });
});

describe("fields below long texts", () => {
  const numbers = { query: { $expr: { $gt: [{ $getField: "outputs.n" }, { $literal: 5 }] } } };

  it.each(["any", "all", "first", "mean"])("quantifier %s", async (quantifier) => {
    expect(await ask({ filters: [{ ...numbers, quantifier }] })).toEqual([1]);
  });

  it("numbers that are missing, and orders by them", async () => {
    const found = await ask({
      missing: { field: "outputs.n" },
      sort_by: [{ field: "inputs.q", direction: "asc" }],
    });
    expect(found).toEqual(OUTPUTS.map((_, i) => i).filter((i) => i !== 1 && i !== 4));
    const sorted = await ask({ sort_by: [{ field: "outputs.n", direction: "desc" }], limit: 2 });
    expect(sorted).toEqual([1, 4]);
  });

  it("orders by texts of rows", async () => {
    const texts = INPUTS.flatMap((input, i) =>
      "text" in input ? [[i, Buffer.from(input.text)] as const] : [],
    );
    const expected = texts.toSorted(([, a], [, b]) => Buffer.compare(a, b)).map(([i]) => i);
    const found = await ask({
      sort_by: [{ field: "inputs.text", direction: "asc" }],
      limit: expected.length,
    });
    expect(found).toEqual(expected);
  });

  it("slices by a field of long rows", async () => {
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: [EVALUATION],
      include_summary: true,
      by: "inputs.q",
    });
    expect(JSON.stringify(summary)).toContain('"slice_count":11');
  });
});
