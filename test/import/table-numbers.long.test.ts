import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/index.ts";
import { answerOf, importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const MODEL = { modelName: "m", taskName: "t" };

function quoted(cell: unknown): string {
  return `"${(typeof cell === "string" ? cell : JSON.stringify(cell)).replaceAll('"', '""')}"`;
}

const csv = (cells: readonly unknown[], delimiter = ",") =>
  ["id,score".replace(",", delimiter), ...cells.map((cell, i) => `${i}${delimiter}${quoted(cell)}`), ""].join(
    "\n",
  );
const ndjson = (cells: readonly unknown[]) =>
  cells.map((cell, i) => JSON.stringify({ id: i, score: cell })).join("\n");

/** The scores of a table in the order of its records, the details beside them, and its notes. */
async function scoresOf(text: string, table: ImportOptions["table"] = {}) {
  const result = await importBytes(engine, text, { table: { ...MODEL, ...table } });
  const { rows } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
  const trials = rows
    .map((row) => ({
      at: Number((row.raw_data_row as { row: string }).row),
      trial: row.evaluations[0]?.trials[0],
    }))
    .toSorted((a, b) => a.at - b.at);
  return {
    scores: trials.map(({ trial }) => trial?.scores["score"]),
    notes: result.notes.join("\n"),
    scorers: result.evaluations[0]?.scorers,
  };
}

const BOTH = [
  ["CSV", csv],
  ["NDJSON", ndjson],
] as const;

describe.each(BOTH)("a column of scores in %s", (format, table) => {
  const line = (record: number) => `line ${record + (format === "CSV" ? 1 : 0)}`;

  it("keeps its numbers beside texts, which give no value and are told by their places", async () => {
    const { scores, notes } = await scoresOf(table([0.5, 1, "judge failed", "error: timeout", 0.25]));
    expect(scores).toEqual([0.5, 1, null, null, 0.25]);
    expect(notes).toContain(
      `score: 2 of 5 records have a text and no value: ${line(3)} "judge failed", ${line(4)} "error: timeout"`,
    );
  });

  it("takes what stands for nothing as no value", async () => {
    const cells = [1, "NA", "n/a", "NaN", "NULL", "None", "-", "–", "", 0];
    const { scores, notes } = await scoresOf(table(cells));
    expect(scores).toEqual([1, null, null, null, null, null, null, null, null, 0]);
    expect(notes).toContain("score: 7 cells such as NA count as empty");
  });

  it("is of booleans where its words are", async () => {
    const { scores } = await scoresOf(table(["True", "false", "YES", "no", "pass", "Failed", ""]));
    expect(scores).toEqual([true, false, true, false, true, false, null]);
    const marks = ["T", "f", "Y", "N", "✓", "✗", "✔️", "❌", "TRUE", "FALSE"];
    expect((await scoresOf(table(marks))).scores).toEqual(marks.map((_, i) => i % 2 === 0));
    expect((await scoresOf(table(["T", "F"]))).scores).toEqual([true, false]);
    expect((await scoresOf(table(["F", "F", "B"]))).scores).toEqual(["F", "F", "B"]);
    expect((await scoresOf(table([1, 0, "T"]))).scores).toEqual([1, 0, null]);
    expect((await scoresOf(table([true, false, "crashed"]))).scores).toEqual([true, false, null]);
    expect((await scoresOf(table([0.5, 1, "failed"]))).scores).toEqual([0.5, 1, null]);
    expect((await scoresOf(table([1, 0, 1]))).scores).toEqual([1, 0, 1]);
    const mixed = await scoresOf(table([1, 0.5, true]));
    expect(mixed.scores).toEqual([1, 0.5, 1]);
    expect(mixed.notes).toContain("1 of 3 records have true or false, which count as 1 and 0");
  });

  it("is of texts where fewer than half are numbers, and says so", async () => {
    const { scores, notes } = await scoresOf(table(["good", "bad", "good", 3]), { score: "score" });
    expect(scores).toEqual(["good", "bad", "good", "3"]);
    expect(notes).toContain("score: its values are texts, of which nothing is computed; 1 of its values");
  });

  it("reads percentages as shares, and refuses them beside numbers above 1", async () => {
    const { scores, notes } = await scoresOf(table(["95%", "33.3 %", "0%"]));
    expect(scores).toEqual([0.95, 0.333, 0]);
    expect(notes).toContain("in percent");
    const refused = scoresOf(table(["95%", "80"]));
    await expect(refused).rejects.toThrow(new RegExp(`"95%" at ${line(1)} and "80" at ${line(2)}`));
  });

  it("says where some numbers may be shares and others percentages", async () => {
    const told = `score: has "0.9" at ${line(1)} and "85" at ${line(2)}: if one is in percent`;
    expect((await scoresOf(table([0.9, 85, 1, 0]))).notes).toContain(told);
    for (const cells of [
      [0.9, 85, 3],
      [0.9, 1],
      [85, 1],
      [0.9, 85, 120],
    ])
      expect((await scoresOf(table(cells))).notes).not.toContain("in percent");
  });

  it("leaves out a currency and says so", async () => {
    const { scores, notes } = await scoresOf(table(["$1.50", "2 USD", "-$3"]));
    expect(scores).toEqual([1.5, 2, -3]);
    expect(notes).toContain("score: the currency is left out: USD");
    await expect(scoresOf(table(["$1", "€2"]))).rejects.toThrow(/two currencies/);
  });

  it("reads decimal commas and thousands where a cell says which, and asks where none does", async () => {
    expect((await scoresOf(table(["1,5", "2", "1.234,5"]))).scores).toEqual([1.5, 2, 1234.5]);
    expect((await scoresOf(table(["1,234.5", "1,234", "12,345,678"]))).scores).toEqual([
      1234.5, 1234, 12345678,
    ]);
    const marked = await scoresOf(table(["1 234,5", "12\u00a0345\u202f678", "1'234", "\u22120,5", "1 23"]));
    expect(marked.scores).toEqual([1234.5, 12345678, 1234, -0.5, null]);
    expect(marked.notes).toContain('blanks and apostrophes within numbers are left out: "1 234,5"');
    expect((await scoresOf(table(["0,123", "1,234"]))).scores).toEqual([0.123, 1.234]);
    const refused = scoresOf(table(["1,234", "5"]));
    await expect(refused).rejects.toMatchObject({ code: "ambiguous_mapping", place: line(1) });
    await expect(refused).rejects.toThrow(
      /"1,234", which may be 1234 or 1\.234: --decimal point or --decimal comma/,
    );
    expect((await scoresOf(table(["1,234", "5"]), { decimal: "point" })).scores).toEqual([1234, 5]);
    expect((await scoresOf(table(["1,234", "5"]), { decimal: "comma" })).scores).toEqual([1.234, 5]);
    await expect(scoresOf(table(["1,5", "1.5"]))).rejects.toThrow(/--decimal/);
  });

  it("takes what is beyond all numbers for a text", async () => {
    const { scores, notes } = await scoresOf(table(["1", "0.5", "1e400"]));
    expect(scores).toEqual([1, 0.5, null]);
    expect(notes).toContain(`score: 1 of 3 records have a text and no value: ${line(3)} "1e400"`);
  });

  it("keeps the digits of numbers, and takes names of digits for texts", async () => {
    expect((await scoresOf(table(["12345678901234567", "1"]))).scores).toEqual([12345678901234567n, 1]);
    expect((await scoresOf(table(["007", "1", "2"]))).scores).toEqual([null, 1, 2]);
  });

  it("is none where its cells are lists, or objects without a number", async () => {
    const cells = [[1, 2], { a: "x" }].map((cell) => (format === "CSV" ? JSON.stringify(cell) : cell));
    await expect(scoresOf(table(cells))).rejects.toThrow(/no column is a score/);
  });

  it("keeps its place where it has no value at all", async () => {
    const { scores, scorers } = await scoresOf(table(["", "NA"]));
    expect({ scores, scorers }).toEqual({ scores: [null, null], scorers: ["score"] });
  });
});

const rewarded = (reward: string) => `id;score;reward\n0;1.250;${reward}\n1;2.500;${reward}\n`;

describe("a table", () => {
  it("with semicolons has a decimal comma", async () => {
    expect((await scoresOf(csv(["1,234", "2,345"], ";"))).scores).toEqual([1.234, 2.345]);
  });

  it("of decimal commas has points for thousands, and of decimal points none", async () => {
    const { scores, notes } = await scoresOf(rewarded("0,5"));
    expect(scores).toEqual([1250, 2500]);
    expect(notes).toContain('score: the decimal sign is the comma: "1.250" at line 2');
    expect((await scoresOf(rewarded("0.5"))).scores).toEqual([1.25, 2.5]);
    expect((await scoresOf(rewarded("0.5"), { decimal: "comma" })).scores).toEqual([1250, 2500]);
    expect((await scoresOf(rewarded("0,5"), { decimal: "point" })).scores).toEqual([1.25, 2.5]);
  });

  it("counts costs in US dollars only", async () => {
    const text = "id,score,cost\n1,1,€2\n2,1,€3\n";
    const { notes } = await importBytes(engine, text, { table: MODEL, dryRun: true });
    expect(notes.join("\n")).toContain("cost: costs in EUR are left out; only US dollars count");
  });

  it("that was put together leaves out the headers within it, and says where they are", async () => {
    const text = "id,score\n1,1\nid,score\n2,0\nid,score\n";
    const result = await importBytes(engine, text, { table: MODEL, dryRun: true });
    expect(result.evaluations).toMatchObject([{ trials: 2 }]);
    expect(result.notes).toContain("2 records repeat the header and are left out: line 3, line 5");
    const lists = '[["id", "score"], [1, 1], ["id", "score"], [2, 0]]';
    const unnamed = "id,score,\n1,1,\nid,score,\n2,0,\n";
    for (const others of ["id, score\n1,1\nID,Score \n2,0\n", unnamed, lists]) {
      const one = await importBytes(engine, others, { table: MODEL, dryRun: true });
      expect(one.evaluations).toMatchObject([{ trials: 2 }]);
      expect(one.notes.join()).toContain("1 records repeat the header");
    }
  });

  it("leaves out the totals below its records, and says where they are", async () => {
    const text = "id,question,score\n1,a,1\nmean,What is it?,0\nAverage,,0.5\nTotal:,,1\n";
    const result = await importBytes(engine, text, { table: MODEL, dryRun: true });
    expect(result.evaluations).toMatchObject([{ trials: 2 }]);
    expect(result.notes).toContain("2 records are totals and are left out: line 4, line 5");
    const metrics = "metric,id,value\noverall,1,0.5\noverall,2,1\n";
    const long = await importBytes(engine, metrics, { table: MODEL, dryRun: true });
    expect(long.evaluations).toMatchObject([{ trials: 2, scorers: ["overall"] }]);
  });

  it("is refused by the line of a record of another length, though half of its records are", async () => {
    const refused = importBytes(engine, "id,model,score\n1,m,1\n2,m\n");
    await expect(refused).rejects.toMatchObject({ place: "line 3", reason: "has 2 cells, the header has 3" });
  });

  it("of one record a score reads each score by itself", async () => {
    const text = "question_id,model,metric,value\nq1,m,a,95%\nq2,m,a,failed\nq1,m,b,3\nq2,m,b,4\n";
    const result = await importBytes(engine, text, {}, "long-numbers.csv");
    expect(result.notes.join("\n")).toContain('a: 1 of 4 records have a text and no value: line 3 "failed"');
    const { summary } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
    const means = summary?.evaluations[0]?.scorer_stats.map((one) => [one.scorer_key, one.numeric_mean]);
    expect(means).toEqual([
      ["a", 0.95],
      ["b", 3.5],
    ]);
  });
});
