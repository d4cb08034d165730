import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { importBytes } from "./imports.ts";
import { promptfooLog, result } from "./promptfoo-logs.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

const LONG = "x".repeat(300 * 1024);
const linesOf = (...records: readonly object[]) => records.map((one) => JSON.stringify(one)).join("\n");

describe("a CSV file", () => {
  it.each([
    ["Excel's line of the delimiter", "sep=;\nid;score\n1;0,5\n2;one\n", 4],
    ["that line in quotes", '"sep=,"\r\nid,score\r\n1,0.5\r\n2,one\r\n', 4],
    ["comments", "# run 7, of main\n#\n\nid,score\n1,0.5\n2,one\n", 6],
    ["a comment with a quote", '# run "7, of main\nid,score\n1,0.5\n2,one\n', 4],
    ["a comment of as many cells", "# run, main\nid,score\n1,0.5\n2,one\n", 4],
    ["a line break in its header", 'id,"score\n"\n,\n1,0.5\n2,one\n', 5],
    ["a header that begins with #", "#,id,score\n0,1,0.5\n1,2,one\n", 3],
    ["comments and such a header", "# run 7\n#,id,score\n0,1,0.5\n1,2,one\n", 4],
    ["the rule of a table in Markdown", "| id | score |\n|:---|------:|\n| 1 | 0.5 |\n| 2 | one |\n", 4],
    ["a bare rule", "id | score\n---|---\n1 | 0.5\n2 | one\n", 4],
  ])("that begins with %s is read without it, and its lines are counted with it", async (_, text, line) => {
    const { evaluations, notes } = await importBytes(engine, text, { dryRun: true });
    expect(evaluations).toMatchObject([{ trials: 2, scorers: ["score"] }]);
    expect(notes).toContain(`score: 1 of 2 records have a text and no value: line ${line} "one"`);
  });
});

const eee = (sample_id: string, raw: string) => ({
  schema_version: "0.3.0",
  evaluation_id: "e",
  model_id: "m",
  evaluation_name: "n",
  sample_id,
  input: { raw, reference: ["a"] },
  output: { raw: ["x"] },
  evaluation: { score: 1, is_correct: true },
});

describe("a file whose first line is longer than what tells a format", () => {
  it.each([
    ["table", `\uFEFF ${linesOf({ id: 1, question: LONG, score: 1 }, { id: 2, question: "b", score: 0 })}`],
    ["table", linesOf({ id: 1, question: LONG, score: 1 }, { id: 2, question: "b", score: 0 })],
    ["table", `id,question,score\n1,"${"x\n".repeat(150_000)}",1\n2,b,0\n`],
    ["table", linesOf({ id: 1, turns: [{ text: LONG }], score: 1 }, { id: 2, turns: [], score: 0 })],
    ["table", linesOf({ prompt: LONG, results: [1, 2].map((id) => ({ id, score: 1 })) })],
    ["promptfoo", linesOf(result(0, 0, 1, { vars: { word: LONG } }), result(0, 1, 0))],
    ["promptfoo", linesOf({ ...promptfooLog([[result(0, 0, 1), result(0, 1, 0)]]), note: LONG })],
    ["eee", linesOf(eee("1", LONG), eee("2", "b"))],
  ])("is known as %s all the same", async (format, text) => {
    expect(await importBytes(engine, text, { dryRun: true })).toMatchObject({
      format,
      evaluations: [{ trials: 2 }],
    });
  });
});

it("is known as a table though its first line is longer than what is looked at", async () => {
  const text = linesOf({ id: 1, question: "x".repeat(4.5 * 1024 * 1024), score: 1 }, { id: 2, score: 0 });
  expect((await importBytes(engine, text, { dryRun: true })).evaluations).toMatchObject([{ trials: 2 }]);
});

it("says what is wrong with its only record", async () => {
  const text = `{"id": 1, "score": 1, "a": ${"[".repeat(2000)}${"]".repeat(2000)}}\n`;
  await expect(importBytes(engine, text)).rejects.toThrow("line 1: is nested more than 980 levels deep");
});

describe("a file without anything that can be read", () => {
  it.each([
    ["", "is empty"],
    ["\n \n", "is empty"],
    ["[]", "is an empty list"],
    ["[{}]", "holds no values; there is nothing to import"],
    ['{"id": ["a", "b"], "score": [1, 0]}', "a list of records is"],
    ['{"score": 0.5, "metrics": {"chars": 3}, "htmls": []}', "an object with score, metrics, htmls; no list"],
    ["{'id': 1, 'score': True}\n", "json.dumps"],
    ['{\n "id": 1\n}\n{\n "id": 2\n}\n', "write one a line, as jq -c does"],
    [`\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1`, "save it as .xlsx or CSV"],
    ["id,score\n1,\u00001\n", "its bytes are no text in UTF-8"],
    ["PAR1 and no more", "ends in the middle of Parquet; the file is truncated"],
    [`${"a.csv".padEnd(257, "\0")}ustar\0`, "a tar archive is not opened: unpack it, and import the folder"],
  ])("is refused as what it is: %j", async (text, reason) => {
    const encoding = text.startsWith("\u00d0") ? "latin1" : "utf8";
    await expect(importBytes(engine, Buffer.from(text, encoding))).rejects.toThrow(reason);
  });
});
