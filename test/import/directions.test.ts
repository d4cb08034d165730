import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { importFile, PROJECT } from "./imports.ts";
import { lmEvalResults, sampleLine, writeRun } from "./lm-eval-logs.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();

async function directionsOf(file: string) {
  const { evaluations } = await importFile(engine, file);
  const ids = new Set(evaluations.map((one) => one.evaluation_call_id));
  const listed = await engine.listEvaluations(PROJECT);
  return listed
    .filter(({ id }) => ids.has(id))
    .map(({ attributes }) => (attributes as { directions?: object }).directions);
}

describe("what an import keeps of directions", () => {
  it("is what lm-evaluation-harness states of a metric, under each of its filters", async () => {
    const results = lmEvalResults(
      { "exact_match,strict": 0.5, "exact_match,none": 0.5, "word_error,none": 1 },
      { higher_is_better: { sums: { exact_match: true, word_error: false, other: null } } },
    );
    const lines = [0, 1].flatMap((id) => [sampleLine(id, "none", id), sampleLine(id, "strict", id)]);
    expect(await directionsOf(writeRun(newFolder(), results, lines))).toEqual([
      {
        exact_match: "higher",
        "exact_match,strict": "higher",
        "exact_match,none": "higher",
        word_error: "lower",
        "word_error,none": "lower",
      },
    ]);
  });

  it.each([
    [true, { score: "lower" }],
    [false, { score: "higher" }],
    [null, undefined],
  ])("is what Every Eval Ever states: lower is better is %s", async (lower, right) => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const line = {
      schema_version: "0.3.0",
      evaluation_id: `r-${String(lower)}`,
      model_id: "acme/m",
      evaluation_name: "sums",
      interaction_type: "single_turn",
      output: { raw: ["1"] },
      answer_attribution: [],
    };
    const lines = ["a", "b"].map((id) =>
      JSON.stringify({
        ...line,
        sample_id: id,
        input: { raw: id },
        evaluation: { score: 0.5, is_correct: true },
      }),
    );
    const told = { score_details: { score: 0.5 }, metric_config: { lower_is_better: lower } };
    const aggregate = {
      schema_version: "0.3.0",
      evaluation_id: line.evaluation_id,
      model_info: { name: "m", id: "acme/m" },
      evaluation_results: [{ evaluation_name: "sums", ...told }],
    };
    writeFileSync(path.join(folder, "run.json"), JSON.stringify(aggregate));
    const file = path.join(folder, "run_samples.jsonl");
    writeFileSync(file, `${lines.join("\n")}\n`);
    expect(await directionsOf(file)).toEqual([right]);
  });
});
