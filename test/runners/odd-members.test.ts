import { expect, it, vi } from "vitest";
import EvalcubeReporter from "../../src/runners/vitest.ts";
import { scratchPath } from "../support/scratch.ts";
import { storedRun } from "./stored-runs.ts";

const module = { type: "module", moduleId: "/project/a.test.ts" } as const;

/** A test that passed, as Vitest reports it. */
const reported = (name: string, meta: object) => ({
  name,
  module,
  parent: { type: "suite", name: "odd\0", parent: module } as const,
  result: () => ({ state: "passed" }),
  diagnostic: () => ({ startTime: Date.UTC(2026, 0, 1), duration: 10 }),
  meta: () => meta,
});

/** Is told as it was given, as the path is. */
const PROJECT = "acme/two  blanks";
const FAR = "+010000-01-01T00:00:00.000Z";
const span = { name: "s\0", error: { message: "a\0b" }, startedAt: FAR, durationMs: 1e18 };
const call = { type: "tool_call", id: "1", name: "find", arguments: '{"a":1}' };
const ODD = [
  { evalcube: [1] },
  { evalcube: { scores: "abc" } },
  { evalcube: { scores: [0.5, 1] } },
  { harness: { run: { timings: { totalMs: 1e20 } } } },
  { harness: { run: { traces: [{ spans: [span] }], session: { events: [call] } } } },
];

it("members of wrong types lose themselves, not the trial, and are counted", async () => {
  const db = scratchPath();
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const reporter = new EvalcubeReporter({ db, project: PROJECT });
  reporter.onInit({ version: "4.1.12", config: { root: "/project" } });
  reporter.onTestRunStart();
  for (const [i, meta] of ODD.entries()) reporter.onTestCaseResult(reported(`t${i}`, meta));
  await reporter.onTestRunEnd();
  expect(said.mock.calls).toEqual([
    [`evalcube: 1 evaluation, 5 trials, 0 in error, 3 values left out → ${db} (${PROJECT})\n`],
  ]);
  said.mockRestore();
  const { trials, calls } = await storedRun(db, PROJECT);
  expect(trials.get("odd\uFFFD")?.map(({ trial }) => trial.scores)).toEqual(
    ODD.map(() => ({ passed: true })),
  );
  const told = new Map(calls.map((one) => [one["op_name"], one]));
  expect(told.get("s\uFFFD")).toMatchObject({ exception: "Error: a\uFFFDb" });
  expect(told.get("find")).toMatchObject({ inputs: { arguments: '{"a":1}' } });
});
