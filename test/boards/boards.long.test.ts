import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { figuresOf } from "../../build/boards/figures.ts";
import { pageOf } from "../../build/boards/page.ts";
import { BOARDS } from "../../build/boards/sources.ts";
import { readPage, ROOT } from "../docs/pages.ts";
import { scratchFolder } from "../support/scratch.ts";
import { SHARED_DATA, sharedDataMissing } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";

const { "terminal-bench": terminalBench, "tau-bench": tauBench } = BOARDS;
if (terminalBench === undefined || tauBench === undefined) throw new Error("a board is gone");

/** Attempts as a text: a line an agent, a word a run, a letter a task: solved, not solved, or ? where it broke. */
const RUNS: Readonly<Record<string, string>> = {
  "20250101_best_model": "ssssns ssssns ssss?s",
  "20250102_middle_model": "ssssnn sssnnn sssnnn",
  "20250103_worst_model": "snnnns snnnns snnnnn",
};
const TASKS = ["a", "b", "c", "d", "e", "f"];

const writeJson = (file: string, value: unknown) => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
};

/** A copy as the repository has it: the runs of an agent in two folders, and files of single trials below each run. */
function terminalBenchCopy(tokens: readonly [number, number] | null = null): string {
  const source = scratchFolder();
  for (const [agent, runs] of Object.entries(RUNS))
    for (const [n, verdicts] of runs.split(" ").entries()) {
      const folder = path.join(source, n < 2 ? "core:0.1.1" : "core@0.1.1", agent, `run-${n}`);
      const results = TASKS.map((task, at) => ({
        id: `${agent}-${n}-${task}`,
        trial_name: `${task}.1-of-1.run-${n}`,
        task_id: task,
        instruction: `do ${task}`,
        is_resolved: verdicts[at] === "?" ? null : verdicts[at] === "s",
        failure_mode: verdicts[at] === "?" ? "parse_error" : "unset",
        total_input_tokens: tokens?.[0] ?? null,
        total_output_tokens: tokens?.[1] ?? null,
      }));
      const resolved = results.filter((one) => one.is_resolved === true).length;
      const stated = { n_resolved: resolved, n_unresolved: 6 - resolved, accuracy: resolved / 6 };
      writeJson(path.join(folder, "results.json"), { id: `${agent}-${n}`, results, ...stated });
      for (const one of results) writeJson(path.join(folder, one.task_id, "results.json"), one);
    }
  return source;
}

describe("a board of Terminal-Bench", () => {
  it("counts what each agent resolved over its runs, wherever they lie, what broke as failed", async () => {
    const { agents, tasks, always, never, agreeing } = await figuresOf(terminalBench, terminalBenchCopy());
    const counted = Object.entries(RUNS).map(([agent, runs]) => [agent, runs.split("s").length - 1, 18]);
    expect(agents.map(({ agent, resolved, attempts }) => [agent, resolved, attempts])).toEqual(counted);
    for (const { entry, resolved } of agents)
      expect(entry.scores[0]?.row_mean).toBeCloseTo(resolved / 18, 12);
    expect([tasks, always, never]).toEqual([6, ["a"], ["e"]]);
    expect(agreeing).toBe(27);
  });

  it("says of k attempts what they are: the share of tasks of which all k are resolved", async () => {
    const { agents } = await figuresOf(terminalBench, terminalBenchCopy());
    // Of the one in the middle: three tasks 3 of 3, one 1 of 3.
    expect(agents[1]?.passHatK.map((one) => one?.toFixed(6))).toEqual(
      [(3 + 1 / 3) / 6, 3 / 6, 3 / 6].map((one) => one.toFixed(6)),
    );
  });

  it("tells the intervals and ranks of the first runs, and what one more would change", async () => {
    const figures = await figuresOf(terminalBench, terminalBenchCopy());
    expect(figures.byRuns.map((entries) => entries.get("20250102_middle_model")?.trial_count)).toEqual([
      6, 12, 18,
    ]);
    const page = pageOf("terminal-bench", terminalBench, figures, { date: "2026-01-02", prices: null });
    expect(page).toContain("| agent | 1 run | 2 runs | 3 runs | one more | any number |");
    expect(page).toContain("computed this on 2026-01-02 from a local copy: 3 agents, 6 tasks. 27 figures");
    expect(page).toContain("- 1 succeed in every attempt: a\n- 1 succeed in none: e\n");
    expect(page).toContain("no cost of a success is given");
  });

  it("tells the tokens of a success, and its cost by prices, where all attempts have them", async () => {
    const prices = { "20250101_best_model": { input: 1, output: 10 } };
    const figures = await figuresOf(terminalBench, terminalBenchCopy([1000, 100]));
    const page = pageOf("terminal-bench", terminalBench, figures, { date: "2026-01-02", prices });
    // 18 attempts of 1,100 tokens and 0.002, of which 15 succeed.
    expect(page).toContain("| 20250101_best_model | 1,320 | 0.0024 |");
    expect(page).toMatch(/\| 20250103_worst_model \| 3,960 \| – \|/);
  });

  it("is refused where a stated figure is not that of the attempts, and where there are none", async () => {
    const source = terminalBenchCopy();
    const file = path.join(source, "core:0.1.1/20250101_best_model/run-0/results.json");
    writeJson(file, { ...(JSON.parse(readFileSync(file, "utf8")) as object), accuracy: 0.5 });
    await expect(figuresOf(terminalBench, source)).rejects.toThrow("stated figures differ");
    await expect(figuresOf(terminalBench, scratchFolder())).rejects.toThrow("no results of this board");
  });
});

/** An attempt as tau-bench writes it. */
const attempt = (task: number, trial: number, reward: number) => ({
  task_id: task,
  trial,
  reward,
  info: { task: { user_id: "u", actions: [], instruction: `task ${task}`, outputs: [] }, source: "user" },
  traj: [
    { role: "user", content: "hello" },
    { role: "assistant", content: "good day" },
  ],
});

describe("a board of tau-bench", () => {
  it("reads trajectories as the tool writes them", async () => {
    const folder = scratchFolder();
    const rewards = [
      [1, 1],
      [0, 1],
      [0, 0],
    ];
    const attempts = rewards.flatMap((trials, task) =>
      trials.map((reward, trial) => attempt(task, trial, reward)),
    );
    writeJson(path.join(folder, "model-airline.json"), attempts);
    writeJson(path.join(folder, "model-retail.json"), attempts.slice(0, 1));
    const { agents, always, never } = await figuresOf(tauBench, folder);
    expect(agents.map(({ agent, resolved, attempts: all }) => [agent, resolved, all])).toEqual([
      ["model-airline", 3, 6],
    ]);
    expect([agents[0]?.passHatK.map((one) => one?.toFixed(4)), always, never]).toEqual([
      ["0.5000", "0.3333"],
      ["0"],
      ["2"],
    ]);
  });
});

describe(`published figures${because(sharedDataMissing)}`, { skip: sharedDataMissing !== null }, () => {
  const source = fileURLToPath(new URL("tau-bench-airline", SHARED_DATA));

  it("of tau-bench's airline are those of its board: 42.0, 27.3, 22.0 and 20.0 %", async () => {
    const figures = await figuresOf(tauBench, source);
    const [agent] = figures.agents;
    expect(agent?.passHatK.map((one) => (100 * (one ?? NaN)).toFixed(1))).toEqual([
      "42.0",
      "27.3",
      "22.0",
      "20.0",
    ]);
    // The page that is kept is what the command writes.
    const page = readPage("docs/boards.md");
    const [, date = ""] = /--board tau-bench` computed this on (\d{4}-\d\d-\d\d)/.exec(page) ?? [];
    expect(page).toContain(pageOf("tau-bench", tauBench, figures, { date, prices: null }));
  });
});

it("the page has the published counts of what was at hand, and names each source with licence and date", () => {
  const page = readPage("docs/boards.md");
  for (const resolved of [235, 210, 202, 51]) expect(page).toContain(`| ${resolved} of 400 |`);
  for (const { address, licence } of Object.values(BOARDS))
    expect(page).toMatch(
      new RegExp(`Source: ${address}; licence: ${licence}\\. .* on \\d{4}-\\d\\d-\\d\\d from`),
    );
});

it.each([
  [[], "name a local copy of the results with --source PATH"],
  [["--source", "/nowhere", "--board", "tau-bench"], "--source /nowhere: there is no such file or folder"],
  [["--source", "."], "name a board for each source with --board: terminal-bench or tau-bench"],
  [
    ["--source", ".", "--board", "arena"],
    "name a board for each source with --board: terminal-bench or tau-bench",
  ],
])("the command with %j ends with 2 and says what is missing", async (args, told) => {
  const tsx = path.join(ROOT, "node_modules/tsx/dist/cli.mjs");
  const ended = await promisify(execFile)(
    process.execPath,
    [tsx, path.join(ROOT, "build/boards/main.ts"), ...args],
    {
      cwd: ROOT,
    },
  ).catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 2, stdout: "", stderr: `boards: ${told}\n` });
});
