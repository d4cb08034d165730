import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterWords, literalOf, literalText } from "../../src/words/filter-words.ts";

const topic = { $getField: "inputs.topic" };
const name = (id: string) => (id === "e1" ? "sums (12:04)" : id);
const words = ($expr: unknown, others: object = {}) => filterWords({ query: { $expr }, ...others }, name);

describe("a filter in words", () => {
  it.each([
    [{ $eq: [topic, { $literal: "law" }] }, "inputs.topic = law"],
    [{ $not: [{ $eq: [topic, { $literal: "law" }] }] }, "inputs.topic ≠ law"],
    [{ $eq: [topic, { $literal: "1" }] }, 'inputs.topic = "1"'],
    [{ $eq: [topic, { $literal: 1 }] }, "inputs.topic = 1"],
    [{ $gte: [{ $getField: "scores.judge.score" }, { $literal: 0.5 }] }, "scores.judge.score ≥ 0.5"],
    [{ $eq: [topic, { $literal: null }] }, "inputs.topic is missing"],
    [{ $not: { $eq: [{ $getField: "error" }, { $literal: null }] } }, "error is there"],
    [{ $in: [topic, [{ $literal: "law" }, { $literal: 2 }]] }, "inputs.topic is one of law, 2"],
    [{ $contains: { input: topic, substr: { $literal: "la" } } }, "inputs.topic contains la"],
    [{ $regex: { input: topic, pattern: { $literal: "^l" } } }, "inputs.topic matches ^l"],
    [
      { $eq: [{ $convert: { input: topic, to: "exists" } }, { $literal: true }] },
      "inputs.topic as exists = true",
    ],
    [
      {
        $and: [
          { $gt: [topic, { $literal: 1 }] },
          { $or: [{ $lt: [topic, { $literal: 3 }] }, { $eq: [topic, topic] }] },
        ],
      },
      "inputs.topic > 1 and (inputs.topic < 3 or inputs.topic = inputs.topic)",
    ],
    [{ $not: [{ $and: [{ $gt: [topic, { $literal: 1 }] }] }] }, "not (inputs.topic > 1)"],
  ])("says %j as %s", (condition, said) => {
    expect(words(condition)).toBe(said);
  });

  it("says which trials of whom must satisfy it, and nothing where any trial may", () => {
    const condition = { $eq: [topic, { $literal: "law" }] };
    expect(words(condition, { quantifier: "any", evaluation_call_id: null })).toBe("inputs.topic = law");
    expect(words(condition, { quantifier: "all" })).toBe("inputs.topic = law, all trials");
    expect(words(condition, { evaluation_call_id: "e1" })).toBe(
      "inputs.topic = law, any trial of sums (12:04)",
    );
  });

  it.each([
    [null],
    [1],
    [{ query: 1 }],
    [{ query: { $expr: { $sum: [] } } }],
    [{ query: { $expr: { $eq: 3 } } }],
  ])("says of %j that it is not understood, and fails at nothing", (filter) => {
    expect(filterWords(filter, name)).toContain("not understood");
  });

  it("shows each value as the form reads it", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        (value) => {
          fc.pre(!Object.is(value, -0));
          expect(literalOf(literalText(value))).toBe(value);
        },
      ),
    );
  });
});
