import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

/** Twelve trials with members of their own, of which a warning looks at the first that started. */
const CALLS = Array.from({ length: 12 }, (_, i) =>
  trial(
    `t${i}`,
    { [`word${i % 3}`]: i },
    { acc: i, [`acc${i % 4}`]: 1 },
    { started_at: `2026-01-01T00:00:${String(i).padStart(2, "0")}Z`, output: { [`part${i}`]: { score: i } } },
  ),
);

async function warningsOf(calls: readonly object[]): Promise<unknown> {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  await engine.ingestCalls(calls);
  const { warnings } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["e"],
    sort_by: [{ field: "output.parts" }, { field: "inputs.words" }, { field: "scores.ac" }],
  });
  return warnings;
}

describe("the fields that a warning names", () => {
  it("are those of the trials that started first, whatever the order in which they arrived", async () => {
    const warnings = await warningsOf([root(), ...CALLS]);
    expect(warnings).toEqual([
      "sort_by: no trial of the requested evaluations has output.parts; there are output.part0, output.part1, output.part2, output.part3, output.part4",
      "sort_by: no row of the requested evaluations has inputs.words; there are inputs.word0, inputs.word1, inputs.word2",
      expect.stringContaining("sort_by: no trial of the requested evaluations has scores.ac"),
    ]);
    expect(await warningsOf([...CALLS.toReversed(), root()])).toEqual(warnings);
  });
});
