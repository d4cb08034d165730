import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { builtProgram } from "../support/built-program.ts";
import { scratchPath } from "../support/scratch.ts";
import { installRunners, runnerProject } from "./runner-projects.ts";
import { storedRun } from "./stored-runs.ts";

let runners: string;
beforeAll(async () => {
  runners = await installRunners();
}, 600_000);
afterAll(() => rmSync(runners, { recursive: true, force: true }));

/** Vitest's own report. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly duration: number;
    }[];
  }[];
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
/** Vitest 5 needs Node 22.12. */
const VERSIONS = ["vitest-3", "vitest", ...(major > 22 || (major === 22 && minor >= 12) ? ["vitest-5"] : [])];

const REPORTERS = ["--reporter=json", "--outputFile.json=report.json", "--reporter=evalcube/vitest"];

describe.each(VERSIONS)("under %s", (version) => {
  it("every test that ran is a trial with its result and duration, and the runner ends as without", async () => {
    const examples = ["vitest.config.ts", "sums.eval.test.ts"];
    const { folder, run, readJson } = runnerProject(runners, { vitest: version }, examples);
    const alone = await run("vitest/vitest.mjs", ["run", "--reporter=dot"]);
    const env = { EVALCUBE_RUN: "r1", EVALCUBE_PROJECT: "acme/qa" };
    const ended = await run("vitest/vitest.mjs", ["run", ...REPORTERS], env);
    expect(ended.status).toBe(alone.status);
    expect(ended.stderr).toContain("evalcube: 1 evaluation, 4 trials, 1 in error → evals.duckdb (acme/qa)\n");
    const report = readJson("report.json") as VitestReport;
    const { evaluations, trials, problems, calls } = await storedRun(path.join(folder, "evals.duckdb"));
    expect(problems).toEqual([]);
    expect(evaluations).toMatchObject([{ display_name: "sums", status: "finished" }]);
    const root = calls.find(({ op_name: name }) => name === "Evaluation.evaluate");
    expect(root?.["attributes"]).toMatchObject({ file: "sums.eval.test.ts", run: "r1" });
    expect(root?.["attributes"]).toHaveProperty("runner", expect.stringMatching(/^vitest \d+\.\d+\.\d+$/));
    const stored = new Map(
      (trials.get("sums") ?? []).map(({ row, trial }) => [(row as { readonly test: string }).test, trial]),
    );
    const told = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(stored.size).toBe(report.numPassedTests + report.numFailedTests);
    for (const { title, status, duration } of told) {
      const trial = stored.get(title);
      if (title === "needs a network") continue;
      expect(trial?.scores).toHaveProperty("passed", status === "passed");
      expect(Math.abs((trial?.model_latency_seconds ?? -1) * 1000 - duration)).toBeLessThanOrEqual(1);
    }
    const failed = stored.get("needs a network");
    expect(failed).toMatchObject({ error: "TypeError: there is no network", scores: {} });
    expect(stored.get("is short")).toMatchObject({
      model_output: "5",
      scores: { length: 1, passed: true },
      total_tokens: 12,
    });
  });
});

it("scores, tokens, latency and calls of vitest-evals are those of its judges and harness", async () => {
  const packages = { vitest: "vitest", "vitest-evals": "vitest-evals" };
  const examples = ["vitest.config.ts", "judged.eval.test.ts"];
  const { folder, run } = runnerProject(runners, packages, examples);
  const ended = await run(
    "vitest/vitest.mjs",
    ["run", "--reporter=vitest-evals/reporter", "--reporter=evalcube/vitest"],
    {
      EVALCUBE_PROJECT: "acme/qa",
    },
  );
  expect(ended.stderr).toContain("evalcube: 1 evaluation, 2 trials, 0 in error → evals.duckdb (acme/qa)\n");
  const { evaluations, trials, calls } = await storedRun(path.join(folder, "evals.duckdb"));
  expect(evaluations[0]?.model_ref).toContain("/object/gpt-4o-mini:");
  const found = (trials.get("assistant") ?? []).toSorted(
    (a, b) => Number(b.trial.scores["Short"]) - Number(a.trial.scores["Short"]),
  );
  const shared = { total_tokens: 24, model_latency_seconds: 0.12 };
  expect(found).toMatchObject([
    {
      row: { test: "greets", input: "hi there" },
      trial: { ...shared, model_output: "hello", scores: { Short: 1, passed: true } },
    },
    {
      row: { test: "refunds", input: "a refund, please" },
      trial: { ...shared, model_output: "refunded", scores: { Short: 0.5, passed: false } },
    },
  ]);
  const reasons = calls
    .filter(({ op_name: name }) => name === "Short.score")
    .map(({ attributes }) => attributes);
  expect(reasons).toContainEqual(expect.objectContaining({ reason: "8 letters" }));
  expect(calls.filter(({ op_name: name }) => name === "lookup")).toHaveLength(2);
});

/** What evalite writes with `--outputPath`; suites and evals in 1.0, evals and results before. */
interface EvaliteReport {
  readonly suites?: readonly EvaliteSuite[];
  readonly evals?: readonly EvaliteSuite[];
}

interface EvaliteSuite {
  readonly name: string;
  readonly evals?: readonly EvaliteResult[];
  readonly results?: readonly EvaliteResult[];
}

interface EvaliteResult {
  readonly input: unknown;
  readonly expected?: unknown;
  readonly output: unknown;
  readonly duration: number;
  readonly status: string;
  readonly scores: readonly { readonly name: string; readonly score: number }[];
  readonly traces: readonly { readonly totalTokens: number }[];
}

it.each(["evalite-older", "evalite-newer"])(
  "what %s exports is what is stored, figure by figure",
  async (version) => {
    const packages = { evalite: version, vitest: "vitest" };
    const { folder, run, readJson } = runnerProject(runners, packages, [
      "evalite.config.ts",
      "capitals.eval.ts",
    ]);
    const ended = await run("evalite/dist/bin.js", ["run", "--outputPath", "report.json"]);
    expect(ended.status).toBe(1);
    expect(ended.stderr).toContain("evalcube: 1 evaluation, 6 trials, 2 in error → evals.duckdb (acme/qa)\n");
    const { suites, evals } = readJson("report.json") as EvaliteReport;
    const [suite] = suites ?? evals ?? [];
    const { evaluations, trials, problems, calls } = await storedRun(path.join(folder, "evals.duckdb"));
    expect(problems).toEqual([]);
    expect(evaluations).toMatchObject([
      { display_name: "capitals", status: "finished", trial_count: 6, error_count: 2 },
    ]);
    // What is not expected is an empty text in evalite's own storage in memory.
    const told = (suite?.evals ?? suite?.results ?? []).map((one) => ({
      row: (one.expected ?? "") === "" ? { input: one.input } : { input: one.input, expected: one.expected },
      isFailed: one.status === "fail",
      scores: Object.fromEntries(one.scores.map(({ name, score }) => [name, score])),
      milliseconds: one.duration,
      tokens:
        one.traces.length === 0 ? null : one.traces.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
    }));
    const stored = (trials.get("capitals") ?? []).map(({ row, trial }) => ({
      row,
      isFailed: (trial.error ?? null) !== null,
      scores: trial.scores,
      milliseconds: Math.round((trial.model_latency_seconds ?? 0) * 1000),
      tokens: trial.total_tokens,
    }));
    expect(sorted(stored)).toEqual(sorted(told));
    expect(calls.filter(({ op_name: name }) => name === "trace")).toHaveLength(4);
  },
);

function sorted(list: readonly object[]): string[] {
  return list.map((one) => JSON.stringify(one)).toSorted();
}

/** Runs the program until it has said so many results, and kills it; resolves to how many it had said. */
async function killedAfter(results: number, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [builtProgram("children/running-evals"), ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = 0;
  child.stdout.on("data", (text: Buffer) => {
    said += text.toString().split("\n").length - 1;
    if (said >= results) child.kill("SIGKILL");
  });
  await once(child, "exit");
  return said;
}

it("killed at any time, it leaves no torn trial, reads as running, and goes on with the same run", async () => {
  const db = scratchPath();
  for (const results of [1, 400, 2500]) {
    await killedAfter(results, [db, "1000000"]);
    const engine = await openEngine({ path: db, threads: 1 });
    expect((await engine.check()).problems).toEqual([]);
    const evaluations = await engine.listEvaluations("acme/qa");
    expect(evaluations.map(({ status }) => status).filter((status) => status !== "running")).toEqual([]);
    const ids = evaluations.map(({ id }) => id);
    const request = { evaluation_call_ids: ids };
    const { rows } = ids.length === 0 ? { rows: [] } : await engine.queryEvalResults("acme/qa", request);
    const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
    const torn = trials.filter(({ scores }) => scores["right"] !== 1 || scores["kind"] !== 0.5);
    expect(torn).toEqual([]);
    await engine.close();
  }
  expect(await killedAfter(Infinity, [db, "3000"])).toBe(3000);
  const { evaluations, problems } = await storedRun(db);
  expect(problems).toEqual([]);
  const [evaluation] = evaluations;
  expect(evaluation?.status).toBe("finished");
  expect(evaluation?.trial_count).toBeGreaterThanOrEqual(3000);
});

it("killed after an intermediate status, it reads as running with every result; ended by process.exit, as finished", async () => {
  const db = scratchPath();
  const said = await killedAfter(20, [db, "1000000", "each"]);
  const killed = await storedRun(db);
  expect(killed.evaluations.map(({ status }) => status)).toEqual(["running"]);
  expect(killed.evaluations[0]?.trial_count).toBeGreaterThanOrEqual(said);
  await killedAfter(Infinity, [db, "100", "each"]);
  const { evaluations } = await storedRun(db);
  expect(evaluations).toMatchObject([{ status: "finished" }]);
});
