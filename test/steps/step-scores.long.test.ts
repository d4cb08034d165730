import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { makeReport } from "../../src/view/make-report.ts";
import { temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { refusal } from "../support/refusal.ts";
import { asked, countedRuns, PAIRS, PROJECT, RUNS } from "./counted-runs.ts";

const { folder, remove } = temporaryFolder();
const path = join(folder, "steps.duckdb");
const NAMED = { display_name: "agent", ended_at: "2026-04-01T01:00:00Z" };
let engine: Engine;
beforeAll(async () => {
  const writer = await openEngine({ path, threads: 1 });
  await writer.ingestCalls(
    countedRuns().map((call) => (RUNS.includes(call.id) ? { ...call, ...NAMED } : call)),
  );
  await writer.close();
  engine = await openEngine({ path, readOnly: true, threads: 1 });
});
afterAll(async () => {
  await engine.close();
  remove();
});

/** Members that tell of a dimension alone, and of trials without a step as of those without a score. */
const OWN = new Set(["scorer_key", "path", "null_count", "missing_count", "better", "rate"]);

/** What an answer says, whatever the score is called. */
function said(answer: unknown, name: string): unknown {
  const text = JSON.stringify(answer, (key, value: unknown) => (OWN.has(key) ? undefined : value));
  const plain = name.replaceAll("\\", "");
  const spellings = [JSON.stringify(name).slice(1, -1), plain];
  return JSON.parse(spellings.reduce((all, one) => all.replaceAll(one, "NAME"), text));
}

type StatsOf = NonNullable<Awaited<ReturnType<Engine["queryEvalResults"]>>["summary"]>;

/** The statistics of one dimension, by evaluation. */
function statsOf(summary: StatsOf | null, name: string) {
  const plain = name.replaceAll("\\", "");
  return summary?.evaluations.map((one) =>
    one.scorer_stats.filter((stats) => [stats.scorer_key, stats.path].join(".") === plain),
  );
}

const SIDES = { baseline: "one", candidates: ["two"] };

/** Questions whose answers depend on the numbers of one score. */
const DOORS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  comparison: (name) =>
    engine.compareEvaluations(PROJECT, { ...SIDES, scorers: [name], lower_is_better: [name], margin: 0.5 }),
  leaderboard: (name) =>
    engine.leaderboard(PROJECT, {
      scorers: [name],
      lower_is_better: [name],
      sort_by: [{ field: `scores.${name}`, direction: "desc" }],
    }),
  history: (name) =>
    engine.history(PROJECT, { name: "agent", scorers: [name], score: name, lower_is_better: [name] }),
  summary: async (name) => {
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: RUNS,
      include_rows: false,
      include_summary: true,
      include_uncertainty: true,
      histogram_bins: 4,
      ...scored(name),
    });
    return statsOf(summary, name);
  },
  report: async (name) => {
    const question = { baseline: "one", scorers: [name], lower_is_better: [name] };
    const { answers } = await makeReport(engine, PROJECT, question);
    const { comparison, histories } = answers;
    return { comparison, histories, stats: statsOf(answers.summary, name) };
  },
  "run of ci": async (name) => {
    const sides = ["--scorer", name, "--lower-is-better", name, "--fail-on", `${name}>4`, "regressed"];
    const { stdout, status } = await ci(...sides, "--format", "json");
    const { evaluations, gates } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    return { status, evaluations, gates };
  },
};

function ci(...flags: readonly string[]) {
  const which = ["--db", path, "--project", PROJECT, "--baseline", "one"];
  return evalcubeHere(["--quiet", "ci", ...which, ...flags]);
}

/** What takes a second a question: some of them. */
const SLOW = new Set(["report", "run of ci"]);

/** Names a number of steps among the scores. */
function scored(name: string): Pick<EvalResultsRequest, "step_scores"> {
  return name.startsWith("steps.") ? { step_scores: [name] } : {};
}

describe.each(Object.keys(DOORS))("a %s", (door) => {
  it.each(SLOW.has(door) ? PAIRS.filter((_, i) => i % 7 === 0) : PAIRS)(
    "says of %s what it says of the same numbers that are stored",
    async (field, score) => {
      const stored = score.slice("scores.".length);
      const found = said(await DOORS[door]?.(field), field);
      expect(found).toEqual(said(await DOORS[door]?.(stored), stored));
      expect(JSON.stringify(found)).toMatch(/\d/);
    },
  );
});

/** The numbers of steps in a summary. */
const keys = async (...step_scores: string[]) => {
  const request = {
    evaluation_call_ids: ["one"],
    include_rows: false,
    include_summary: true,
    step_scores,
  };
  const { summary } = await engine.queryEvalResults(PROJECT, request);
  const all = summary?.evaluations[0]?.scorer_stats ?? [];
  return all.flatMap((one) => (one.scorer_key === "steps" ? [one.path] : []));
};

/** Numbers of so many tools, which nobody calls. */
const tools = (count: number) => Array.from({ length: count }, (_, i) => `steps.tool.t${i}.calls`);

const tooMany = (place: string) => `${place}: more than 64 numbers of steps; ask for the others apart`;

describe("numbers of steps among scores", () => {
  it.each(PAIRS)("%s are of each trial what is stored, and fields as these are", async (field, score) => {
    const name = `scores.${field}`;
    for (const [i, request] of asked(name).entries()) {
      const whole = { evaluation_call_ids: RUNS, ...scored(field), ...request };
      const { rows, total_rows } = await engine.queryEvalResults(PROJECT, whole);
      const other = { evaluation_call_ids: RUNS, ...asked(score)[i] };
      const { rows: same, total_rows: total } = await engine.queryEvalResults(PROJECT, other);
      expect([total_rows, rows.map((row) => row.row_digest)], JSON.stringify(request)).toEqual([
        total,
        same.map((row) => row.row_digest),
      ]);
      const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
      for (const { scores } of trials)
        expect(valueAt(scores, field)).toEqual(valueAt(scores, score.slice("scores.".length)));
    }
  });

  it("are no rates, though each is 0 or 1, and pass nothing", async () => {
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["one"],
      include_rows: false,
      include_summary: true,
      include_uncertainty: true,
      pass_k: [1, 2],
      filters: [{ query: { $expr: { $lte: [{ $getField: "steps.tool_errors" }, { $literal: 1 }] } } }],
      step_scores: ["steps.tool_errors"],
    });
    const [stats] = statsOf(summary, "steps.tool_errors")?.[0] ?? [];
    expect(stats).toMatchObject({ value_type: "continuous", better: "lower" });
    expect(stats).not.toHaveProperty("rate");
    expect(stats).not.toHaveProperty("pass_at_k");
  });

  it("are asked for by all or by one, and nothing else is", async () => {
    expect(await keys("evalcube.steps.count")).toEqual(["count"]);
    const all = ["chats", "count", "errors", "first_error", "repeats", "tool_errors", "tools"];
    expect(await keys("steps")).toEqual(all);
  });

  it.each([
    ["ok", null],
    ["count", "steps.count"],
    ["Steps.count", "steps.count"],
    ["evalcube.count", "steps.count"],
    ["tool.search.calls", "steps.tool.search.calls"],
    ["tool.search", null],
    ["steps.nope", null],
    ["steps.counts", "steps.count"],
    ["evalcube.steps.nope", null],
    ["evalcube.steps.counts", "evalcube.steps.count"],
    ["evalcube.steps.tool.search", null],
  ])("are not %s, which is told as it was given, with what there is: %s", async (name, meant) => {
    const fault = await refusal(keys("steps.count", name));
    expect(fault).toMatchObject({ kind: "meaning", path: ["step_scores", 1] });
    expect(fault.message).toContain(`: ${JSON.stringify(name)} counts nothing`);
    expect(fault.message).toContain("steps.tool.<name>.calls");
    expect(/did you mean "(.+)"\?$/.exec(fault.message)?.[1] ?? null).toBe(meant);
  });

  it("are 64 at most, whichever member names them", async () => {
    expect(await keys(...tools(64))).toHaveLength(64);
    expect(await refusal(keys(...tools(65)))).toMatchObject({
      kind: "schema",
      message: "step_scores: must have at most 64 items",
    });
    expect((await refusal(keys("steps", ...tools(60)))).message).toBe(tooMany("step_scores[58]"));
    const compared = engine.compareEvaluations(PROJECT, { ...SIDES, scorers: tools(65) });
    expect((await refusal(compared)).message).toBe(tooMany("scorers[64]"));
    const ordered = engine.leaderboard(PROJECT, { scorers: tools(70) });
    expect((await refusal(ordered)).message).toBe(tooMany("scorers[64]"));
  });

  it("are as many in a report, beside the scores", async () => {
    const question = { evaluations: ["one"], scorers: tools(64), outputs: "none" } as const;
    const { answers } = await makeReport(engine, PROJECT, question);
    expect(answers.summary.evaluations[0]?.scorer_stats.length).toBeGreaterThan(64);
  });

  it("stand in comparisons and leaderboards beside the scores that are named, and are no headline", async () => {
    const beside = { scorers: ["ok"], step_scores: ["steps.count"] };
    const { comparisons } = await engine.compareEvaluations(PROJECT, { ...SIDES, ...beside });
    expect(comparisons.map((one) => one.scorer_key)).toEqual(["ok", "steps"]);
    const { dimensions, headline } = await engine.leaderboard(PROJECT, { step_scores: ["steps.count"] });
    expect(dimensions[headline ?? -1]?.scorer_key).not.toBe("steps");
    expect(dimensions.at(-1)).toMatchObject({ scorer_key: "steps", path: "count" });
  });
});

interface Compared {
  readonly scorer_key: string;
  readonly direction: string | null;
}

/** What a run of ci compares of steps. */
const comparedSteps = async (...flags: string[]) => {
  const { stdout, stderr } = await ci(...flags, "--not-comparable", "warn", "--format", "json");
  const { evaluations } = JSON.parse(stdout) as { evaluations: { comparisons: Compared[] }[] };
  const all = evaluations.flatMap((one) => one.comparisons);
  return { of: all.filter((one) => one.scorer_key === "steps"), stderr };
};

const NOTHING = /^"steps\.nope" counts nothing; there are steps\.count,/;

/** The fault that a command tells. */
function faultOf({ stderr }: { readonly stderr: string }): unknown {
  return (JSON.parse(stderr) as { detail: unknown[] }).detail[0];
}

describe("a name that counts nothing of steps", () => {
  it.each([
    [
      ["--scorer", "ok", "steps.nope"],
      ["--scorer", 1],
    ],
    [
      ["--scorer", "steps.count", "steps.nope"],
      ["--scorer", 1],
    ],
  ])("is told a report at its flag, of %j", async (flags, loc) => {
    const which = ["--db", path, "--project", PROJECT, "--out", join(folder, "report.html")];
    const report = await evalcubeHere(["--quiet", "report", ...which, ...flags]);
    expect(faultOf(report)).toMatchObject({ loc, msg: expect.stringMatching(NOTHING) });
  });

  it.each([
    [{ score: "steps.nope" }, ["score"]],
    [{ score: "steps.count", scorers: ["ok", "steps.nope"] }, ["scorers", 1]],
  ])("is told a report of the library at its member, of %j", async (question, place) => {
    expect(await refusal(makeReport(engine, PROJECT, question))).toMatchObject({ path: place });
  });
});

it("a gate on steps is what a comparison says that no trial has", async () => {
  const which = ["--db", path, "--project", PROJECT, "--baseline", "one", "--candidate", "two"];
  const gate = ["--fail-on", "evalcube.steps.count>20%"];
  const loc = ["--fail-on"];
  expect(faultOf(await evalcubeHere(["--quiet", "compare", ...which, ...gate]))).toMatchObject({ loc });
});

describe("a run of ci", () => {
  it.each([
    ["steps.count>20%", 3],
    ["steps.count>1000%", 0],
    ["steps.tool.search.calls>1000%", 0],
    ["steps.count>5", 3],
    ["steps.first_error>1000%", 2],
  ])("judges the gate %s as a comparison does: it ends with %i", async (gate, status) => {
    const which = ["--db", path, "--project", PROJECT, "--baseline", "one", "--candidate", "two"];
    const compared = await evalcubeHere(["--quiet", "compare", ...which, "--fail-on", gate]);
    expect(compared.status, compared.stderr).toBe(status);
    const judged = await ci("--fail-on", gate);
    expect(judged.status, judged.stderr).toBe(status);
  });

  it("compares numbers of steps only where they are named, and knows which of them should be few", async () => {
    expect((await comparedSteps("--fail-on", "steps.tool_errors>1000%")).of).toEqual([]);
    const { of, stderr } = await comparedSteps("--scorer", "steps.tool_errors", "--fail-on", "errors>99%");
    expect(of, stderr).toMatchObject([{ path: "tool_errors", direction: "lower" }]);
  });

  it.each([
    [["--scorer", "ok", "steps.nope"], ["--scorer", 1], NOTHING],
    [["--lower-is-better", "steps.nope"], ["--lower-is-better", 0], NOTHING],
    [["--higher-is-better", "steps.count", "steps.nope"], ["--higher-is-better", 1], NOTHING],
    [["--fail-on", "steps.nope<1"], ["--fail-on"], NOTHING],
    [["--scorer", ...tools(65)], ["--scorer"], /^must have at most 64 items$/],
  ])("says of the flag that named it that %j is no number of steps", async (flags, loc, msg) => {
    expect(faultOf(await ci(...flags))).toMatchObject({ loc, msg: expect.stringMatching(msg) });
  });

  it("compares with the numbers of steps of a saved baseline that was saved with them", async () => {
    const file = join(folder, "evals.baseline.parquet");
    const flags = ["--db", path, "--project", PROJECT, "--scorer", "steps.count", "steps.tool_errors"];
    const saved = await evalcubeHere(["--quiet", "ci", ...flags, "--candidate", "one", "--save", file]);
    expect(saved.status, saved.stderr).toBe(0);
    const gates = ["--fail-on", "steps.count>20%", "steps.tool_errors>1000%"];
    const judged = await evalcubeHere(["--quiet", "ci", ...flags, "--baseline", file, ...gates]);
    expect(judged.status, judged.stderr).toBe(3);
    expect(judged.stdout + judged.stderr).toContain("steps.count>20%: agent has a mean of");
    expect(judged.stdout).toContain("steps.tool&#95;errors");
  });
});

function valueAt(scores: unknown, name: string): unknown {
  const parts = name.split(/(?<!\\)\./).map((part) => part.replaceAll("\\", ""));
  let value = scores;
  for (const part of parts) value = (value as Readonly<Record<string, unknown>> | undefined)?.[part];
  return value ?? null;
}
