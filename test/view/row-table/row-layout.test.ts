import { describe, expect, it } from "vitest";
import { rowSidesOf, sidesOf, toggled } from "../../../src/view/row-parts/rows-state.ts";
import { linesOf, rowHeight, rowLayout } from "../../../src/view/row-table/row-layout.ts";

const columns = (count: number, baseline: string | null = "e1") => ({
  names: Array.from({ length: count }, (_, i) => ({
    id: `e${i}`,
    text: `name ${i}`,
    short: `name ${i}`,
    full: `name ${i}`,
  })),
  score: null,
  baseline,
  candidate: null,
});

describe("what a row compares", () => {
  it("is the baseline with the candidate of the page, and with one more that is wanted", () => {
    expect(sidesOf(columns(3), [])).toEqual([1, 0]);
    expect(sidesOf(columns(3, null), [])).toEqual([0, 1]);
    expect(sidesOf(columns(1, null), [])).toEqual([0]);
    expect(sidesOf(columns(4), ["e3", "e1", "gone", "e0"])).toEqual([1, 3, 0]);
  });

  it("is in the dialog the first whose value differs, where none is wanted", () => {
    expect(rowSidesOf(columns(4), [1, 1, null, 0], [])).toEqual([1, 3]);
    expect(rowSidesOf(columns(4), [1, 1, null, 1], [])).toEqual([1, 2]);
    expect(rowSidesOf(columns(4), [1, 1, 1, 1], [])).toEqual([1, 0]);
    expect(rowSidesOf(columns(4), [1, 1, null, 0], ["e0", "e2"])).toEqual([1, 0, 2]);
  });

  it("gains and loses whom somebody presses, never the last, and keeps the last two", () => {
    expect(toggled(columns(5), [1, 0], "e2")).toEqual(["e0", "e2"]);
    expect(toggled(columns(5), [1, 0, 2], "e0")).toEqual(["e2"]);
    expect(toggled(columns(5), [1, 0, 2], "e3")).toEqual(["e2", "e3"]);
    expect(toggled(columns(5), [1, 0], "e0")).toEqual(["e0"]);
  });
});

describe("the layout of rows", () => {
  it("has the outputs of two where there is room for them", () => {
    const wide = { stacked: false, hasOutputs: true };
    expect(rowLayout(columns(4), ["e3", "e2"], wide).outputs).toEqual([1, 3]);
    expect(rowLayout(columns(1), [], wide).outputs).toEqual([0]);
    expect(rowLayout(columns(0), [], wide).outputs).toEqual([]);
    expect(rowLayout(columns(4), [], { ...wide, hasOutputs: false }).outputs).toEqual([]);
    expect(rowLayout(columns(4), [], { ...wide, stacked: true }).outputs).toEqual([]);
  });

  it("has in a stacked row six values at most, those that are compared first", () => {
    const stacked = { stacked: true, hasOutputs: true };
    expect(rowLayout(columns(14), ["e9"], stacked).values).toEqual([1, 9, 0, 2, 3, 4]);
    expect(rowLayout(columns(6), ["e5"], stacked).values).toEqual([0, 1, 2, 3, 4, 5]);
    const height = (lines: number) => rowHeight(rowLayout(columns(4), [], stacked), lines);
    expect(height(3) - height(1)).toBe(42);
  });

  it("has in a stacked row one value a line where a name is long", () => {
    const named = columns(4);
    const long = {
      ...named,
      names: named.names.map((one) => ({ ...one, short: "support small (2026-07-02)" })),
    };
    const stacked = { stacked: true, hasOutputs: true };
    expect([named, long].map((one) => rowLayout(one, [], stacked).across)).toEqual([2, 1]);
    expect(rowHeight(rowLayout(long, [], stacked), 1) - rowHeight(rowLayout(named, [], stacked), 1)).toBe(60);
  });

  it("takes three lines at most for an input", () => {
    expect(
      ["", "What is 2?", "word ".repeat(15), "漢".repeat(25), "x".repeat(400)].map((one) =>
        linesOf(one, 340),
      ),
    ).toEqual([1, 1, 2, 2, 3]);
  });
});
