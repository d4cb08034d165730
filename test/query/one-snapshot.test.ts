import { describe, expect, it } from "vitest";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";

const REQUEST = { evaluation_call_ids: [EVALUATION], include_rows: true, include_summary: true, limit: 1 };

describe("rows and summary of one answer", () => {
  it("count the same rows while others are written", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([root(), trial("t", { n: "first" }, { ok: true })]);
    const writing = (async () => {
      for (let at = 0; at < 30; at++) await engine.ingestCalls([trial(`t${at}`, { n: at }, { ok: true })]);
    })();
    for (let seen = 0; seen < 31;) {
      const { total_rows, summary } = await engine.queryEvalResults(PROJECT, REQUEST);
      expect(summary?.row_count).toBe(total_rows);
      seen = total_rows;
    }
    await writing;
    const { total_rows, summary } = await engine.queryEvalResults(PROJECT, REQUEST);
    expect([total_rows, summary?.row_count]).toEqual([31, 31]);
  });

  it("end with the reason of the signal, and the engine closes", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([root(), trial("t", { n: "first" }, { ok: true })]);
    const controller = new AbortController();
    const pieces = engine.streamEvalResults(PROJECT, REQUEST, { signal: controller.signal });
    await pieces.next();
    controller.abort(new Error("enough"));
    await expect(pieces.next()).rejects.toThrow("enough");
    await engine.close();
  });
});
