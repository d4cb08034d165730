import { describe, expect, it } from "vitest";
import { answerOf, importBytes, importFile, PROJECT } from "./imports.ts";
import { header, jsonLog, sample } from "./inspect-logs.ts";
import { lmEvalResults, sampleLine, writeRun } from "./lm-eval-logs.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();

/** The same questions, as Inspect asks them; the last in messages. */
const samples = [0, 1, 2].map((id) =>
  sample(
    id + 1,
    1,
    { exact_match: id === 0 ? "C" : "I" },
    { input: id === 2 ? [{ role: "user", content: `q${id}` }] : `q${id}` },
  ),
);
const lines = [0, 1, 2].map((id) => sampleLine(id, "none", id < 2 ? 1 : 0));

const inspectLog = (evalId: string, some = samples) =>
  jsonLog(header({}, { eval: { ...header().eval, eval_id: evalId } }), some);

async function comparisonOf(baseline: string | undefined, candidate: string | undefined) {
  const { comparisons } = await engine.compareEvaluations(PROJECT, {
    baseline: baseline ?? "",
    candidates: [candidate ?? ""],
  });
  return comparisons.map((one) => [one.scorer_key, one.n_common, one.difference]);
}

describe("runs of two tools over the same questions", () => {
  it("have rows of their own, unless both are told apart by the question", async () => {
    const run = writeRun(newFolder(), lmEvalResults({ "exact_match,none": 2 / 3 }), lines);
    const apart = await importFile(engine, run);
    const [lmEval] = apart.evaluations;
    const other = await importBytes(engine, inspectLog("apart"));
    const [inspect] = other.evaluations;
    await expect(comparisonOf(lmEval?.evaluation_call_id, inspect?.evaluation_call_id)).rejects.toThrow(
      /shares no row with the baseline/,
    );

    const shared = await importFile(engine, run, { rowBy: "doc.question" });
    expect([shared.evaluations, shared.checks]).toEqual([apart.evaluations, apart.checks]);
    expect((await importFile(engine, run, { rowBy: "doc.question" })).stored).toBe(0);
    await importBytes(engine, inspectLog("one", samples.slice(0, 2)), { rowBy: "input" });
    await importBytes(engine, inspectLog("one", samples.slice(2)), { rowBy: "input.0.content" });
    expect(await comparisonOf(lmEval?.evaluation_call_id, "inspect:one")).toEqual([
      ["exact_match", 3, -1 / 3],
    ]);
    const { rows } = await answerOf(engine, lmEval?.evaluation_call_id ?? "", "inspect:one");
    expect(rows.map((row) => row.raw_data_row)).toEqual(
      expect.arrayContaining([{ row: "q0" }, { row: "q1" }, { row: "q2" }]),
    );
  });

  it("keep with the trial what else their logs know of the row", async () => {
    const { evaluations } = await importBytes(engine, inspectLog("kept", samples.slice(0, 1)), {
      rowBy: "input",
    });
    const kept = await engine.sql(
      PROJECT,
      `SELECT json_extract_string(output, '$.details.row.target') AS target FROM calls
       WHERE parent_id = '${evaluations[0]?.evaluation_call_id}'`,
    );
    expect(kept.toArray().map((row) => ({ ...row }))).toEqual([{ target: "1" }]);
  });

  it("are refused where a row has nothing by which it is told apart", async () => {
    await expect(importBytes(engine, inspectLog("none"), { rowBy: "doc.question" })).rejects.toThrow(
      /samples\[0\]: has nothing in doc\.question of its row/,
    );
  });
});
