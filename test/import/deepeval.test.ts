import { copyFileSync, existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { damaged } from "./damage.ts";
import { answerOf, importBytes, importFile, recordCount } from "./imports.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const folder = newFolders()();

const LOGS = fileURLToPath(new URL("peer-logs/deepeval/", SHARED_DATA));
const missing = existsSync(LOGS) ? null : `no folder ${LOGS}`;

describe.skipIf(missing !== null)(`real results of DeepEval${because(missing)}`, () => {
  it("agree with their own figures, and change nothing when they are imported again from elsewhere", async () => {
    for (const name of readdirSync(LOGS).filter((one) => one.endsWith(".json"))) {
      const first = await importFile(engine, path.join(LOGS, name));
      copyFileSync(path.join(LOGS, name), path.join(folder, name));
      const again = await importFile(engine, path.join(folder, name));
      expect(first).toMatchObject({
        format: "deepeval",
        evaluations: [
          {
            task: "capitals",
            model: "echo-1",
            trials: 3,
            errors: 0,
            started_at: "2026-11-22T06:03:35.000000Z",
          },
        ],
        checks: { agree: 10, differ: [] },
      });
      expect([again.stored, again.unchanged]).toEqual([0, first.received]);
    }
  });
});

type Members = Readonly<Record<string, unknown>>;

function testCase(order: number, score: number | null, others: Members = {}) {
  const success = score !== null && score > 0.5;
  return {
    name: `case ${order}`,
    input: `ask ${order}`,
    expectedOutput: "yes",
    actualOutput: `answer ${score}`,
    retrievalContext: ["found"],
    success,
    completionTime: 0.25,
    tokenCost: 0.01,
    metricsData: [
      {
        name: "Fit",
        score,
        success,
        threshold: 0.5,
        reason: "because",
        ...(score === null ? { error: "no JSON" } : {}),
      },
    ],
    order,
    ...others,
  };
}

function results(cases: readonly unknown[], stated: readonly unknown[] = [], others: Members = {}) {
  return {
    testCases: cases,
    conversationalTestCases: [],
    metricsScores: stated,
    identifier: "support",
    hyperparameters: { model: "org/small" },
    runDuration: 1,
    ...others,
  };
}

describe("a results file of DeepEval", () => {
  const cases = [testCase(1, 0.25), testCase(0, 1), testCase(2, null)];
  const stated = [{ metric: "Fit", scores: [1, 0.25], passes: 1, fails: 1, errors: 1 }];

  it("becomes one evaluation, in which a failed judge is no error of the model", async () => {
    const log = JSON.stringify(results(cases, stated, { testPassed: 1, testFailed: 2 }));
    const imported = await importBytes(engine, log);
    expect(imported).toMatchObject({
      evaluations: [
        { task: "support", model: "org/small", rows: 3, trials: 3, errors: 0, scorers: ["pass", "Fit"] },
      ],
      checks: { agree: 6, differ: [] },
    });
    const { rows } = await answerOf(engine, imported.evaluations[0]?.evaluation_call_id ?? "");
    const trials = rows.map((row) => row.evaluations[0]?.trials[0]);
    expect(trials.map((trial) => trial?.scores)).toEqual(
      expect.arrayContaining([
        { pass: true, Fit: 1 },
        { pass: false, Fit: 0.25 },
        { pass: false, Fit: null },
      ]),
    );
    expect(trials[0]?.model_latency_seconds).toBe(0.25);
    expect((await importBytes(engine, log)).stored).toBe(0);
  });

  it("shares its rows with that of another model, whatever its system retrieved", async () => {
    const ids = [];
    for (const model of ["org/small", "org/large"]) {
      const own = cases.map((one) => ({ ...one, retrievalContext: [model] }));
      const imported = await importBytes(
        engine,
        JSON.stringify(results(own, [], { hyperparameters: { model } })),
      );
      ids.push(imported.evaluations[0]?.evaluation_call_id ?? "");
    }
    const { rows } = await answerOf(engine, ...ids);
    expect(rows.map((row) => row.evaluations.length)).toEqual([2, 2, 2]);
  });

  it("keeps each of several metrics of one name", async () => {
    const metricsData = [0.9, 0.1].map((score) => ({ name: "Fit", score, success: score > 0.5 }));
    const both = [{ metric: "Fit", scores: [0.9, 0.1], passes: 1, fails: 1, errors: 0 }];
    const log = JSON.stringify(results([testCase(0, 0.9, { metricsData })], both));
    const { evaluations, checks } = await importBytes(engine, log, { dryRun: true });
    expect(evaluations).toMatchObject([{ scorers: ["pass", "Fit", "Fit~2"] }]);
    expect(checks.differ).toEqual([]);
    expect(checks.unchecked).toMatchObject([{ what: "Fit mean" }]);
  });

  it("keeps conversations, of which a row is what the user says", async () => {
    const turns = [
      { role: "user", content: "hello" },
      { role: "assistant", content: "good day" },
    ];
    const talk = {
      name: "talk",
      scenario: "greeting",
      turns,
      success: true,
      metricsData: [{ name: "pass", score: 1, success: true }],
      order: 0,
    };
    const log = results([], [{ metric: "pass", scores: [1], passes: 1, fails: 0, errors: 0 }], {
      conversationalTestCases: [talk],
      hyperparameters: null,
    });
    const imported = await importBytes(engine, JSON.stringify(log), { table: { modelName: "org/talker" } });
    expect(imported).toMatchObject({
      evaluations: [{ model: "org/talker", trials: 1, scorers: ["pass", "metric.pass"] }],
      checks: { agree: 4, differ: [] },
    });
    const { rows } = await answerOf(engine, imported.evaluations[0]?.evaluation_call_id ?? "");
    expect(rows[0]).toMatchObject({
      raw_data_row: { turns: [turns[0]], scenario: "greeting" },
      evaluations: [{ trials: [{ model_output: "good day" }] }],
    });
  });

  it("began at the time that its name says, as 3.0.0 and later versions write it", async () => {
    const log = JSON.stringify(results(cases, []));
    for (const name of ["20261122_224204", "test_run_20261122_224204.json"]) {
      const { evaluations, notes } = await importBytes(engine, log, { dryRun: true }, name);
      expect(evaluations).toMatchObject([{ started_at: "2026-11-22T22:42:04.000000Z" }]);
      expect(notes.join()).toMatch(/time of the run is that in the name/);
    }
  });

  it("that states other figures differs, and one without a model says so", async () => {
    const off = [{ metric: "Fit", scores: [1, 1], passes: 2, fails: 0, errors: 1 }];
    const { checks, notes, evaluations } = await importBytes(
      engine,
      JSON.stringify(results(cases, off, { hyperparameters: {} })),
      { dryRun: true },
    );
    expect(checks.differ.map(({ stat }) => stat)).toEqual(["passes", "fails", "mean"]);
    expect(evaluations).toMatchObject([{ model: "unknown" }]);
    expect(notes.join()).toMatch(/names no model.*no time of the run/);
  });

  it("with a broken test case is refused by its place, or read without it", async () => {
    const { input: _, ...silent } = testCase(3, 1);
    const log = JSON.stringify(results([testCase(0, 1), silent], stated, { runDuration: 2 }));
    const before = await recordCount(engine);
    await expect(importBytes(engine, log)).rejects.toMatchObject({ code: "invalid", place: "testCases[1]" });
    expect(await recordCount(engine)).toBe(before);
    const rest = await importBytes(engine, log, { onInvalid: "skip" });
    expect(rest).toMatchObject({ evaluations: [{ trials: 1 }], rejected: [{ place: "testCases[1]" }] });
    expect(rest.checks).toMatchObject({ agree: 0, differ: [], unchecked: [{ what: "metricsScores" }] });
  });

  it("that is cut anywhere is refused, and nothing of it is stored", async () => {
    const before = await recordCount(engine);
    for (const bytes of damaged(Buffer.from(JSON.stringify(results(cases, stated))), 20, "cut"))
      await expect(importBytes(engine, bytes, { format: "deepeval" })).rejects.toMatchObject({
        code: "truncated",
      });
    await expect(importBytes(engine, JSON.stringify(results([])))).rejects.toMatchObject({
      code: "no_samples",
    });
    expect(await recordCount(engine)).toBe(before);
  });
});
