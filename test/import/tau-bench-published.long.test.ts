import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sharedRows, sharedTrials } from "../demo/shared-data.ts";
import { sharedDataMissing } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { importFile, PROJECT } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-tau-"));
afterAll(() => rmSync(folder, { recursive: true }));
const engine = await sharedEngine();

/** The results file of the authors, of what is at hand of it: texts are cut. */
function resultsFile(): string {
  const rows = new Map(sharedRows("tau-bench-airline").map(({ digest, val }) => [digest, val]));
  const attempts = new Map<unknown, number>();
  const trials = sharedTrials("tau-bench-airline").map(({ inputs, output }) => {
    const task = rows.get(String(inputs.example).replace(/^.*\//, ""));
    const trial = attempts.get(task?.task_id) ?? 0;
    attempts.set(task?.task_id, trial + 1);
    const { output: told = {} } = output as { output?: { trajectory?: unknown; user_cost?: unknown } };
    return {
      task_id: task?.task_id,
      reward: output.scores?.["reward"],
      info: { task, user_cost: told.user_cost },
      traj: told.trajectory,
      trial,
    };
  });
  const file = path.join(folder, "tool-calling-gpt-4o-0.0_range_0-50_user-gpt-4o-llm.json");
  writeFileSync(file, JSON.stringify(trials));
  return file;
}

describe.skipIf(sharedDataMissing !== null)(`tau-bench airline${because(sharedDataMissing)}`, () => {
  it("has the published pass^k, and the steps that its conversations have", async () => {
    const { evaluations } = await importFile(engine, resultsFile());
    const [run] = evaluations;
    expect(run).toMatchObject({ model: "gpt-4o", label: "tool-calling", rows: 50, trials: 200, errors: 0 });
    const steps = await engine.sql(
      PROJECT,
      `select count(*) filter (operation = 'chat')::int as chats, count(*) filter (operation = 'execute_tool')::int as tools,
        count(error_type)::int as errors, (count(action) - count(distinct trial_id || action))::int as repeats,
        count(input_tokens)::int as told, count(distinct name)::int as names from steps`,
    );
    expect(steps.get(0)?.toJSON()).toEqual({
      chats: 2454,
      tools: 1164,
      errors: 73,
      repeats: 32,
      told: 0,
      names: 14,
    });
    const passed = await engine.sql(
      PROJECT,
      "select sum(numeric_value)::int as c from scores where scorer_key = 'reward' group by row_digest",
    );
    const counts = Array.from(passed, (row) => Number(row["c"]));
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
    const passHat = [1, 2, 3, 4].map(
      (k) => counts.reduce((sum, c) => sum + (c < k ? 0 : choose(c, k) / choose(4, k)), 0) / counts.length,
    );
    expect(passHat.map((share) => Number((100 * share).toFixed(1)))).toEqual([42, 27.3, 22, 20]);
  });
});
