import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { countedRuns, PROJECT } from "./counted-runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const path = join(folder, "steps.duckdb");

beforeAll(async () => {
  const engine = await openEngine({ path, threads: 1 });
  await engine.ingestCalls(countedRuns());
  await engine.close();
});

function compare(gate: string) {
  const which = ["--db", path, "--project", PROJECT, "--baseline", "one", "--candidate", "two"];
  return evalcubeHere([
    "--quiet",
    "compare",
    ...which,
    "--scorer",
    "ok",
    "--format",
    "table",
    "--fail-on",
    gate,
  ]);
}

describe("a gate on steps", () => {
  it("is met where the candidate has more than so many percent above the baseline, by the mean over shared rows", async () => {
    const engine = await openEngine({ path, readOnly: true, threads: 1 });
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: "one",
      candidates: ["two"],
      scorers: ["steps.count"],
    });
    await engine.close();
    const [one] = comparisons;
    const percent = 100 * (Number(one?.candidate_mean) / Number(one?.baseline_mean) - 1);
    expect(percent).toBeGreaterThan(5);
    const met = await compare(`steps.count>${Math.floor(percent)}%`);
    expect(met.status).toBe(3);
    expect(met.stdout + met.stderr).toContain(`steps.count>${Math.floor(percent)}%: two has a mean of`);
    expect((await compare(`steps.count>${Math.ceil(percent)}%`)).status).toBe(0);
  });

  it("without percent is one on the mean of the candidate, as of scores", async () => {
    expect((await compare("steps.count>0.5")).status).toBe(3);
    expect((await compare("steps.count>50")).status).toBe(0);
  });

  it("that is unknown on a fifth of the rows judges nothing", async () => {
    const { status, stderr } = await compare("steps.first_error>1000%");
    expect(status).toBe(2);
    expect(stderr).toContain("cannot be judged: steps.first_error of two is known on");
  });

  it("names what there is", async () => {
    const { status, stderr } = await compare("steps.tool_error>10%");
    expect(status).toBe(2);
    expect(stderr).toContain("steps.tool_errors");
  });
});
