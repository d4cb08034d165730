import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ImportError, type ImportOptions, type ImportResult } from "../../src/index.ts";
import { filesIn, importRun, summaries, temporaryFolder, writeFiles } from "./agent-runs.ts";
import { answerOf, importFile } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const CASES = path.join(import.meta.dirname, "agent-cases");
const base = mkdtempSync(path.join(tmpdir(), "evalcube-agents-"));
afterAll(() => rmSync(base, { recursive: true }));
const engine = await sharedEngine();
let projects = 0;

type Files = Map<string, string | Buffer>;

/** A copy of a run whose files `change` has changed. */
function changed(name: string, change: (files: Files) => void): string {
  const files: Files = new Map(filesIn(path.join(CASES, name, "input")));
  change(files);
  return writeFiles(path.join(temporaryFolder(base), "input"), files);
}

/** Changes a JSON document of some files. */
function edit(files: Files, name: string, change: (value: never) => unknown): void {
  files.set(name, JSON.stringify(change(JSON.parse(String(files.get(name))) as never)));
}

const half = (bytes: string | Buffer | undefined) => String(bytes).slice(0, String(bytes).length / 2);

/** Imports a run with files that are refused; answers these, and what was stored. */
async function imported(source: string | readonly string[], options: Partial<ImportOptions> = {}) {
  const project = `acme/damage${projects++}`;
  try {
    const { results, notes } = await importRun(engine, source, project, options);
    return { project, results, notes, refused: [] };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const results = error.results.filter((one): one is ImportResult => "checks" in one);
    return { project, results, notes: [], refused: error.refused.map((one) => one.message) };
  }
}

const harbor = { reward: "reward", task: "task_name", attempt: "attempt" };
const TRAJECTORY = path.join("fix-permissions__aaaaaaa", "agent", "trajectory.json");

describe("a damaged file of a run", () => {
  it("costs itself alone: a trial without its trajectory has no steps", async () => {
    const source = changed("harbor-job", (files) => files.set(TRAJECTORY, half(files.get(TRAJECTORY))));
    const { project, refused, results } = await imported(source);
    expect(refused).toEqual([expect.stringContaining("trajectory.json")]);
    expect(results[0]?.checks.differ).toEqual([]);
    const trials = await summaries(engine, project, harbor);
    expect(trials.map(({ steps, reward }) => [steps, reward])).toEqual([
      [null, 1],
      [3, 0],
      [2, 0.5],
      [null, null],
    ]);
  });

  it("costs its trial, where it is the trial's", async () => {
    const name = path.join("sort-csv__ccccccc", "result.json");
    const source = changed("harbor-job", (files) => files.set(name, half(files.get(name))));
    const { refused, results } = await imported(source);
    expect(refused).toEqual([expect.stringContaining("result.json")]);
    expect(results[0]?.evaluations[0]?.trials).toBe(3);
    expect(results[0]?.checks.unchecked).toEqual([{ what: "stats", why: "3 of 4 trials were read" }]);
  });

  it("is told with its place where a member has a wrong type", async () => {
    const source = changed("harbor-job", (files) =>
      edit(files, path.join("sort-csv__ccccccc", "result.json"), (one: object) => ({
        ...one,
        agent_result: [],
      })),
    );
    const { refused } = await imported(source);
    expect(refused).toEqual([
      expect.stringMatching(/sort-csv__ccccccc\/result\.json, agent_result: is a list/),
    ]);
    const skipped = await imported(source, { onInvalid: "skip" });
    expect(skipped.results[0]?.evaluations[0]?.trials).toBe(3);
    expect(skipped.results[0]?.rejected).toHaveLength(1);
  });

  it("of lines may be cut in its last line, which is left out", async () => {
    const source = changed("openhands", (files) => {
      const text = String(files.get("output.jsonl"));
      files.set("output.jsonl", text.slice(0, text.length - 40));
    });
    const { results, notes } = await imported(source);
    expect(results[0]?.evaluations[0]?.trials).toBe(1);
    expect(notes).toContain("the last line is still being written; it is left out");
    expect(notes).toContain(
      "output.critic_attempt_1.jsonl has earlier picks of the same run; it is left out",
    );
    const broken = changed("openhands", (files) =>
      files.set("output.jsonl", `{"instance_id":\n${String(files.get("output.jsonl"))}`),
    );
    expect((await imported(path.join(broken, "output.jsonl"))).results).toEqual([]);
  });

  it("of tau-bench that is cut is refused as a whole", async () => {
    const source = changed("tau-bench", (files) =>
      files.set("agent-1-shop.json", half(files.get("agent-1-shop.json"))),
    );
    const { refused, results } = await imported(source);
    expect([results.length, refused.length]).toEqual([0, 1]);
  });
});

describe("a run that goes on", () => {
  it("has its finished trials, a note of the others, and no checks; what comes later is added", async () => {
    const begun = changed("harbor-job", (files) => {
      for (const name of files.keys()) if (name.startsWith("sort-csv")) files.delete(name);
      files.delete(path.join("fix-permissions__bbbbbbb", "result.json"));
    });
    const { project, results, notes } = await imported(begun);
    expect(results[0]?.evaluations[0]).toMatchObject({ trials: 1, errors: 0 });
    expect(notes).toEqual(
      expect.arrayContaining([
        "1 of 2 trial folders have no result.json",
        "1 of 4 trials were read: the run goes on",
      ]),
    );
    const later = await importRun(engine, path.join(CASES, "harbor-job", "input"), project);
    expect(later.results[0]?.evaluations[0]?.trials).toBe(4);
    expect(await summaries(engine, project, harbor)).toHaveLength(4);
  });

  it("is known by its trajectories where it has no id: more of them, and a report, go on with it", async () => {
    const source = changed("swe-agent", (files) => {
      for (const name of files.keys())
        if (name.startsWith("own__calc-2") || name === "results.json") files.delete(name);
    });
    const { project, results, notes } = await imported(source);
    expect(notes.join()).toContain("no report says which are resolved");
    expect(await summaries(engine, project, { reward: "resolved", task: "instance_id" })).toMatchObject([
      { outcome: "no_value", steps: 8 },
    ]);
    const whole = await importRun(engine, path.join(CASES, "swe-agent", "input"), project);
    expect(whole.results[0]?.evaluations[0]?.evaluation_call_id).toBe(
      results[0]?.evaluations[0]?.evaluation_call_id,
    );
    expect(await summaries(engine, project, { reward: "resolved", task: "instance_id" })).toMatchObject([
      { task: "own__calc-1", reward: 1 },
      { task: "own__calc-2", reward: 0 },
    ]);
  });
});

describe("figures of a run", () => {
  it.each<[string, string, (value: never) => unknown, string]>([
    [
      "harbor-job",
      "result.json",
      (job: { stats: { evals: Record<string, object> } }) => {
        const [[name, stated] = ["", {}]] = Object.entries(job.stats.evals);
        return { ...job, stats: { evals: { [name]: { ...stated, metrics: [{ mean: 0.5 }] } } } };
      },
      "mean",
    ],
    ["terminal-bench", "results.json", (run: object) => ({ ...run, accuracy: 0.75 }), "accuracy"],
    ["terminal-bench", "results.json", (run: object) => ({ ...run, pass_at_k: { 2: 0.5 } }), "pass_at_2"],
    [
      "swe-agent",
      "results.json",
      (report: object) => ({ ...report, resolved_instances: 2 }),
      "resolved_instances",
    ],
    [
      "tau2-bench",
      "results.json",
      (run: { simulation_index: object[] }) => ({ ...run, simulation_index: [{ id: "s1", reward: 0 }] }),
      "of s1",
    ],
  ])("of %s in %s are told where one differs", async (name, file, change, stat) => {
    const { results } = await imported(changed(name, (files) => edit(files, file, change)));
    expect(results.flatMap(({ checks }) => checks.differ.map((one) => one.stat))).toEqual([stat]);
  });
});

const subagent = (n: number) => ({
  schema_version: "ATIF-v1.6",
  agent: { name: `sub-${n}`, model_name: "m" },
  steps: [
    { step_id: 1, source: "agent", message: "hi", metrics: { prompt_tokens: n, completion_tokens: 1 } },
  ],
});

describe("what a run says of itself", () => {
  it("never has secrets in its settings", async () => {
    for (const name of ["tau2-bench", "mini-swe-agent", "openhands"]) {
      const { project } = await imported(path.join(CASES, name, "input"));
      const calls = await engine.sql(project, "select record from calls where parent_id is null");
      expect(Array.from(calls, (row) => String(row["record"])).join()).not.toContain("never");
    }
  });

  it("opens no file outside of its trial, whatever a trajectory names", async () => {
    const secret = path.join(temporaryFolder(base), "secret.json");
    writeFileSync(secret, readFileSync(path.join(CASES, "harbor-job", "input", TRAJECTORY)));
    for (const named of [
      secret,
      path.relative(path.join(base, "x", "y"), secret),
      "../../../../secret.json",
    ]) {
      const source = changed("harbor-job", (files) =>
        edit(files, TRAJECTORY, (one: object) => ({ ...one, continued_trajectory_ref: named })),
      );
      const { project, notes } = await imported(source);
      expect(notes.join()).toContain("which is not there");
      expect((await summaries(engine, project, harbor))[0]?.steps).toBe(6);
    }
  });

  it("counts each trajectory once: those that go on, and those of subagents", async () => {
    const source = changed("harbor-job", (files) => {
      edit(files, TRAJECTORY, (one: { steps: { observation?: { results: object[] } }[] }) => {
        const refs = [
          { trajectory_path: "sub.json" },
          { session_id: "inside" },
          { trajectory_path: "sub.json" },
        ];
        const [result] = one.steps[1]?.observation?.results ?? [];
        Object.assign(result ?? {}, { subagent_trajectory_ref: refs });
        const copied = { ...one.steps[1], is_copied_context: true };
        return {
          ...one,
          steps: [copied, ...one.steps],
          continued_trajectory_ref: "more.json",
          subagent_trajectories: [{ ...subagent(7), session_id: "inside" }],
        };
      });
      files.set(path.join(path.dirname(TRAJECTORY), "sub.json"), JSON.stringify(subagent(5)));
      const more = { ...subagent(9), continued_trajectory_ref: "trajectory.json" };
      files.set(path.join(path.dirname(TRAJECTORY), "more.json"), JSON.stringify(more));
    });
    const { project } = await imported(source);
    const [first] = await summaries(engine, project, harbor);
    expect(first).toMatchObject({ model_calls: 3 + 2 + 1, input_tokens: 3000 + 5 + 7 + 9 });
    const frames = await engine.sql(project, "select attributes from calls where op_name = 'invoke_agent'");
    expect(frames.numRows).toBe(2);
  });

  it("is refused where two reports say differently of an instance, with both names", async () => {
    const source = changed("swe-agent", (files) => {
      const report = { submitted_ids: ["own__calc-1"], resolved_ids: [], unresolved_ids: ["own__calc-1"] };
      files.set("other.json", JSON.stringify(report));
    });
    expect((await imported(source)).refused).toEqual([
      expect.stringMatching(/results\.json.*other\.json|other\.json.*results\.json/),
    ]);
  });

  it("takes a report from elsewhere in the command, which is then no source of its own", async () => {
    const report = path.join(temporaryFolder(base), "agent.night.json");
    writeFileSync(report, readFileSync(path.join(CASES, "swe-agent", "input", "results.json")));
    const source = changed("swe-agent", (files) => files.delete("results.json"));
    const { results, project } = await imported([source, report]);
    expect(results).toHaveLength(1);
    expect(results[0]?.evaluations[0]).toMatchObject({ task: "night", errors: 0 });
    const found = await summaries(engine, project, { reward: "resolved", task: "instance_id" });
    expect(found.map(({ reward }) => reward)).toEqual([1, 0]);
  });

  it("takes a report from elsewhere also where a report of an instance lies beside it", async () => {
    const report = path.join(temporaryFolder(base), "agent.night.json");
    writeFileSync(report, readFileSync(path.join(CASES, "swe-agent", "input", "results.json")));
    const source = changed("swe-agent", (files) => {
      files.delete("results.json");
      files.set(
        path.join("own__calc-1", "report.json"),
        JSON.stringify({ "own__calc-1": { resolved: true } }),
      );
    });
    const { results, project } = await imported([source, report]);
    expect(results.map(({ format }) => format)).toEqual(["swe-agent"]);
    const found = await summaries(engine, project, { reward: "resolved", task: "instance_id" });
    expect(found.map(({ reward }) => reward)).toEqual([1, 0]);
  });

  it("meets the instances of other agents, and of a report alone", async () => {
    const project = `acme/damage${projects++}`;
    const ids: string[] = [];
    const report = path.join(temporaryFolder(base), "agent-9.week.json");
    writeFileSync(report, readFileSync(path.join(CASES, "swe-agent", "input", "results.json")));
    for (const source of ["swe-agent", "mini-swe-agent", "openhands"].map((name) =>
      path.join(CASES, name, "input"),
    ))
      ids.push(
        ...(await importRun(engine, source, project)).results.flatMap(({ evaluations }) =>
          evaluations.map((one) => one.evaluation_call_id),
        ),
      );
    ids.push((await importFile(engine, report, { project })).evaluations[0]?.evaluation_call_id ?? "");
    const { rows } = await engine.queryEvalResults(project, {
      evaluation_call_ids: ids,
      include_raw_data_rows: true,
      resolve_row_refs: true,
    });
    expect(
      rows.map((row) => [row.evaluations.length, (row.raw_data_row as { instance_id: string }).instance_id]),
    ).toEqual([
      [4, expect.stringMatching(/^own__calc-\d$/)],
      [4, expect.stringMatching(/^own__calc-\d$/)],
    ]);
  });
});

describe("a run that is replaced", () => {
  it("has the steps that it has now, and no others", async () => {
    const source = changed("tau-bench", () => undefined);
    const { project } = await imported(source, { table: { modelName: "agent-1" } });
    const file = path.join(source, "agent-1-shop.json");
    const shorter = (JSON.parse(readFileSync(file, "utf8")) as { traj: object[] }[]).slice(1);
    writeFileSync(
      file,
      JSON.stringify(shorter.map((one, i) => ({ ...one, traj: one.traj.slice(0, i === 0 ? 3 : 99) }))),
    );
    const read = { reward: "reward", task: "task_id", attempt: "trial" };
    const options = { table: { modelName: "agent-1" }, replace: true };
    await importRun(engine, source, project, options);
    const trials = await summaries(engine, project, read);
    expect(trials.map(({ task, attempt, steps }) => [task, attempt, steps])).toEqual([
      ["0", 1, 2],
      ["1", 0, 5],
      ["1", 1, 3],
    ]);
    const steps = await engine.sql(project, "select call_id from steps");
    const calls = await engine.sql(project, "select id from calls where id like '%/step/%'");
    expect([steps.numRows, calls.numRows]).toEqual([10, 10]);
    const again = await importRun(engine, source, project, options);
    expect(again.results.map(({ stored }) => stored)).toEqual([0]);
  });
});

/** The trajectory with its first three steps alone. */
function shortened(files: Files): void {
  edit(files, TRAJECTORY, (one: { steps: object[] }) => ({ ...one, steps: one.steps.slice(0, 3) }));
}

async function stepsOfFirst(project: string): Promise<{ outcome: unknown; steps: unknown; calls: number }> {
  const found = await summaries(engine, project, harbor);
  const { outcome, steps } =
    found.find(({ task, attempt }) => task === "fix-permissions" && attempt === 1) ?? {};
  const calls = await engine.sql(project, "select id from calls where id like '%aaaaaaa%/step/%'");
  return { outcome, steps, calls: calls.numRows };
}

describe("a trial in error that is tried again", () => {
  const RESULT = path.join("fix-permissions__aaaaaaa", "result.json");
  const broken = (type: string) =>
    changed("harbor-job", (files) =>
      edit(files, RESULT, (one: object) => ({
        ...one,
        verifier_result: null,
        exception_info: { exception_type: type, exception_message: "it took too long" },
      })),
    );

  it.each<[string, (files: Files) => void, object]>([
    ["and scored", shortened, { outcome: "scored" }],
    [
      "and breaks again",
      (files) => {
        shortened(files);
        const failure = { exception_type: "AgentTimeoutError", exception_message: "it took too long" };
        edit(files, RESULT, (one: object) => ({ ...one, verifier_result: null, exception_info: failure }));
      },
      { outcome: "error" },
    ],
  ])("%s, with fewer steps, has these alone", async (_, change, expected) => {
    const { project } = await imported(broken("AgentTimeoutError"));
    expect(await stepsOfFirst(project)).toEqual({ outcome: "error", steps: 6, calls: 6 });
    const again = changed("harbor-job", change);
    await importRun(engine, again, project);
    const found = await stepsOfFirst(project);
    expect(found).toMatchObject({ ...expected, calls: found.steps });
    expect(found.steps).toBeLessThan(6);
    expect((await summaries(engine, project, harbor)).length).toBe(4);
    const { results } = await importRun(engine, again, project);
    expect(results.map(({ stored }) => stored)).toEqual([0]);
  });
});

const told = (some: readonly ImportResult[]) =>
  some.map(({ notes }) => notes.filter((note) => note.includes("--evaluation NAME")).length);

describe("attempts in files of their own", () => {
  it("of tau-bench are one evaluation under one name, whatever they call themselves", async () => {
    const text = readFileSync(path.join(CASES, "tau-bench", "input", "agent-1-shop.json"), "utf8");
    const all = JSON.parse(text) as { trial: number; task_id: number }[];
    const folder = temporaryFolder(base);
    const files = all.map((one, i) => {
      const file = path.join(folder, `run-${i}.json`);
      writeFileSync(file, JSON.stringify([{ ...one, trial: 0 }]));
      return file;
    });
    const options = { table: { evaluationName: "night", modelName: "agent-1" } };
    const { project, results } = await imported(files, options);
    const ids = new Set(
      results.flatMap(({ evaluations }) => evaluations.map((one) => one.evaluation_call_id)),
    );
    expect(ids.size).toBe(1);
    const answer = await engine.queryEvalResults(project, { evaluation_call_ids: [...ids] });
    expect(answer.rows.map((row) => row.evaluations[0]?.trials.length)).toEqual([2, 2]);
    expect(told(results)).toEqual([0, 0, 0, 0]);
    // Two attempts at each of two tasks: without a name, the second of each is told of.
    const apart = await imported(files, { table: { modelName: "agent-1", taskName: "shop" } });
    const tasks = all.map(({ task_id: task }) => task);
    expect(told(apart.results)).toEqual(tasks.map((task, i) => (tasks.indexOf(task) < i ? 1 : 0)));
  });

  it("of tau-bench that broke off are in error, with the question of the others of their task", async () => {
    const source = changed("tau-bench", (files) =>
      edit(files, "agent-1-shop.json", (all: object[]) => [
        { task_id: 0, reward: 0, info: { error: "APIError: no credit", traceback: "…" }, traj: [], trial: 2 },
        ...all,
      ]),
    );
    const { project, notes, results } = await imported(source);
    expect(notes.join()).toContain("--count-errors-as 0");
    expect(results[0]?.evaluations[0]).toMatchObject({ rows: 2, trials: 5, errors: 1 });
    const trials = await summaries(engine, project, { reward: "reward", task: "task_id", attempt: "trial" });
    expect(trials[2]).toMatchObject({ attempt: 2, outcome: "error", reward: null, steps: null });
    expect(await answerOf(engine)).toBeDefined();
  });

  it("stay a table where the caller says so", async () => {
    const { results } = await imported(path.join(CASES, "tau-bench", "input"), { format: "table" });
    expect(results).toMatchObject([{ format: "table" }]);
  });
});
