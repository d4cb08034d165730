import { describe, expect, it } from "vitest";
import { reportRows } from "../../../src/view/rows/report-rows.ts";
import { readPacked } from "../../../src/view/payload/packed-rows.ts";
import type { RowQuery, RowSource } from "../../../src/view/rows/row-source.ts";
import { encodeObjects, type RowObject, type TrialObject } from "../../support/payload-rows.ts";

type Score = TrialObject["scores"][number];

const trial = (score: Score, output = "none"): TrialObject => ({
  scores: [score],
  output,
  latency: 0.25,
  tokens: null,
  error: null,
});

const row = (digest: string, input: string, ...cells: readonly (readonly Score[])[]): RowObject => ({
  digest,
  input: { question: input },
  trials: cells.map((scores) => scores.map((score) => trial(score, `said ${input}`))),
});

const ROWS = [
  row("d", "Äpfel", [true], [true]),
  row("b", "pears", [true, false], [true]),
  row("c", "plums", [true], [false]),
  row("a", "nuts", [false], [undefined]),
  row("e", "figs", [], [null]),
];

const ALL: RowQuery = {
  search: "",
  show: "all",
  order: "stored",
  score: "ok",
  lowerIsBetter: false,
  baseline: "x",
};
const signal = new AbortController().signal;

async function source(): Promise<RowSource> {
  const text = await encodeObjects({
    evaluations: ["x", "y"],
    dimensions: ["ok"],
    rows: ROWS,
    left: { outputs: "all-there", inputs: "whole", rowsNotHere: 0 },
  });
  return reportRows(await readPacked(text));
}

describe("the rows of a report", async () => {
  const rows = await source();
  const digests = async (query: Partial<RowQuery>) => {
    const list = await rows.find({ ...ALL, ...query }, signal);
    return Array.from({ length: list.count }, (_, place) => list.at(place)?.digest).join("");
  };

  it.each([
    ["stored", "abcde"],
    ["difference", "cbdae"],
    ["mean", "acbde"],
    [{ evaluation: "y", direction: "asc" as const }, "cbdae"],
    [{ evaluation: "x", direction: "desc" as const }, "cdbae"],
  ] as const)("come in the order %j", async (order, expected) => {
    expect(await digests({ order })).toBe(expected);
  });

  it.each([
    ["all", false, "abcde"],
    ["differ", false, "bc"],
    ["better", false, "b"],
    ["better", true, "c"],
    ["worse", false, "c"],
    ["worse", true, "b"],
    ["missing", false, "ae"],
  ] as const)("are those that %s where lower is better: %s", async (show, lowerIsBetter, expected) => {
    expect(await digests({ show, lowerIsBetter })).toBe(expected);
  });

  it("are searched in inputs and outputs, whatever the case", async () => {
    expect(await digests({ search: "äPFEL" })).toBe("d");
    expect(await digests({ search: "SAID P" })).toBe("bc");
    expect(await digests({ search: "question" })).toBe("");
  });

  it("tell the mean of their trials, no value, and not run apart", async () => {
    const list = await rows.find(ALL, signal);
    const values = Array.from({ length: list.count }, (_, place) => list.at(place)?.values);
    expect(values).toEqual([
      [0, null],
      [0.5, 1],
      [1, 0],
      [1, 1],
      [undefined, null],
    ]);
  });

  it("have all their trials", async () => {
    const detail = await rows.detail("b", signal);
    expect(detail?.input).toEqual({ question: "pears" });
    expect(detail?.trials.map((trials) => trials.map((one) => one.scores))).toEqual([
      [[["ok", true]], [["ok", false]]],
      [[["ok", true]]],
    ]);
    expect(detail?.trials[1]?.[0]).toMatchObject({ output: "said pears", latency: 0.25, tokens: null });
    expect(await rows.detail("?", signal)).toBeNull();
  });
});
