import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type Json } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const chat = [
  { role: "user", content: "x" },
  { role: "assistant", content: "So\nit is." },
];
const OUTPUTS: readonly (readonly [output: Json, line: string])[] = [
  ["first\nsecond", "first"],
  [chat, "So"],
  [{ messages: chat }, "So"],
  [{ a: [1] }, '{"a":[1]}'],
  [null, "null"],
  [`{${" ".repeat(1_100_000)}"a":1}`, '{"a":1}'],
  [{ long: "y".repeat(1_100_000) }, `{"long":"${"y".repeat(391)}…`],
];

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([
    root("e"),
    ...OUTPUTS.map(([output], i) =>
      trial(`t${i}`, { i }, {}, { parent_id: "e", output: { output, scores: { good: true } } }),
    ),
  ]);
});
afterAll(() => engine.close());

describe("outputs as lines", () => {
  it("are texts of one line, and all else is as without", async () => {
    const asked = { evaluation_call_ids: ["e"], include_raw_data_rows: true };
    const { rows } = await engine.queryEvalResults(PROJECT, { ...asked, include_outputs: "line" });
    const trials = rows.flatMap(({ evaluations, raw_data_row: row }) =>
      evaluations.flatMap(({ trials: all }) => all.map((one) => ({ i: (row as { i: number }).i, one }))),
    );
    for (const { i, one } of trials) expect(one.model_output).toBe(OUTPUTS[i]?.[1]);
    const bare = await engine.queryEvalResults(PROJECT, { ...asked, include_outputs: false });
    const without = JSON.parse(JSON.stringify(rows), (name, value: unknown) =>
      name === "model_output" ? null : value,
    ) as unknown;
    expect(bare.rows).toEqual(without);
    expect(trials).toHaveLength(OUTPUTS.length);
  });
});
