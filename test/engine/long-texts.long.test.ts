import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const TEXT = "a".repeat(3_000_000);
const TRIALS = 36;

it("texts that together have more than the memory of DuckDB are stored one after the other, and with more memory read", async () => {
  const path = scratchPath();
  const engine = await openEngine({ path, memoryLimit: "64MiB" });
  try {
    await engine.ingestCalls([root()]);
    for (let i = 0; i < TRIALS; i++)
      await engine.ingestCalls([
        trial(`t${i}`, { n: i }, { s: i }, { output: { output: `${i}${TEXT}`, scores: { s: i } } }),
      ]);
  } finally {
    await engine.close();
  }
  const again = await openEngine({ path, memoryLimit: "512MiB" });
  try {
    await again.ingestCalls([trial("last", { n: TRIALS }, { s: 1 })]);
    const request = { evaluation_call_ids: [EVALUATION], include_summary: true, limit: 2 };
    const { rows, total_rows } = await again.queryEvalResults(PROJECT, request);
    expect(total_rows).toBe(TRIALS + 1);
    expect(JSON.stringify(rows).length).toBeGreaterThan(TEXT.length);
  } finally {
    await again.close();
  }
});
