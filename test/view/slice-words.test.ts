import { describe, expect, it } from "vitest";
import type { Comparison, Slicing } from "../../src/index.ts";
import { sliceName, sliceNotes, sliceSentence } from "../../src/words/slices.ts";
import { compared } from "./compared.ts";

const slicing: Slicing = { fields: ["inputs.topic"], slice_count: 3, overlapping: false, others: [] };
const explained = {
  value: ["multiplication"],
  contribution: -0.2,
  share: 0.99,
  n_common: 20,
  difference: -0.6,
  rest_n_common: 40,
  rest_difference: -0.001,
  p_value_adjusted: 0.001,
};
const worse: Comparison = compared({ verdict: "regressed" });

describe("the sentence on where a difference comes from", () => {
  it("names the slice, its difference, and that of all other rows", () => {
    expect(sliceSentence({ ...worse, explained_by: explained }, slicing)).toBe(
      "Most of it comes from inputs.topic = multiplication: −60.0 points on 20 rows, −0.1 on the 40 others.",
    );
    const two = { ...slicing, fields: ["inputs.topic", "inputs.level"] };
    expect(sliceSentence({ ...worse, explained_by: { ...explained, value: ["law", 2] } }, two)).toContain(
      "comes from inputs.topic = law and inputs.level = 2: ",
    );
  });

  it("says so where none does, and how many fields were tried", () => {
    const tried = { ...slicing, fields_tried: ["inputs.a", "inputs.b", "inputs.c", "inputs.topic"] };
    expect(sliceSentence({ ...worse, explained_by: null }, tried)).toBe(
      "No value of inputs.topic explains most of it (of 4 fields tried).",
    );
    expect(sliceSentence({ ...worse, explained_by: explained }, tried)).toMatch(
      /40 others \(of 4 fields tried\)\.$/,
    );
  });

  it("is silent where no difference is shown, and without slices", () => {
    expect(sliceSentence({ ...worse, verdict: "inconclusive", explained_by: null }, slicing)).toBeNull();
    expect(sliceSentence(worse, undefined)).toBeNull();
    expect(sliceSentence({ ...worse, explained_by: null }, { ...slicing, fields: [] })).toBeNull();
  });

  it("tells a text from a number or true that reads alike", () => {
    const names = [1, "1", true, "true", "", " a", "law", '"x"'].map((value) => sliceName(slicing, [value]));
    expect(new Set(names).size).toBe(8);
    expect(names.slice(0, 2)).toEqual(["inputs.topic = 1", 'inputs.topic = "1"']);
  });

  it("counts what is left out", () => {
    const others = [
      { value: ["a"], row_count: 4 },
      { value: ["b"], row_count: 1 },
    ];
    const one = { ...worse, slices: [], n_without_field: 12 };
    expect(sliceNotes({ ...slicing, slice_count: 3, others }, one)).toEqual([
      "3 more: a (4 rows), b (1 row), …",
      "12 rows have no inputs.topic",
    ]);
  });
});
