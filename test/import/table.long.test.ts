import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Bool, Float64, tableToIPC, Utf8 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { openEngine, type ImportResult } from "../../src/index.ts";
import { tableOf } from "../arrow/table.ts";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { writeParquet } from "./lighteval-logs.ts";
import { answerOf, importBytes, importFile } from "./imports.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const folder = newFolders()();

const FILE = fileURLToPath(new URL("peer-logs/tables/zeroeval-gsm-wide.csv", SHARED_DATA));
const missing = existsSync(FILE) ? null : `no file ${FILE}`;

interface Figure {
  readonly run: string;
  readonly path: readonly string[];
  readonly stat: string;
  readonly value: number;
  readonly tolerance: number;
}

/** The published figures of a model. */
function published(model: string): Figure[] {
  const text = readFileSync(new URL("zeroeval-gsm/expected.json", SHARED_DATA), "utf8");
  const { checks } = JSON.parse(text) as { readonly checks: readonly Figure[] };
  return checks.filter(
    ({ run, path: [dimension], stat }) =>
      run === model &&
      ((dimension === "correct" && stat === "pass_rate") ||
        (dimension === "reason_len" && stat === "numeric_mean")),
  );
}

describe.skipIf(missing !== null)(`a real table${because(missing)}`, () => {
  it("has the figures that were published of its models", async () => {
    const { evaluations } = await importFile(engine, FILE, { table: { score: ["correct", "reason_len"] } });
    for (const { evaluation_call_id: id, model } of evaluations) {
      const { summary } = await engine.queryEvalResults("acme/qa", {
        evaluation_call_ids: [id],
        include_rows: false,
        include_summary: true,
      });
      const stats = summary?.evaluations[0]?.scorer_stats ?? [];
      const far = published(model).filter(({ path: [dimension], stat, value, tolerance }) => {
        const own = stats.find((one) => one.scorer_key === dimension);
        const computed = stat === "pass_rate" ? own?.pass_rate : own?.numeric_mean;
        return !(Math.abs((computed ?? Number.NaN) - value) <= tolerance);
      });
      expect({ model, far, figures: published(model).length }).toEqual({ model, far: [], figures: 2 });
    }
    expect(evaluations.length).toBe(3);
  });
});

const RECORDS = [
  {
    Model: "m1",
    sample_id: "007",
    question: "a?",
    response: "x",
    "Is Correct": true,
    judge_score: 0.5,
    lang: "de",
    note: "p",
  },
  {
    Model: "m1",
    sample_id: "8",
    question: "b?",
    response: "y",
    "Is Correct": false,
    judge_score: 12345678901234567n,
    lang: "en",
    note: "q",
  },
  {
    Model: "m2",
    sample_id: "007",
    question: "a?",
    response: "z",
    "Is Correct": true,
    judge_score: null,
    lang: "de",
    note: "r",
  },
];

function csv(delimiter: string, end = "\n"): string {
  const header = Object.keys(RECORDS[0] ?? {}).join(delimiter);
  const lines = RECORDS.map((record) =>
    Object.values(record)
      .map((value) => (value === null ? "" : String(value)))
      .join(delimiter),
  );
  return [header, ...lines, ""].join(end);
}

function json(record: object): string {
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === "bigint" ? `<${value}>` : value,
  ).replaceAll(/"<(\d+)>"/g, "$1");
}

async function parquet(): Promise<Buffer> {
  const file = path.join(folder, "made.parquet");
  const source = path.join(folder, "made.json");
  writeFileSync(source, RECORDS.map(json).join("\n"));
  await writeParquet(file, `SELECT * REPLACE (sample_id::VARCHAR AS sample_id) FROM read_json('${source}')`);
  return readFileSync(file);
}

const SHAPES: readonly (readonly [string, () => string | Buffer | Promise<Buffer>])[] = [
  ["CSV", () => csv(",")],
  ["CSV with semicolons, a mark and CRLF", () => `\uFEFF${csv(";", "\r\n")}`],
  ["TSV", () => csv("\t")],
  ["CSV of UTF-16", () => Buffer.from(`\uFEFF${csv("|")}`, "utf16le")],
  ["NDJSON", () => RECORDS.map(json).join("\n")],
  ["a JSON list", () => `[${RECORDS.map(json).join(",\n")}]`],
  [
    "columns and data",
    () => json({ columns: Object.keys(RECORDS[0] ?? {}), data: RECORDS.map(Object.values) }),
  ],
  ["Parquet", parquet],
  [
    "Arrow",
    () => {
      const names = Object.keys(RECORDS[0] ?? {}) as (keyof (typeof RECORDS)[number])[];
      const columns = names.map((name) => {
        const values = RECORDS.map((record) => record[name]);
        if (name === "Is Correct") return [name, [new Bool(), values]] as const;
        if (name !== "judge_score") return [name, [new Utf8(), values]] as const;
        return [
          name,
          [new Float64(), values.map((value) => (value === null ? null : Number(value)))],
        ] as const;
      });
      return Buffer.from(tableToIPC(tableOf(Object.fromEntries(columns))));
    },
  ],
];

describe("a table", () => {
  it.each(SHAPES)("of %s becomes an evaluation a model", async (shape, make) => {
    const file = path.join(folder, "quiz.data");
    const bytes = Buffer.from(await make());
    writeFileSync(file, bytes);
    const fresh = await openEngine();
    try {
      const result = await importFile(fresh, file);
      expect(result.evaluations).toMatchObject([
        { task: null, model: "m1", rows: 2, trials: 2, scorers: ["Is Correct", "judge_score"] },
        { task: null, model: "m2", rows: 1, trials: 1 },
      ]);
      expect(result.notes[0]).toContain("to the row: lang; to the trial: note");
      expect((await importBytes(fresh, bytes, {}, "quiz.data")).stored).toBe(0);
      const ids = result.evaluations.map((one) => one.evaluation_call_id);
      const { rows } = await answerOf(fresh, ...ids);
      const shared = rows.find((row) => row.evaluations.length === 2);
      expect(shared?.raw_data_row).toEqual({ row: "007", lang: "de", input: "a?" });
      expect(shared?.evaluations.map((one) => one.trials[0]?.scores)).toEqual([
        { "Is Correct": true, judge_score: 0.5 },
        { "Is Correct": true, judge_score: null },
      ]);
      const other = rows.find((row) => row.evaluations.length === 1)?.evaluations[0]?.trials[0];
      expect(other?.scores["judge_score"]).toBe(
        /Arrow|Parquet/.test(shape) ? 12345678901234568n : 12345678901234567n,
      );
    } finally {
      await fresh.close();
    }
  });

  it("of Parquet takes NaN and infinities as no value", async () => {
    const file = path.join(folder, "nan.parquet");
    await writeParquet(
      file,
      "SELECT id, 'm' AS model, score FROM (VALUES (1, 0.5), (2, 'nan'), (3, '-inf'::DOUBLE)) t(id, score)",
    );
    const { evaluations } = await importFile(engine, file);
    const { rows } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    const scores = rows.map((row) => row.evaluations[0]?.trials[0]?.scores["score"]);
    expect(scores.toSorted((a, b) => Number(b) - Number(a))).toEqual([0.5, null, null]);
  });

  it("keeps names that look like numbers, and counts what stands for nothing", async () => {
    const text = "id,model,score,flag,zip\n1,m,1.50,yes,01234\n2,m,NA,no,5\n3,m,-2e3,Yes,6\n";
    const result = await importBytes(engine, text, {
      table: { score: ["score", "flag"], field: "zip", taskName: "zips" },
    });
    expect(result.notes).toContain("score: 1 cells such as NA count as empty");
    const { rows } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
    const scores = rows.map((row) => row.evaluations[0]?.trials[0]?.scores);
    expect(scores).toContainEqual({ score: 1.5, flag: true });
    expect(scores).toContainEqual({ score: null, flag: false });
    expect(scores).toContainEqual({ score: -2000, flag: true });
    expect(rows.map((row) => (row.raw_data_row as { zip: string }).zip).toSorted()).toEqual([
      "01234",
      "5",
      "6",
    ]);
  });

  it("tells repeats of a row by their order, errors by their texts, and reads times, latency and tokens", async () => {
    const text = [
      "id,score,error,started_at,latency_ms,total_tokens,cost_usd",
      "a,1,,2026-01-01T00:00:02Z,500,7,0.25",
      'a,,"down, again",2026-01-01T00:00:01Z,,,',
    ].join("\n");
    const result = await importBytes(engine, text, { table: { modelName: "m", taskName: "t" } });
    expect(result.evaluations).toMatchObject([{ task: "t", model: "m", rows: 1, trials: 2, errors: 1 }]);
    expect(result.notes.join()).toContain("1 records repeat a row");
    const { rows } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
    const trials = rows[0]?.evaluations[0]?.trials.map((one) => [
      one.scores,
      one.model_latency_seconds,
      one.total_tokens,
    ]);
    expect(trials).toEqual([
      [{}, null, null],
      [{ score: 1 }, 0.5, 7],
    ]);
  });

  it("with a trial twice has it twice, as with a seed that is always the same", async () => {
    const text = "id,model,trial,score\n1,m,a,0\n1,m,b,0\n1,m,a,1\n";
    const result = await importBytes(engine, text, {}, "again.csv");
    expect(result.evaluations).toMatchObject([{ rows: 1, trials: 3 }]);
    expect(result.notes.join()).toContain("1 records repeat a row of their evaluation, or a trial of it");
    const { rows } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
    expect(rows[0]?.evaluations[0]?.trials.map((one) => one.scores)).toEqual([
      { score: 0 },
      { score: 1 },
      { score: 0 },
    ]);
  });

  it("of one record a score joins the scores of a trial, however far apart", async () => {
    const text = [
      "question_id,model,metric,value",
      "q1,m,bleu,0.5",
      "q2,m,bleu,0.25",
      "q1,m,judge,good",
      "q1,m,bleu,0.75",
    ].join("\n");
    const result = await importBytes(engine, text, {}, "long.csv");
    expect(result.evaluations).toMatchObject([{ rows: 2, trials: 3, scorers: ["bleu", "judge"] }]);
    const { rows } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
    const scores = rows.map((row) => row.evaluations[0]?.trials.map((one) => one.scores));
    expect(scores).toContainEqual([{ bleu: 0.5, judge: "good" }, { bleu: 0.75 }]);
    expect(scores).toContainEqual([{ bleu: 0.25 }]);
  });

  it("whose columns are models is read where they are named", async () => {
    const text = "prompt_id,gpt,claude\np1,1,0\np2,0,\n";
    await expect(importBytes(engine, text, { table: { score: "none" } })).rejects.toMatchObject({
      code: "ambiguous_mapping",
    });
    await expect(importBytes(engine, text, { table: { scoreName: "win" } })).rejects.toThrow(
      "has scoreName, which names the score in the cells of modelColumns, without these",
    );
    const table = { modelColumns: ["gpt", "claude"], scoreName: "win" };
    const result = await importBytes(engine, text, { table }, "arena.csv");
    expect(result.evaluations).toMatchObject([{ model: "gpt" }, { model: "claude" }]);
    const { rows } = await answerOf(engine, ...result.evaluations.map((one) => one.evaluation_call_id));
    const cells = rows.map((row) => row.evaluations.map((one) => one.trials[0]?.scores["win"]));
    expect(cells).toContainEqual([1, 0]);
    expect(cells).toContainEqual([0, null]);
  });

  it.each([
    ["no row", "score,model\n1,m\n", /no column tells what was asked.*--row-column/],
    ["no score", "id,answer\n1,a\n", /no column is a score.*--score-column/],
    ["two models", "id,model,model_name,score\n1,a,b,1\n", /model and model_name may both be the model/],
    ["two names that are one", "id,Model,model,score\n1,a,b,1\n", /Model and model may both be the model/],
  ])("with %s is refused with what to say", async (_, text, reason) => {
    const refused = importBytes(engine, text);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toMatchObject({ code: "ambiguous_mapping" });
  });

  it("with a record of another length is refused by its line, or read without it", async () => {
    const text = "id,model,score\n1,long,1\n2,long\n3,long,0\n4,long,0\n5,long,0\n6,long,0\n";
    await expect(importBytes(engine, text)).rejects.toMatchObject({ code: "invalid", place: "line 3" });
    const rest = await importBytes(engine, text, { onInvalid: "skip" });
    expect(rest).toMatchObject({
      evaluations: [{ trials: 5 }],
      rejected: [{ place: "line 3", reason: "has 2 cells, the header has 3" }],
    });
  });

  it("says its roles as a mapping that gives the same again", async () => {
    const told: string[] = [];
    const first = await importBytes(
      engine,
      csv(","),
      { dryRun: true, onMapping: ({ text }) => told.push(text) },
      "q.csv",
    );
    expect(told[0]).toContain("row = sample_id, model = Model (2 models)");
    expect(told[0]).toContain("--score-column 'Is Correct'");
    const again = await importBytes(engine, csv(","), { dryRun: true, table: first.mapping ?? {} }, "q.csv");
    expect(withoutStarts(again)).toEqual(withoutStarts(first));
  });
});

/** Bytes have no time: they count as of their import. */
function withoutStarts({ evaluations, ...result }: ImportResult) {
  return { ...result, evaluations: evaluations.map((one) => ({ ...one, started_at: "" })) };
}
