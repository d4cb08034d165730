import { expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const TEXT = "a".repeat(2_000_000);
const TRIALS = 36;

const longTrial = (i: number) =>
  trial(`t${i}`, { n: i }, { s: i }, { output: { output: `${i}${TEXT}`, scores: { s: i } } });
const MANY = Array.from({ length: 48 }, (_, i) => longTrial(i));

/** How many rows there are, and whether the page has all of the long texts that it shows. */
async function pageOf(engine: Engine) {
  const request = { evaluation_call_ids: [EVALUATION], include_summary: true, limit: 2 };
  const { rows, total_rows } = await engine.queryEvalResults(PROJECT, request);
  return [total_rows, JSON.stringify(rows).length > TEXT.length];
}

it("texts that together have more than the memory of DuckDB are stored one after the other, also what belongs to them later, and read", async () => {
  const path = scratchPath();
  const engine = await openEngine({ path, memoryLimit: "64MiB" });
  try {
    await engine.ingestCalls([root()]);
    for (const one of MANY.slice(0, TRIALS)) await engine.ingestCalls([one]);
    expect(await pageOf(engine)).toEqual([TRIALS, true]);
  } finally {
    await engine.close();
  }
  const again = await openEngine({ path, memoryLimit: "64MiB" });
  try {
    await again.ingestCalls([trial("last", { n: TRIALS }, { s: 1 })]);
    await again.ingestCalls([{ ...longTrial(5), display_name: "renamed" }]);
    expect(await pageOf(again)).toEqual([TRIALS + 1, true]);
    const read = await again.weave.readCall(JSON.stringify({ project_id: PROJECT, id: "t5" }), {
      userId: "ann",
    });
    expect([read.length > TEXT.length, JSON.parse(read)]).toMatchObject([
      true,
      { call: { id: "t5", display_name: "renamed" } },
    ]);
  } finally {
    await again.close();
  }
});

it("one load of more text than the memory of DuckDB has is stored, and what fails in the middle is taken back", async () => {
  const engine = await openEngine({ path: scratchPath(), memoryLimit: "128MiB" });
  try {
    const refused = engine.ingestCalls([root(), ...MANY, { id: "no project" } as never]);
    await expect(refused).rejects.toThrow(/project_id/);
    await engine.ingestCalls([root(), ...MANY]);
    expect(await pageOf(engine)).toEqual([MANY.length, true]);
  } finally {
    await engine.close();
  }
});
