import { expect, it, vi } from "vitest";
import { evalcubeStorage } from "../../src/runners/evalite.ts";
import EvalcubeReporter from "../../src/runners/vitest.ts";
import { scratchPath } from "../support/scratch.ts";
import { memoryStorage } from "./memory-storage.ts";
import { openWhenFree, storedRun } from "./stored-runs.ts";

const PROJECT = "acme/qa";
const ROWS = Array.from({ length: 5 }, (_, i) => ({ id: `q${i}`, text: "old" }));
const EDITED = ROWS.map((row) => (row.id === "q3" ? { ...row, text: "new" } : row));

/** What a comparison of the two runs of a database says of their rows. */
async function compared(db: string) {
  const engine = await openWhenFree(db);
  try {
    const [later, earlier] = await engine.listEvaluations(PROJECT);
    const sides = { baseline: earlier?.id ?? "", candidates: [later?.id ?? ""] };
    const { comparisons, warnings } = await engine.compareEvaluations(PROJECT, sides);
    return {
      rows: comparisons.map(({ n_common, n_edited }) => ({ n_common, n_edited })),
      edited: warnings.filter((one) => one.includes("edited")),
    };
  } finally {
    await engine.close();
  }
}

const ONE_EDITED = {
  rows: [{ n_common: 5, n_edited: 1 }],
  edited: ["1 of 5 shared rows was edited: q3. --edited-rows leave-out compares without it."],
};

it("the reporter for Vitest knows rows by a field of their input", async () => {
  const db = scratchPath();
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const module = { type: "module", moduleId: "/project/a.test.ts" } as const;
  for (const [run, rows] of [ROWS, EDITED].entries()) {
    const reporter = new EvalcubeReporter({ db, project: PROJECT, run: `r${run}`, rowKey: "input.id" });
    reporter.onInit({ version: "4.1.12", config: { root: "/project" } });
    reporter.onTestRunStart();
    for (const [i, input] of rows.entries())
      reporter.onTestCaseResult({
        name: `asks ${input.text} ${i}`,
        module,
        parent: { type: "suite", name: "qa", parent: module } as const,
        result: () => ({ state: "passed" }),
        diagnostic: () => ({ startTime: Date.UTC(2026, 0, 1 + run), duration: 10 }),
        meta: () => ({ evalcube: { input, scores: { right: i % 2 === 0 } } }),
      });
    await reporter.onTestRunEnd();
  }
  said.mockRestore();
  expect(await compared(db)).toEqual({
    ...ONE_EDITED,
    rows: [...ONE_EDITED.rows, ...ONE_EDITED.rows],
  });
});

const rowKey = (row: object) => (row as { input: { id: string } }).input.id;

it("a storage of evalite knows rows by a function of them, in one run and the next", async () => {
  const db = scratchPath();
  for (const [run, rows] of [ROWS, EDITED].entries()) {
    const options = { db, project: PROJECT, run: `r${run}`, rowKey };
    const storage = await evalcubeStorage(options, memoryStorage("newer"));
    const { id: runId } = await storage.runs.create({ runType: "full" });
    const { id: suiteId } = await storage.suites.create({
      runId,
      name: "qa",
      filepath: "/project/qa.eval.ts",
    });
    const running = { input: "", expected: "", output: null, duration: 0, status: "running" };
    for (const [order, input] of rows.entries()) {
      const { id } = await storage.evals.create({ suiteId, order, ...running });
      const ended = { expected: undefined, output: "x", duration: 40, status: "success" };
      await storage.evals.update({ id, input, ...ended });
      await storage.scores.create({ evalId: id, name: "right", score: order % 2 });
    }
    await storage.suites.update({ id: suiteId, status: "success" });
    await storage.close();
  }
  const { calls } = await storedRun(db);
  const keys = calls.flatMap((one) => (one["attributes"] as { row_key?: string } | undefined)?.row_key ?? []);
  expect([...new Set(keys)].toSorted()).toEqual(ROWS.map(({ id }) => id));
  expect(await compared(db)).toEqual(ONE_EDITED);
});
