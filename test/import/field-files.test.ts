import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openEngine, type ImportOptions, type ImportResult } from "../../src/index.ts";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";

const PROJECT = "f/x";
const FIELD = fileURLToPath(new URL("../field/", SHARED_DATA));
const missing = existsSync(FIELD) ? null : `no folder ${FIELD}`;

interface Imported {
  readonly results: readonly ImportResult[];
  readonly notes: readonly string[];
  /** Trials with a value of each score, and its mean over rows; of each evaluation. */
  readonly scores: readonly object[];
}

/** Imports files of one case into a database of their own. */
async function importCase(files: string | readonly string[], options: Partial<ImportOptions> = {}) {
  const engine = await openEngine();
  try {
    const notes: string[] = [];
    const paths = [files].flat().map((name) => path.join(FIELD, name));
    const onNote = (note: string) => notes.push(note);
    const results = await engine.importEvaluations(paths, { project: PROJECT, onNote, ...options });
    const { entries, dimensions } = await engine.leaderboard(PROJECT, { sort_by: [{ field: "name" }] });
    const scores = entries.map((entry) =>
      Object.fromEntries(
        dimensions.flatMap(({ scorer_key: key }, i) => {
          const score = entry.scores[i];
          return score?.row_mean == null ? [] : [[key, [score.trial_count, rounded(score.row_mean)]]];
        }),
      ),
    );
    const imported: Imported = {
      results,
      notes: [...results.flatMap((one) => one.notes), ...notes],
      scores,
    };
    return imported;
  } finally {
    await engine.close();
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}

function agrees({ results }: Imported, figures: number): void {
  expect(results.flatMap(({ checks }) => checks.differ)).toEqual([]);
  expect(results.reduce((sum, { checks }) => sum + checks.agree, 0)).toBeGreaterThanOrEqual(figures);
}

describe.skipIf(missing !== null)(`files as people have them${because(missing)}`, () => {
  it.each(["scores.csv", "scores.jsonl"])("keep their numbers beside one text: %s", async (file) => {
    const { scores, notes } = await importCase(`csv-one-text-cell/${file}`);
    expect(scores).toEqual([expect.objectContaining({ score: [3, 0.7333] })]);
    expect(notes.join("\n")).toMatch(/1 of 4 records .*judge failed/);
  });

  it("do not take a parameter for a score", async () => {
    const file = "table-parameter-as-score/eval_results.jsonl";
    const { scores, notes } = await importCase(file);
    expect(scores).toEqual([{ hit: [3, 0.3333] }, { hit: [3, 1] }, { hit: [3, 1] }]);
    expect(notes.join("\n")).toMatch(/evaluation = k \(1, 3, 5\).*--evaluation-column k/);
    const repeats = await importCase(file, { table: { trial: "k" } });
    expect(repeats.scores).toEqual([{ hit: [9, 0.7778] }]);
  });

  it.each([
    ["results.json", 3],
    ["results-one-line.json", 2],
  ] as const)("are read from an object: %s, whose %i figures agree", async (file, figures) => {
    const imported = await importCase(`json-object-with-records/${file}`);
    expect(imported.scores).toEqual([{ passed: [4, 0.75] }]);
    expect(imported.results).toMatchObject([{ evaluations: [{ model: "acme-small", rows: 4, trials: 4 }] }]);
    expect(imported.notes.join("\n")).toContain("results");
    agrees(imported, figures);
  });

  it("keep two samples of one id apart", async () => {
    const imported = await importCase("inspect-duplicate-sample-id/log.json");
    expect(imported.results).toMatchObject([{ evaluations: [{ rows: 3, trials: 3 }] }]);
    expect(Object.values(imported.scores[0] ?? {})).toEqual([[3, 0.6667]]);
    agrees(imported, 1);
  });

  it("agree without reducers, also where figures must", async () => {
    const imported = await importCase("inspect-no-epochs-reducer/log.json", { check: "fail" });
    expect(imported.results).toMatchObject([{ evaluations: [{ rows: 2, trials: 6 }] }]);
    expect(imported.scores).toEqual([{ grade: [6, 0.5] }]);
    agrees(imported, 5);
  });

  it("have the choices of OpenAI Evals as texts", async () => {
    const imported = await importCase("openai-evals-choices/log.jsonl");
    expect(imported.results).toMatchObject([{ evaluations: [{ trials: 5, scorers: ["choice"] }] }]);
    agrees(imported, 3);
  });

  it("go on behind a run that was cancelled, which is refused by itself", async () => {
    const folder = "inspect-folder-with-cancelled-run/logs";
    const { scores, results } = await importCase(folder);
    expect(scores).toEqual([{ match: [1, 1] }]);
    const left = results.filter(({ evaluations }) => evaluations.length === 0);
    expect(left).toMatchObject([{ source: expect.stringContaining("a_cancelled.json") }]);
    expect(left[0]?.notes.join("\n")).toMatch(/cancelled before a sample ended/);
    const alone = importCase(`${folder}/2026-03-01_a_cancelled.json`);
    await expect(alone).rejects.toThrow(/cancelled before a sample ended/);
  });

  it.each([
    ["log.json", "grade", [8, 0.5], [10, 0.4]],
    ["weave-calls.jsonl", "correct", [2, 1], [4, 0.5]],
  ] as const)("count errors as wrong where it is asked: %s", async (file, score, plain, strict) => {
    const engine = await openEngine();
    await engine.importEvaluations(path.join(FIELD, "errors-as-wrong", file), { project: PROJECT });
    const figures = async (request: object) => {
      const { entries, dimensions } = await engine.leaderboard(PROJECT, request);
      const found = entries[0]?.scores[dimensions.findIndex(({ scorer_key }) => scorer_key === score)];
      return [found?.scored_row_count, rounded(found?.row_mean ?? NaN)];
    };
    expect(await figures({})).toEqual(plain);
    expect(await figures({ count_errors_as: 0 })).toEqual(strict);
    await engine.close();
  });

  it.each([{}, { format: "promptfoo" }])("of promptfoo 2 are read, with %j", async (options) => {
    const imported = await importCase("promptfoo-version-2/output.json", options);
    const evaluations = imported.results.flatMap((one) => one.evaluations);
    expect(evaluations.map(({ label, rows, trials }) => [label, rows, trials])).toEqual([
      ["Say a word on {{topic}}", 2, 2],
      ["Write a line on {{topic}}", 2, 2],
    ]);
    expect(imported.scores.map((one) => (one as { readonly pass?: unknown }).pass)).toEqual([
      [2, 1],
      [2, 0.5],
    ]);
    agrees(imported, 2);
  });

  it("of DeepEval are read, or refused with the file to import instead", async () => {
    const imported = await importCase("deepeval-latest-test-run/latest_test_run.json");
    expect(imported.scores).toEqual([
      expect.objectContaining({ pass: [2, 0.5], "Correctness [GEval]": [2, 0.5] }),
    ]);
    agrees(imported, 1);
    const link = importCase("deepeval-latest-test-run/latest_test_run-link.json");
    await expect(link).rejects.toThrow(/\.latest_run_full\.json.*DEEPEVAL_RESULTS_FOLDER/);
    const cache = importCase("deepeval-latest-test-run/deepeval-cache.json");
    await expect(cache).rejects.toThrow(/cache.*\.latest_/);
  });

  it("of one name are two runs", async () => {
    const files = ["before", "after"].map((name) => `table-same-file-name/${name}/ragas_results.csv`);
    const { results, scores } = await importCase(files);
    expect(results.flatMap(({ evaluations }) => evaluations)).toHaveLength(2);
    expect(scores).toEqual([
      expect.objectContaining({ faithfulness: [2, 0] }),
      expect.objectContaining({ faithfulness: [4, 0.75] }),
    ]);
  });

  it("of a group of lm-eval are pooled to the figures of the group", async () => {
    const engine = await openEngine();
    const [imported] = await engine.importEvaluations(path.join(FIELD, "lm-eval-group/runs"), {
      project: PROJECT,
    });
    expect(imported?.checks.differ).toEqual([]);
    const { warnings } = await engine.leaderboard(PROJECT, { by: "model" });
    expect(warnings).toEqual([expect.stringMatching(/several tasks: acme\/tiny \(4 tasks\).*weights/)]);
    for (const [weights, mean, error] of [
      ["rows", 5 / 9, 0.18839805508681304],
      ["tasks", 19 / 36, 0.21695137988629595],
    ] as const) {
      const where = { "attributes.evalcube.groups.mmlu": true };
      const { entries } = await engine.leaderboard(PROJECT, {
        by: "model",
        where,
        weights,
        scorers: ["acc"],
      });
      expect(entries).toMatchObject([{ task_count: 3, row_count: 9 }]);
      expect(entries[0]?.scores[0]?.row_mean).toBeCloseTo(mean, 9);
      expect(entries[0]?.scores[0]?.standard_error).toBeCloseTo(error, 9);
    }
    await engine.close();
  });
});
