import { expect, it, vi } from "vitest";
import { evalcubeStorage } from "../../src/runners/evalite.ts";
import EvalcubeReporter from "../../src/runners/vitest.ts";
import { scratchPath } from "../support/scratch.ts";
import { memoryStorage } from "./memory-storage.ts";
import { openWhenFree } from "./stored-runs.ts";

const PROJECT = "acme/qa";
const DIRECTIONS = { length: "lower", "style.words": "higher" } as const;

/** What the second of two runs is called in each score, and what its root states. */
async function verdicts(db: string) {
  const engine = await openWhenFree(db);
  try {
    const [before, after] = await engine.listEvaluations(PROJECT);
    const sides = { baseline: before?.id ?? "", candidates: [after?.id ?? ""] };
    const { comparisons } = await engine.compareEvaluations(PROJECT, sides);
    const named = comparisons.map(({ scorer_key: key, path, direction, verdict }) => [
      path === null ? key : `${key}.${path}`,
      [direction, verdict],
    ]);
    const stated = after?.attributes as { readonly directions?: object } | null;
    return { stated: stated?.directions, verdicts: Object.fromEntries(named) as Record<string, unknown> };
  } finally {
    await engine.close();
  }
}

/** Each figure is larger in the second run. */
const sizeOf = (run: number, i: number) => 10 * run + (i % 3);

it("the reporter for Vitest stores which way scores are good, and verdicts go by it", async () => {
  const db = scratchPath();
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const module = { type: "module", moduleId: "/project/a.test.ts" } as const;
  for (const run of [0, 1]) {
    const reporter = new EvalcubeReporter({ db, project: PROJECT, run: `r${run}`, directions: DIRECTIONS });
    reporter.onInit({ version: "4.1.12", config: { root: "/project" } });
    reporter.onTestRunStart();
    for (let i = 0; i < 12; i++) {
      const size = sizeOf(run, i);
      const scores = { length: size, style: { words: size }, other: size };
      reporter.onTestCaseResult({
        name: `asks ${i}`,
        module,
        parent: { type: "suite", name: "qa", parent: module } as const,
        result: () => ({ state: "passed" }),
        diagnostic: () => ({ startTime: Date.UTC(2026, 0, 1 + run), duration: 10 }),
        meta: () => ({ evalcube: { input: { i }, scores } }),
      });
    }
    await reporter.onTestRunEnd();
  }
  said.mockRestore();
  const found = await verdicts(db);
  expect(found.stated).toEqual(DIRECTIONS);
  expect(found.verdicts).toMatchObject({
    length: ["lower", "regressed"],
    "style.words": ["higher", "improved"],
    other: [null, "moved"],
  });
});

it("scores of evalite are better where they are higher, unless its storage is told otherwise", async () => {
  const db = scratchPath();
  for (const run of [0, 1]) {
    const options = { db, project: PROJECT, run: `r${run}`, directions: DIRECTIONS };
    const storage = await evalcubeStorage(options, memoryStorage("newer"));
    const { id: runId } = await storage.runs.create({ runType: "full" });
    const { id: suiteId } = await storage.suites.create({
      runId,
      name: "qa",
      filepath: "/project/qa.eval.ts",
    });
    for (let order = 0; order < 12; order++) {
      const running = { input: "", expected: "", output: null, duration: 0, status: "running" };
      const { id } = await storage.evals.create({ suiteId, order, ...running });
      const ended = { expected: undefined, output: "x", duration: 40, status: "success" };
      await storage.evals.update({ id, input: { order }, ...ended });
      for (const name of ["length", "other"])
        await storage.scores.create({ evalId: id, name, score: sizeOf(run, order) / 100 });
    }
    await storage.suites.update({ id: suiteId, status: "success" });
    await storage.close();
  }
  const found = await verdicts(db);
  expect(found.stated).toEqual({ ...DIRECTIONS, other: "higher" });
  expect(found.verdicts).toEqual({ length: ["lower", "regressed"], other: ["higher", "improved"] });
});
