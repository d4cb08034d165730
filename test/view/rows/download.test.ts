import { describe, expect, it } from "vitest";
import { fileOf } from "../../../src/view/rows/download.ts";
import type { DetailTrial, RowDetail } from "../../../src/view/rows/row-source.ts";
import { hostileTexts } from "../../support/hostile-texts.ts";

const trialOf = (output: DetailTrial["output"], correct: boolean | null, error: string | null = null) => ({
  id: null,
  output,
  outputBytes: null,
  line: null,
  scores: [["correct", correct]] as const,
  score: (name: string) => (name === "correct" ? correct : undefined),
  latency: null,
  tokens: null,
  error,
});

const ROWS: readonly RowDetail[] = [
  {
    digest: "d1",
    input: { question: "What is 1?", n: 12345678901234567890n },
    inputBytes: null,
    inputCut: false,
    editedBytes: [],
    editedInputs: null,
    trials: [[trialOf('It is "1",\nI say', true)], [trialOf({ a: [1] }, false, "=cmd")]],
  },
  {
    digest: "=d2",
    input: "-1",
    inputBytes: null,
    inputCut: false,
    editedBytes: [],
    editedInputs: null,
    trials: [[], [trialOf("+x", true), trialOf(-5, false, "late")]],
  },
  {
    digest: "d3",
    input: undefined,
    inputBytes: null,
    inputCut: false,
    editedBytes: [],
    editedInputs: null,
    trials: [[trialOf(-5, null)], [trialOf(undefined, true)]],
  },
];

async function* inPieces(rows: readonly RowDetail[]) {
  for (const row of rows) yield await Promise.resolve([row]);
}

async function file(format: "csv" | "json", rows = ROWS, labels = ["sums (v1)", "@b"], score = "correct") {
  let text = "";
  for await (const piece of fileOf(inPieces(rows), { labels, score }, format)) text += piece;
  return text;
}

/** Reads CSV as its standard says it. */
function cellsOf(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    lines.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end !== ",") lines.push([]);
  }
  return lines.slice(0, -1);
}

const safe = (text: string) => (/^[=+@-]/.test(text) ? `'${text}` : text);

describe("a file of rows", () => {
  it("has as CSV a line a row, inputs as JSON, and no text that is a formula", async () => {
    expect(cellsOf(await file("csv"))).toEqual([
      [
        "row",
        "inputs",
        "sums (v1): correct",
        "sums (v1): output",
        "sums (v1): error",
        "'@b: correct",
        "'@b: output",
        "'@b: error",
      ],
      [
        "d1",
        '{"question":"What is 1?","n":12345678901234567890}',
        "1",
        'It is "1",\nI say',
        "",
        "0",
        '{"a":[1]}',
        "'=cmd",
      ],
      ["'=d2", '"-1"', "", "", "", "0.5", '["+x",-5]', '[null,"late"]'],
      ["d3", "", "", "-5", "", "1", "", ""],
    ]);
  });

  it("has as JSON every value as it is, and nothing where a row was not run or something is left out", async () => {
    expect(JSON.parse((await file("json")).replace("12345678901234567890", "7"))).toEqual([
      {
        row: "d1",
        inputs: { question: "What is 1?", n: 7 },
        "sums (v1): correct": 1,
        "sums (v1): output": 'It is "1",\nI say',
        "sums (v1): error": null,
        "@b: correct": 0,
        "@b: output": { a: [1] },
        "@b: error": "=cmd",
      },
      {
        row: "=d2",
        inputs: "-1",
        "@b: correct": 0.5,
        "@b: output": ["+x", -5],
        "@b: error": [null, "late"],
      },
      {
        row: "d3",
        "sums (v1): correct": null,
        "sums (v1): output": -5,
        "sums (v1): error": null,
        "@b: correct": 1,
        "@b: error": null,
      },
    ]);
    expect(await file("json")).toContain('"n":12345678901234567890');
    expect(JSON.parse(await file("json", []))).toEqual([]);
  });

  it("keeps a score apart that is called as another column", async () => {
    expect(cellsOf(await file("csv", [], ["a"], "output"))).toEqual([
      ["row", "inputs", "a: scores.output", "a: output", "a: error"],
    ]);
  });

  it("has every hostile text in its cell", async () => {
    const rows = hostileTexts.map((text) => ({
      digest: text,
      input: text,
      inputBytes: null,
      inputCut: false,
      editedBytes: [],
      editedInputs: null,
      trials: [[trialOf(text, true, text)]],
    }));
    expect(cellsOf(await file("csv", rows, ["a"])).slice(1)).toEqual(
      hostileTexts.map((text) => [safe(text), JSON.stringify(text), "1", safe(text), safe(text)]),
    );
  });
});
