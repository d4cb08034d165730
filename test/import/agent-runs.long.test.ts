import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/index.ts";
import {
  formsOf,
  importRun,
  recordsIn,
  stepSums,
  sum,
  summaries,
  temporaryFolder,
  type TrialSummary,
} from "./agent-runs.ts";
import { sharedEngine } from "./shared.ts";

const CASES = path.join(import.meta.dirname, "agent-cases");
const base = mkdtempSync(path.join(tmpdir(), "evalcube-agents-"));
afterAll(() => rmSync(base, { recursive: true }));
const newFolder = () => temporaryFolder(base);
const engine = await sharedEngine();

interface AgentCase {
  readonly name: string;
  readonly reward: string;
  readonly task: string;
  readonly attempt?: string;
  readonly options?: Partial<ImportOptions>;
}

const RUNS: readonly AgentCase[] = [
  { name: "harbor-job", reward: "reward", task: "task_name", attempt: "attempt" },
  {
    name: "tau-bench",
    reward: "reward",
    task: "task_id",
    attempt: "trial",
    options: { table: { modelName: "agent-1" } },
  },
  { name: "swe-agent", reward: "resolved", task: "instance_id" },
  { name: "tau2-bench", reward: "reward", task: "task_id", attempt: "trial" },
  { name: "tau2-bench-file", reward: "reward", task: "task_id", attempt: "trial" },
  { name: "mini-swe-agent", reward: "resolved", task: "instance_id" },
  { name: "openhands", reward: "resolved", task: "instance_id" },
  { name: "terminal-bench", reward: "is_resolved", task: "task_id", attempt: "attempt" },
  { name: "inspect-events", reward: "match", task: "id", attempt: "epoch" },
];

/** What is known to be right of each trial. */
function expectedOf(name: string): Partial<TrialSummary>[] {
  const text = readFileSync(path.join(CASES, name, "expect.json"), "utf8");
  return (JSON.parse(text) as { trials: Partial<TrialSummary>[] }).trials;
}

let projects = 0;
const newProject = () => `acme/agents${projects++}`;

describe.each(RUNS)("a run of $name", (run) => {
  const input = path.join(CASES, run.name, "input");
  const forms = [...formsOf(input, newFolder)];
  const expected = expectedOf(run.name);

  it.each(forms)("gives what its trials and steps are: %s", async (_, source) => {
    const project = newProject();
    const { results } = await importRun(engine, source, project, run.options);
    expect(results.flatMap(({ checks }) => checks.differ)).toEqual([]);
    const found = await summaries(engine, project, run);
    expect(found.length).toBe(expected.length);
    for (const [i, trial] of found.entries()) {
      const { tool_seconds, model_seconds, cost, ...exact } = expected[i] ?? {};
      const known = Object.entries(exact).filter(([name]) => name in trial);
      expect(trial).toMatchObject(Object.fromEntries(known));
      for (const [name, value] of Object.entries({ tool_seconds, model_seconds, cost }))
        expect(trial[name as "cost"] ?? 0, name).toBeCloseTo(value ?? 0, 6);
    }
    const seen = await stepSums(engine, project);
    const total = (name: keyof TrialSummary) =>
      sum(found.map((one) => (one.steps === null ? null : (one[name] as number))));
    for (const name of ["model_calls", "tool_calls", "repeated_actions"] as const)
      expect(seen[name], name).toBe(total(name) ?? 0);
    for (const name of ["tool_seconds", "model_seconds"] as const)
      expect(seen[name] ?? 0, name).toBeCloseTo(total(name) ?? 0, 5);
    const again = await importRun(engine, source, project, run.options);
    expect(again.results.map(({ stored }) => stored)).toEqual(results.map(() => 0));
  });

  it("gives the same records in all of its forms", async () => {
    const found: string[][] = [];
    for (const [, source] of forms) {
      const project = newProject();
      await importRun(engine, source, project, run.options);
      found.push(await recordsIn(engine, project));
    }
    const [first, ...others] = found.slice(0, -1);
    for (const other of others) expect(other).toEqual(first);
  });
});
