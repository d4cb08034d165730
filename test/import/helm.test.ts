import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { answerOf, importFile, PROJECT, recordCount } from "./imports.ts";
import { instanceStats, requestState, stat, TYPOS, writeRunFolder } from "./helm-logs.ts";
import { importedTwice, newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();

const LOGS = fileURLToPath(new URL("peer-logs/helm/", SHARED_DATA));
const missing = existsSync(LOGS) ? null : `no folder ${LOGS}`;

describe.skipIf(missing !== null)(`real runs of HELM${because(missing)}`, () => {
  it("agree with their own figures, and change nothing when they are imported again from elsewhere", async () => {
    const first = await importedTwice(engine, LOGS, newFolder());
    expect(first.map(({ checks }) => [checks.agree, checks.differ])).toEqual([
      [8, []],
      [16, []],
    ]);
    const all = await engine.importEvaluations(LOGS, { project: PROJECT, allMetrics: true, dryRun: true });
    expect(all.flatMap(({ checks }) => checks.differ)).toEqual([]);
    expect(all[0]?.checks.agree).toBeGreaterThan(20);
  });
});

const asked = (index: number) => requestState("c", "x", { reference_index: index, request_mode: "original" });

describe("a run of HELM", () => {
  const states = [requestState("a", "yes"), requestState("b", "no")];
  const instances = [instanceStats("b", 0), instanceStats("a", 1)];
  const stats = [stat("exact_match", 0.5), stat("num_prompt_tokens", 10)];

  it("is a folder whose files are one source", async () => {
    const folder = writeRunFolder(newFolder(), { states, instances, stats });
    const results = await engine.importEvaluations(folder, { project: PROJECT });
    expect(results).toMatchObject([
      {
        format: "helm",
        evaluations: [
          {
            task: "quiz:level=1,groups=a",
            model: "org/small",
            rows: 2,
            trials: 2,
            scorers: ["exact_match"],
          },
        ],
        checks: { agree: 1, differ: [], unchecked: [] },
      },
    ]);
    const [evaluation] = results[0]?.evaluations ?? [];
    const { rows } = await answerOf(engine, evaluation?.evaluation_call_id ?? "");
    const trials = rows.map((row) => row.evaluations[0]?.trials[0]);
    expect(trials.map((trial) => [trial?.model_output, trial?.scores])).toContainEqual([
      "yes",
      { exact_match: 1 },
    ]);
    expect(trials[0]).toMatchObject({ model_latency_seconds: 0.5, total_tokens: 12 });
    const again = await importFile(engine, path.join(folder, "scenario_state.json"));
    expect([again.stored, again.unchanged]).toEqual([0, 7]);
  });

  it("shares its rows with that of another model", async () => {
    const ids = [];
    for (const model of ["org/small", "org/large"]) {
      const [one] = await engine.importEvaluations(
        writeRunFolder(newFolder(), { model, states, instances }),
        {
          project: PROJECT,
        },
      );
      ids.push(one?.evaluations[0]?.evaluation_call_id ?? "");
    }
    const { rows } = await answerOf(engine, ...ids);
    expect(rows.map((row) => row.evaluations.length)).toEqual([2, 2]);
  });

  it("has bookkeeping numbers as scores where all metrics are wanted", async () => {
    const folder = writeRunFolder(newFolder(), { model: "org/all", states, instances, stats });
    const [all] = await engine.importEvaluations(folder, { project: PROJECT, allMetrics: true });
    expect(all?.evaluations[0]?.scorers).toEqual(
      expect.arrayContaining(["exact_match", "num_prompt_tokens", "finish_reason_stop"]),
    );
    expect(all?.checks).toMatchObject({ agree: 2, differ: [] });
  });

  it("has a row of its own for each perturbation, and its figures", async () => {
    const perturbed = requestState("a", "yea", {}, { perturbation: TYPOS, input: { text: "Waht is a?" } });
    const worst = { perturbation: { ...TYPOS, computed_on: "worst" } };
    const [result] = await engine.importEvaluations(
      writeRunFolder(newFolder(), {
        model: "org/perturbed",
        states: [...states, perturbed],
        instances: [
          ...instances,
          instanceStats("a", 0.25, { perturbation: TYPOS }, { perturbation: TYPOS }),
          { ...instanceStats("a", 0, {}, worst) },
        ],
        stats: [...stats, stat("exact_match", 0.25, { perturbation: TYPOS }), stat("exact_match", 0, worst)],
      }),
      { project: PROJECT },
    );
    expect(result).toMatchObject({
      evaluations: [{ rows: 3, trials: 3 }],
      checks: { agree: 2, differ: [], unchecked: [{ why: "they belong to no instance" }] },
    });
  });

  it("joins the requests of one trial, orders repeats, and keeps failures apart", async () => {
    const failed = requestState("d", "", {
      result: { success: false, error: "HTTP 500\nagain", completions: [] },
    });
    const repeat = requestState("b", "yes", { train_trial_index: 1 });
    const [result] = await engine.importEvaluations(
      writeRunFolder(newFolder(), {
        model: "org/parts",
        states: [asked(0), asked(1), failed, states[1], repeat],
        instances: [instanceStats("c", 1), instances[0], instanceStats("b", 1, { train_trial_index: 1 })],
        stats: [stat("exact_match", 0.75)],
      }),
      { project: PROJECT },
    );
    expect(result).toMatchObject({
      evaluations: [{ rows: 3, trials: 4, errors: 1 }],
      checks: { agree: 1, differ: [] },
    });
    const { rows } = await answerOf(engine, result?.evaluations[0]?.evaluation_call_id ?? "");
    const outputs = rows.map((row) => row.evaluations[0]?.trials.map((trial) => trial.model_output));
    expect(outputs).toEqual(expect.arrayContaining([["no", "yes"], [null], [null]]));
  });

  it("without requests has rows that are known by their ids", async () => {
    const folder = writeRunFolder(newFolder(), { model: "org/figures", instances, stats });
    const [result] = await engine.importEvaluations(folder, { project: PROJECT });
    expect(result).toMatchObject({ evaluations: [{ trials: 2, rows: 2 }], checks: { agree: 1 } });
    expect(result?.notes.join("\n")).toMatch(/scenario_state\.json is not there/);
  });

  it("without figures of its instances says that there are no scores", async () => {
    const folder = writeRunFolder(newFolder(), { model: "org/unscored", states });
    const [result] = await engine.importEvaluations(folder, { project: PROJECT });
    expect(result?.evaluations).toMatchObject([{ scorers: [] }]);
    expect(result?.notes).toContain("per_instance_stats.json is not there; the trials have no scores");
  });

  it("with figures alone is refused, with what to name", async () => {
    const folder = writeRunFolder(newFolder(), { states, instances, stats });
    rmSync(path.join(folder, "scenario_state.json"));
    for (const name of ["stats.json", "per_instance_stats.json"])
      await expect(importFile(engine, path.join(folder, name))).rejects.toMatchObject({
        code: "no_samples",
        message: expect.stringContaining("name the folder of the run"),
      });
  });

  it.each([
    ["scenario_state.json", "truncated", /scenario_state\.json, request_states\[1\].*ends in the middle/],
    ["per_instance_stats.json", "truncated", /per_instance_stats\.json, \[1\].*ends in the middle/],
    ["run_spec.json", "truncated", /ends in the middle/],
  ])("whose %s is cut is refused by its place, and nothing is stored", async (name, code, message) => {
    const folder = writeRunFolder(newFolder(), { model: "org/cut", states, instances, stats });
    const file = path.join(folder, name);
    writeFileSync(file, readFileSync(file).subarray(0, -40));
    const before = await recordCount(engine);
    const refused = engine.importEvaluations(path.join(folder, "run_spec.json"), {
      project: PROJECT,
      format: "helm",
    });
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await recordCount(engine)).toBe(before);
  });

  it("with an instance that has no id is refused by its place, or read without it", async () => {
    const { instance_id: _, ...nameless } = instanceStats("b", 1);
    const folder = writeRunFolder(newFolder(), {
      model: "org/odd",
      states,
      instances: [instances[1], nameless],
      stats,
    });
    await expect(engine.importEvaluations(folder, { project: PROJECT })).rejects.toMatchObject({
      code: "invalid",
      place: "per_instance_stats.json[1]",
    });
    const [rest] = await engine.importEvaluations(folder, { project: PROJECT, onInvalid: "skip" });
    expect(rest).toMatchObject({
      evaluations: [{ trials: 2 }],
      rejected: [{ place: "per_instance_stats.json[1]" }],
    });
    expect(rest?.checks).toMatchObject({ agree: 0, differ: [], unchecked: [{ what: "stats.json" }] });
  });
});
