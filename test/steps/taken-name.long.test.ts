import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { countedRuns, PROJECT } from "./counted-runs.ts";

const { folder, remove } = temporaryFolder();
const path = join(folder, "steps.duckdb");
let engine: Engine;

/** What the scorer `steps` of each run says: the same of all trials. */
const STORED = { one: 100, two: 50 } as const;

/** Runs of one name, so that `ci` compares them. */
const FINISHED = { display_name: "agent", ended_at: "2026-04-01T01:00:00Z" };

beforeAll(async () => {
  const calls = countedRuns().map((call) => {
    const stored = STORED[call.parent_id as keyof typeof STORED];
    if (stored === undefined) return call.id in STORED ? { ...call, ...FINISHED } : call;
    const { scores } = call.output as { scores: object };
    return { ...call, output: { output: "x", scores: { ...scores, steps: { count: stored } } } };
  });
  const writer = await openEngine({ path, threads: 1 });
  await writer.ingestCalls(calls);
  await writer.close();
  engine = await openEngine({ path, readOnly: true, threads: 1 });
});
afterAll(async () => {
  await engine.close();
  remove();
});

async function meansOf(...scorers: readonly string[]) {
  const { comparisons } = await engine.compareEvaluations(PROJECT, {
    baseline: "one",
    candidates: ["two"],
    scorers,
  });
  return comparisons.map(({ scorer_key, path: below, baseline_mean, candidate_mean }) => ({
    name: [scorer_key, below].join("."),
    means: [baseline_mean, candidate_mean],
  }));
}

async function rowsWith(field: string, least: number): Promise<number> {
  const { total_rows } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["one"],
    filters: [{ query: { $expr: { $gte: [{ $getField: field }, { $literal: least }] } } }],
  } as never);
  return total_rows;
}

describe("a stored scorer called steps", () => {
  it("keeps its name among scorers, and what steps count is below evalcube", async () => {
    const [counted] = await meansOf("evalcube.steps.count");
    const [same] = await meansOf("same.count");
    expect(counted).toEqual({ name: "evalcube.steps.count", means: same?.means });
    const own = { name: "steps.count", means: [100, 50] };
    expect(await meansOf("steps.count")).toEqual([own]);
    expect(await meansOf("steps")).toEqual([own]);
    expect(await meansOf("steps", "evalcube.steps.count")).toEqual(expect.arrayContaining([own, counted]));
  });

  it("keeps it in leaderboards, too", async () => {
    for (const name of ["steps.count", "evalcube.steps.chats"]) {
      const { dimensions } = await engine.leaderboard(PROJECT, { scorers: [name] });
      expect(dimensions.map((one) => [one.scorer_key, one.path].join("."))).toEqual([name]);
    }
  });

  it("leaves fields of filters as they are: steps.count counts steps, scores.steps.count is stored", async () => {
    expect(await rowsWith("steps.count", 20)).toBe(0);
    expect(await rowsWith("scores.steps.count", 20)).toBeGreaterThan(0);
  });

  it.each([
    ["steps.count>20", 3],
    ["steps.count>99", 0],
    ["evalcube.steps.count>20", 0],
    ["evalcube.steps.count>0.5", 3],
    ["evalcube.steps.count>1%", 3],
    ["evalcube.steps.count>1000%", 0],
  ])("keeps it in gates: %s ends with %i", async (gate, status) => {
    const sides = ["--baseline", "one", "--candidate", "two", "--scorer", "ok", "--fail-on", gate];
    const ended = await evalcubeHere(["--quiet", "compare", "--db", path, "--project", PROJECT, ...sides]);
    expect(ended.status, ended.stderr).toBe(status);
    const run = [
      "--db",
      path,
      "--project",
      PROJECT,
      "--baseline",
      "one",
      "--scorer",
      "ok",
      "--fail-on",
      gate,
    ];
    const judged = await evalcubeHere(["--quiet", "ci", ...run]);
    expect(judged.status, judged.stderr).toBe(status);
  });
});
