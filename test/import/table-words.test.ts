import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import type { TableMapping } from "../../src/index.ts";
import { answerOf, importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
let tables = 0;

type Cells = readonly (string | number | null)[];

/** The values of the column `verdict` of a table, by row, and what is told; in both kinds of file. */
async function valuesOf(cells: Cells, table: TableMapping = {}, column = "verdict") {
  const csv = `id,question,${column}\n${cells.map((cell, i) => `${i},q${i},${cell === null ? "" : String(cell)}\n`).join("")}`;
  const lines = cells
    .map((cell, i) => JSON.stringify({ id: String(i), question: `q${i}`, [column]: cell }))
    .join("\n");
  const read = async (text: string, name: string) => {
    const options = { table: { taskName: `t${tables++}`, modelName: "m", ...table } };
    const { evaluations, notes } = await importBytes(engine, text, options, name);
    const { rows } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    const values = new Map(
      rows.map(({ evaluations: [one], raw_data_row: row }) => [
        Number((row as { input?: string }).input?.slice(1)),
        one?.trials[0]?.scores[column] ?? null,
      ]),
    );
    return { values: cells.map((_, i) => values.get(i) ?? null), notes: notes.join("\n") };
  };
  const one = await read(csv, "words.csv");
  const other = await read(lines, "words.jsonl");
  return { one, other };
}

const WORDS = (
  "correct/incorrect Right/Wrong SUCCESS/FAILURE succeeded/failed resolved/unresolved solved/unsolved accepted/rejected " +
  "wahr/falsch Ja/Nein richtig/falsch vrai/faux oui/non verdadero/falso sí/no si\u0301/no vero/falso Sì/No " +
  "verdadeiro/falso sim/não"
)
  .split(" ")
  .map((pair) => pair.split("/") as [string, string]);

describe("words of truth", () => {
  it("are booleans, both of a pair or one alone", async () => {
    const records = [0, 1, 1, 0].map((at, id) => ({
      id,
      ...Object.fromEntries(WORDS.map((pair, i) => [`both${i}`, id === 3 ? null : pair[at]])),
      ...Object.fromEntries(WORDS.map(([yes], i) => [`yes${i}`, yes])),
      ...Object.fromEntries(WORDS.map(([, no], i) => [`no${i}`, no])),
    }));
    const columns = Object.keys(records[0] ?? {});
    const cells = records.map((record) => Object.values(record).map((cell) => cell ?? ""));
    const csv = [columns, ...cells].map((line) => `${line.join(";")}\n`).join("");
    for (const text of [csv, JSON.stringify(records)]) {
      const { evaluations } = await importBytes(engine, text, { table: { taskName: `w${tables++}` } });
      const { summary } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
      const stats = summary?.evaluations[0]?.scorer_stats ?? [];
      const rates = Object.fromEntries(stats.map(({ scorer_key: key, pass_rate: rate }) => [key, rate]));
      const right = WORDS.flatMap((_, i) => [
        [`both${i}`, 1 / 3],
        [`yes${i}`, 1],
        [`no${i}`, 0],
      ]);
      expect(rates).toEqual(Object.fromEntries(right));
    }
  });

  it.each([
    ["T", "F"],
    ["W", "F"],
    ["V", "F"],
  ])("%s and %s are booleans where no other text is there", async (yes, no) => {
    const named = { score: "verdict" };
    for (const { values } of Object.values(await valuesOf([yes, no, yes], named)))
      expect(values).toEqual([true, false, true]);
    for (const { values } of Object.values(await valuesOf([yes, no, "A", "B"], named)))
      expect(values).toEqual([yes, no, "A", "B"]);
  });

  it("are labels beside another label, and booleans beside an error", async () => {
    const named = { score: "verdict" };
    const three = ["CORRECT", "INCORRECT", "CORRECT", "NOT_ATTEMPTED"];
    for (const { values, notes } of Object.values(await valuesOf(three, named))) {
      expect(values).toEqual(three);
      expect(notes).toContain(
        "verdict: CORRECT 2, INCORRECT 1, NOT_ATTEMPTED 1: texts, of which nothing is computed; --true-value verdict=CORRECT makes them true and false",
      );
    }
    for (const { values, notes } of Object.values(await valuesOf(["correct", "wrong", "error: timeout"]))) {
      expect(values).toEqual([true, false, null]);
      expect(notes).toMatch(/1 of 3 records have another value and no value: line \d "error: timeout"/);
    }
  });
});

describe("a score of texts", () => {
  const grades = ["good", "bad", null, "good", "fair"];

  it("becomes a rate of the text that is named", async () => {
    for (const { values } of Object.values(await valuesOf(grades, { trueValue: "verdict=good" })))
      expect(values).toEqual([true, false, null, true, false]);
    const both = { trueValue: ["a=x", "b=y"], taskName: "both" };
    const text = "id,a,b\n1,x,z\n2,w,y\n";
    const { evaluations } = await importBytes(engine, text, { table: both });
    const { summary } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    expect(summary?.evaluations[0]?.scorer_stats).toMatchObject([
      { scorer_key: "a", pass_rate: 0.5 },
      { scorer_key: "b", pass_rate: 0.5 },
    ]);
  });

  it("that is one of several names becomes a rate by its name", async () => {
    const text = "id,metric,value\n1,tone,warm\n1,length,3\n2,tone,cold\n2,length,5\n";
    const { evaluations } = await importBytes(engine, text, { table: { trueValue: "tone=warm" } });
    const { summary } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    expect(summary?.evaluations[0]?.scorer_stats).toMatchObject([
      { scorer_key: "length" },
      { scorer_key: "tone", pass_rate: 0.5 },
    ]);
  });

  it.each([
    ["verdict=great", /--true-value: verdict has no text "great"; there are good, bad, fair/],
    ["grade=good", /--true-value: there is no column "grade"; there are id, question, verdict/],
    ["good", /--true-value: "good" is not SCORE=TEXT/],
  ])("is refused with %s, which names nothing", async (trueValue, reason) => {
    await expect(valuesOf(grades, { trueValue })).rejects.toThrow(reason);
  });

  it("of more than ten values tells no values", async () => {
    const many = Array.from({ length: 11 }, (_, i) => `text ${"abcdefghijk"[i]}`);
    const { one } = await valuesOf(many, { score: "verdict" });
    expect(one.notes).toContain("verdict: its values are texts, of which nothing is computed");
  });
});

describe("written numbers of scores", () => {
  it.each([
    [["4/5", "2 / 4", "0/3"], [0.8, 0.5, 0], "parts of a whole are shares: 4/5 is 0.8"],
    [["4 out of 5", "1 Out Of 2"], [0.8, 0.5], "parts of a whole are shares: 4 out of 5 is 0.8"],
    [["★★★★☆", "☆☆☆☆☆", "★★★★★"], [4, 0, 5], "stars are counted: ★★★★☆ is 4"],
    [["⭐⭐⭐", "⭐"], [3, 1], "stars are counted: ⭐⭐⭐ is 3"],
    [["4 stars", "1 star", "3.5 stars"], [4, 1, 3.5], "stars are counted: 4 stars is 4"],
  ])("%j are %j", async (cells, numbers, told) => {
    for (const { values, notes } of Object.values(await valuesOf(cells, {}, "rating"))) {
      expect(values).toEqual(numbers);
      expect(notes).toContain(told);
    }
  });

  it("are no shares where other texts or larger numbers are there", async () => {
    for (const cells of [
      ["4/5", "n.b.", "see 3/5"],
      ["6/5", "12/10"],
      ["1/0", "4/0"],
    ])
      for (const { values } of Object.values(await valuesOf(cells, { score: "verdict" })))
        expect(values).toEqual(cells);
    for (const { values, notes } of Object.values(await valuesOf([70, 80, 90, "4/5"], {}, "rating"))) {
      expect(values).toEqual([70, 80, 90, null]);
      expect(notes).toMatch(/rating: 1 of 4 records have a text and no value: .*"4\/5"/);
    }
  });
});

async function scorers(status: string, other: string) {
  const text = `id,status,score\n1,${status},1\n2,${other},0\n`;
  const { evaluations } = await importBytes(engine, text, { dryRun: true });
  return evaluations[0]?.scorers;
}

describe("states of a run", () => {
  it("are no scores, and verdicts are", async () => {
    for (const [one, other] of [
      ["success", "failure"],
      ["completed", "error"],
      ["success", "failed"],
      ["done", "running"],
    ] as const)
      expect(await scorers(one, other)).toEqual(["score"]);
    expect(await scorers("passed", "failed")).toEqual(["status", "score"]);
    expect(await scorers("FAIL", "PASS")).toEqual(["status", "score"]);
  });

  it("make no trial of a record that was skipped", async () => {
    const records = ["pass", "skipped", "fail"].map((status, id) => ({ id, status, score: 1 }));
    const { evaluations, notes } = await importBytes(
      engine,
      records.map((one) => JSON.stringify(one)).join("\n"),
      { dryRun: true },
    );
    expect(evaluations).toMatchObject([{ trials: 2 }]);
    expect(notes).toContain("1 records were skipped by the run and are left out: line 2");
  });
});

describe("a table that is not UTF-8", () => {
  const text = "id,größe,score\n1,a,1\n2,café – “x”,0\n";

  it("is read as Windows-1252, and says so with the first such line", async () => {
    const bytes = Buffer.from(
      text.replaceAll(/[–“”]/g, (mark) => ({ "–": "\u0096", "“": "\u0093", "”": "\u0094" })[mark] ?? mark),
      "latin1",
    );
    const { evaluations, notes } = await importBytes(
      engine,
      bytes,
      { table: { field: "größe", taskName: "letters" } },
      "w.csv",
    );
    expect(notes.join("\n")).toContain(
      'is read as Windows-1252, as it is not UTF-8: line 1 is "id,größe,score"',
    );
    const { rows } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    expect(rows.map((row) => row.raw_data_row)).toContainEqual(
      expect.objectContaining({ größe: "café – “x”" }),
    );
    const tabs = Buffer.from("id\tq\tscore\n1\ta\t1\n2\tcaf\u00e9\t0\n", "latin1");
    expect((await importBytes(engine, tabs, { dryRun: true })).notes.join("\n")).toContain("line 3 is");
  });

  it("is refused where a byte is no letter of Windows-1252, and as any other kind of file", async () => {
    const bytes = Buffer.from("id,question,score\n1,a,1\n2,caf\u00e9\u0081,1\n", "latin1");
    await expect(importBytes(engine, bytes)).rejects.toThrow(
      "line 3: is not UTF-8: save it in that encoding",
    );
    const lines = Buffer.from('{"id": 1, "q": "caf\u00e9", "score": 1}\n', "latin1");
    await expect(importBytes(engine, lines)).rejects.toThrow("is not UTF-8");
  });

  it("keeps letters of UTF-8", async () => {
    const { notes } = await importBytes(engine, text, { dryRun: true });
    expect(notes.join("\n")).not.toContain("Windows-1252");
  });
});
