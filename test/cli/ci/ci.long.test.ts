import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openEngine } from "../../../src/index.ts";
import { parseXml } from "../../support/xml.ts";
import { complaint, PROJECT, temporaryFolder } from "../command.ts";
import { callsOf, ci, database, passing, stubJob, type MadeRun } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
beforeEach(() => {
  stubJob();
  return () => vi.unstubAllEnvs();
});
afterEach(() => {
  vi.restoreAllMocks();
});

let made = 0;
/** A new database with these runs. */
const holding = (...runs: readonly MadeRun[]) => database(folder, `db${made++}.duckdb`, runs);

async function saved(...runs: readonly MadeRun[]): Promise<string> {
  const file = join(folder, `saved${made++}.parquet`);
  const { status, stderr } = await ci(await holding(...runs), "--save", file);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return file;
}

const BASE = { id: "base", trials: passing(40, 36) };

interface Answer {
  readonly verdict: string;
  readonly baseline: { readonly place: string } | null;
  readonly evaluations: readonly {
    readonly name: string;
    readonly comparisons: readonly { readonly verdict: string; readonly p_value_adjusted: number | null }[];
  }[];
  readonly gates: readonly { readonly gate: string; readonly reasons: readonly string[] }[];
  readonly not_comparable: readonly { readonly reason: string; readonly evaluation: string | null }[];
}

async function judged(db: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = await ci(db, "--format", "json", ...args);
  return { status, stderr, ...(JSON.parse(stdout || "{}") as Answer) };
}

const scoresOf = (i: number, shift: number) => ({
  correct: (i * 7 + shift) % 3 > 0,
  judge: { score: Math.sin(i + shift) / 3, tone: "plain", strict: i % 5 === 0 ? null : i % 2 === 0 },
  seconds: 10 ** ((i % 7) - 3) * (1 + shift),
});

const suiteOf = (name: string, score: string, value: number, run: string, at: number) => ({
  id: name,
  name,
  at,
  attributes: { run },
  trials: Array.from({ length: 20 }, (_, i) => [{ [score]: value + (i % 4) / 10 }]),
});

const priced = (id: string, tokens: number, seconds: number) => ({
  id,
  seconds,
  trials: passing(10, 8),
  usage: { m: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } },
});

const flaky = (rows: number, ...ids: readonly number[]) =>
  Array.from({ length: rows }, (_, i) => [
    { correct: true },
    { correct: !ids.includes(i) },
    { correct: true },
  ]);

const namedRun = (name: string, runId: string, at: number) => ({
  id: `${runId}-${name}`,
  name,
  at,
  trials: passing(40, 36),
  attributes: { run: runId, branch: runId === "r1" ? "main" : "new" },
});

const madeAt = (id: string, minute: number, passes: number, attributes: object = {}, more: object = {}) => ({
  id,
  trials: passing(40, passes),
  at: minute,
  attributes,
  ...more,
});

const twoModels = (run: string, passes: readonly [number, number], minute: number) =>
  ["small", "large"].map((model, i) => ({
    ...madeAt(`${run}-${model}`, minute + i, passes[i] ?? 0, { run }),
    model,
  }));

const twoFiles = (run: string, at: number) => [
  madeAt(`${run}a`, at, 40, { run, file: "a.test.ts", branch: "main" }),
  madeAt(`${run}b`, at, 20, { run, file: "b.test.ts", branch: "main" }, { rowOf: (i: number) => ({ b: i }) }),
];

const mixedTrials = (shift: number) =>
  Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 1 + (i % 3) }, (_one, k) => (i + k === 9 ? "error" : scoresOf(i * 3 + k, shift))),
  );

describe("a saved baseline", () => {
  it("gives the verdicts and figures of the stored evaluation, to the bit", async () => {
    const runs = [
      { id: "base", trials: mixedTrials(0) },
      { id: "cand", trials: mixedTrials(0.7), at: 5 },
    ] as const;
    const both = await holding(...runs);
    const options = ["--lower-is-better", "seconds", "--margin", "0.1"];
    const first = await judged(await holding(runs[1]), "--baseline", await saved(runs[0]), ...options);
    const second = await judged(both, "--baseline", "base", ...options);
    const engine = await openEngine({ path: both, readOnly: true });
    const stored = await engine.compareEvaluations(PROJECT, {
      baseline: "base",
      candidates: ["cand"],
      lower_is_better: ["seconds"],
      margin: 0.1,
    });
    await engine.close();
    expect(stored.comparisons).toHaveLength(4);
    expect(second.evaluations[0]?.comparisons).toEqual(stored.comparisons);
    const renamed = stored.comparisons.map((one) => ({ ...one, baseline: "qa" }));
    expect(first.evaluations[0]?.comparisons).toEqual(renamed);
  });
});

describe("the gates", () => {
  it("block what is worse, pass what is not, and say so in the first line", async () => {
    const file = await saved(BASE);
    const worse = await ci(await holding({ id: "c", trials: passing(40, 16) }), "--baseline", file);
    expect(worse.status).toBe(3);
    expect(worse.stdout).toMatch(
      /^\*\*Failed: 1 of 3 gates is met\. qa is worse than the baseline in correct\.\*\*\n/,
    );
    expect(worse.stderr).toMatch(/^evalcube: regressed: qa is worse in correct, difference −50\.0 points/);
    const same = await ci(await holding({ id: "c", trials: passing(40, 35) }), "--baseline", file);
    expect({ status: same.status, stderr: same.stderr }).toEqual({ status: 0, stderr: "" });
    expect(same.stdout).toMatch(/^\*\*Passed: no gate is met \(of 3\)\. /);
  });

  it("are judged at a part of the level where the job is looked at several times", async () => {
    const file = await saved({ id: "base", trials: passing(40, 36) });
    const db = await holding({ id: "c", trials: passing(40, 30) });
    const asked = ["--baseline", file, "--fail-on", "regressed"];
    const once = await judged(db, ...asked);
    const [p = 1] = once.evaluations.map(({ comparisons }) => comparisons[0]?.p_value_adjusted ?? 1);
    expect([once.status, p < 0.05, p > 0.01]).toEqual([3, true, true]);
    const many = await judged(db, ...asked, "--looks", "5");
    expect(many).toMatchObject({ status: 0, looks: 5, level: expect.closeTo(0.01, 12) as number });
    expect((await ci(db, ...asked, "--looks", "5")).stdout).toContain("- Looks: 5, each at 1%.\n");
    expect((await ci(db, ...asked, "--looks", "0")).status).toBe(2);
  });

  it.each([
    [{ GITHUB_RUN_ATTEMPT: "3" }, 3],
    [{ SYSTEM_JOBATTEMPT: "2" }, 2],
    [{ BUILDKITE_RETRY_COUNT: "1" }, 2],
    [{ GITHUB_RUN_ATTEMPT: "1", BUILDKITE_RETRY_COUNT: "0", SYSTEM_JOBATTEMPT: "x".repeat(9) }, null],
  ])("note what a job that is started again lets through (%j)", async (variables, attempt) => {
    stubJob(variables);
    const db = await holding(BASE, { id: "c", trials: passing(40, 36), at: 5 });
    const { stdout, status } = await ci(db, "--baseline", "base");
    expect(status).toBe(0);
    const [, told] = /^- attempt (\d+): a job that is repeated until it passes .*\)$/m.exec(stdout) ?? [];
    expect(told).toBe(attempt === null ? undefined : String(attempt));
  });

  it("adjust p values over all evaluations of the run", async () => {
    const suites = ["a", "b", "c"].map((name, i) => ({ id: name, name, trials: passing(40, 36), at: i }));
    const file = await saved(...suites.map((one) => ({ ...one, attributes: { run: "r1" } })));
    const now = suites.map((one) => ({
      ...one,
      trials: passing(40, one.name === "b" ? 31 : 36),
      attributes: { run: "r2" },
    }));
    const { evaluations, status } = await judged(await holding(...now), "--baseline", file);
    expect(evaluations.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    const alone = await judged(
      await holding({ id: "b", name: "b", trials: passing(40, 31) }),
      "--baseline",
      await saved({ id: "b", name: "b", trials: passing(40, 36) }),
    );
    const p = (answer: Answer, i: number) => answer.evaluations[i]?.comparisons[0]?.p_value_adjusted ?? 0;
    expect(p({ evaluations } as Answer, 1)).toBeCloseTo(3 * p(alone, 0), 12);
    expect([status, alone.status]).toEqual([0, 3]);
  });

  it("take lower values as better where a score of one of several evaluations is named", async () => {
    const file = await saved(suiteOf("a", "loss", 1, "r1", 0), suiteOf("b", "gain", 1, "r1", 1));
    const db = await holding(suiteOf("a", "loss", 2, "r2", 0), suiteOf("b", "gain", 2, "r2", 1));
    const answer = await judged(db, "--baseline", file, "--lower-is-better", "loss");
    expect(answer.evaluations.map((one) => one.comparisons[0]?.verdict)).toEqual(["regressed", "moved"]);
    const wrong = await ci(db, "--baseline", file, "--lower-is-better", "los");
    expect(complaint(wrong.stderr)).toMatchObject({ detail: [{ loc: ["--lower-is-better", 0] }] });
    expect(wrong.status).toBe(2);
  });

  it("look at cost, latency and tokens of whole evaluations, and are met without a figure", async () => {
    const prices = join(folder, "prices.json");
    writeFileSync(prices, JSON.stringify({ m: { input: 1000, output: 1000 } }));
    const base = await holding(priced("base", 100, 1));
    const gates = ["--fail-on", "cost>10%", "latency>20%", "tokens>10%", "cost>0.2"];
    const asked = ["--baseline", base, "--prices", prices, ...gates];
    const dearer = await judged(await holding(priced("c", 120, 1.1)), ...asked);
    expect(dearer.gates.map(({ reasons }) => reasons)).toEqual([
      ["cost>10%: qa 0.12 over 10 trials, the baseline 0.1 over 10 trials (mean cost a trial)"],
      [],
      ["tokens>10%: qa 120.0 over 10 trials, the baseline 100.0 over 10 trials (mean tokens a trial)"],
      [],
    ]);
    const pointed = await judged(await holding(priced("c", 120, 1.1)), ...asked, "cost>10% point");
    expect(pointed.gates[4]?.reasons).toEqual([
      "cost>10% point: qa 0.12 over 10 trials, the baseline 0.1 over 10 trials (mean cost a trial) (point, not shown)",
    ]);
    const blank = await judged(await holding({ id: "c", trials: passing(10, 8), seconds: 2 }), ...asked);
    expect(blank.gates.map(({ reasons }) => reasons[0])).toEqual([
      "cost>10%: cost of qa is not known",
      "latency>20%: qa 2.00 s over 10 trials, the baseline 1.00 s over 10 trials (median latency)",
      "tokens>10%: tokens of qa is not known",
      "cost>0.2: cost of qa is not known",
    ]);
  });

  it("call an evaluation flaky where two trials of a row are shown to differ more often", async () => {
    const base = await saved({ id: "base", trials: flaky(40, 30, 31) });
    const gate = ["--baseline", base, "--fail-on", "flaky>2%"];
    const some = await judged(await holding({ id: "c", trials: flaky(40, 1, 2, 3, 30, 31) }), ...gate);
    expect(some.gates[0]?.reasons).toEqual([]);
    expect(some.evaluations[0]).toMatchObject({
      flakiness: [
        { score: "correct", n_rows: 40, n_left_out: 0, difference: expect.closeTo(0.05, 10) as number },
      ],
    });
    const all = await judged(
      await holding({
        id: "c",
        trials: flaky(40, 1, 2, 3, 4, 5, 6, 7, 8, 30, 31).toSpliced(0, 1, [{ correct: true }]),
      }),
      ...gate,
      "flaky>20%",
    );
    expect(all.gates.map(({ reasons }) => reasons)).toEqual([
      [
        "flaky>2%: two trials of a row differ with chance 17.1% in correct, 3.4% in the baseline: +13.7 points (95% interval +4.8 to +22.5) on 39 rows, 1 left out",
      ],
      [],
    ]);
    const single = await judged(await holding({ id: "c", trials: passing(40, 40) }), ...gate);
    expect(single.gates[0]?.reasons).toEqual([
      "flaky>2%: qa has fewer than two rows with two trials in correct on both sides, 40 left out",
    ]);
  });

  it("tell rows that were added, removed, in error, and lost, whether one asks or not", async () => {
    const file = await saved({ id: "base", trials: passing(20, 10) });
    const trials = passing(19, 10, 2).map((row, i) => (i === 3 ? (["error", "error"] as const) : row));
    const db = await holding({
      id: "c",
      finished: false,
      trials,
      rowOf: (i) => ({ n: i === 5 ? "new" : i }),
    });
    const plain = await ci(db, "--baseline", file, "--fail-on", "errors>50%");
    expect(plain.status).toBe(0);
    expect(plain.stdout).toContain("\n- qa: 1 row added, 2 removed\n");
    expect(plain.stdout).toContain("\n- qa has not finished (running), so it may lack trials\n");
    expect(plain.stdout).toContain(
      "\n- qa: 2 of 38 trials in error, of the baseline 0 of 20 trials in error\n",
    );
    expect(plain.stdout).toContain("\n- qa: 2 trials a row, of the baseline 1\n");
    expect(plain.stdout).toMatch(/left out: 1 row without a value in/);
    const asked = await judged(
      db,
      "--baseline",
      file,
      "--fail-on",
      "dataset-changed",
      "coverage<95%",
      "errors>5%",
    );
    expect(asked.gates.map(({ reasons }) => reasons)).toEqual([
      ["dataset-changed: qa has 1 row more and 2 fewer"],
      ["coverage<95%: qa has 90% (18 of 20 rows of the baseline) (point, not shown)"],
      ["errors>5%: qa has 5.26316% (2 of 38 trials) (point, not shown)"],
    ]);
  });

  it.each<[readonly string[], RegExp]>([
    [["--fail-on", "slice-regressed"], /slice-regressed needs compare with --by/],
    [["--fail-on", "judge<0.6"], /judge needs compare/],
    [["--fail-on", "not-equivalent"], /needs --margin/],
    [["--fail-on", "not-shown-as-good"], /needs --margin/],
    [["--fail-on", "flaky<2%"], /write flaky>2% instead of flaky<2%/],
    [["--fail-on", "corect<90%"], /no trial has a score "corect"/],
    [["--scorer", "corect"], /no trial has a score "corect" of numbers .*; did you mean "correct"\?/],
    [["--baseline", "c"], /"c" is what is judged/],
    [["--baseline", "unknown"], /"unknown" is not in this project/],
    [["--candidate", "unknown"], /"unknown" is not in this project/],
    [["--confidence", "7"], /confidence|1/],
    [["--cluster-by", "inputs.m"], /no row .* has inputs\.m; did you mean "inputs\.n"\?/],
    [["--cluster-by", "outputs.n"], /rows cluster by a field of theirs|inputs/],
    [["--count-errors-as", "none"], /It takes a number/],
  ])("end %j with status 2 and the reason", async (args, reason) => {
    const db = await holding(BASE, { id: "c", trials: passing(40, 36), at: 5 });
    const { status, stdout, stderr } = await ci(db, "--baseline", "base", ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toMatch(reason);
  });
});

describe("what cannot be compared", () => {
  const run = { id: "c", trials: passing(40, 36), at: 5 };

  it.each<[string, MadeRun, MadeRun, string, RegExp]>([
    [
      "dataset",
      { ...BASE, dataset: "set:v1" },
      { ...run, dataset: "set:v2" },
      "dataset",
      /has dataset set:v2, the baseline set:v1/,
    ],
    ["rows", BASE, { ...run, rowOf: (i) => ({ other: i }) }, "rows", /shares 0 rows with the baseline/],
    [
      "scorer",
      BASE,
      { ...run, trials: run.trials.map(() => [{ accuracy: true }]) },
      "scorer-missing",
      /has no score correct/,
    ],
    [
      "kind",
      BASE,
      { ...run, trials: run.trials.map(() => [{ correct: 0.5 }]) },
      "scorer-kind",
      /has numbers in correct, the baseline true and false/,
    ],
    [
      "version",
      { ...BASE, scorers: { correct: "weave:///acme/qa/op/correct:v1" } },
      { ...run, scorers: { correct: "weave:///acme/qa/op/correct:v2" } },
      "scorer-definition",
      /has the scorer correct:v2 in correct, the baseline correct:v1/,
    ],
    [
      "values",
      BASE,
      { ...run, trials: run.trials.map((row, i) => (i === 0 ? row : (["error"] as const))) },
      "rows",
      /has 1 row with values of correct on both sides/,
    ],
  ])("says so and never passes: another %s", async (_what, base, candidate, reason, text) => {
    const file = await saved(base);
    const db = await holding(candidate);
    const junit = join(folder, "gates.xml");
    const gates = ["--baseline", file, "--fail-on", "regressed"];
    const answer = await judged(db, ...gates, "--junit", junit);
    expect(answer).toMatchObject({
      status: 4,
      verdict: "not-comparable",
      not_comparable: [{ reason, evaluation: "qa" }],
    });
    expect(answer.stderr).toMatch(text);
    const report = readFileSync(junit, "utf8");
    expect(parseXml(report).attributes).toMatchObject({ name: "evalcube ci", errors: "1" });
    expect(report).toContain(`<testcase classname="qa" name="${reason}" time="0"><error message=`);
    const warned = await ci(db, ...gates, "--not-comparable", "warn", "--junit", junit);
    expect(warned.status).toBe(0);
    expect(warned.stdout).toMatch(/^\*\*Not comparable: qa /);
    expect(warned.stdout).not.toContain("Passed");
    expect(readFileSync(junit, "utf8")).toContain("<skipped message=");
  });

  it("judges gates on the candidate alone, and a gate that is met comes first", async () => {
    const file = await saved({ ...BASE, dataset: "set:v1" });
    const db = await holding({ ...run, dataset: "set:v2" });
    const gates = ["--fail-on", "regressed", "correct<95%", "coverage<90%"];
    const { status, gates: told } = await judged(db, "--baseline", file, ...gates);
    expect(status).toBe(3);
    expect(told.map(({ reasons }) => reasons)).toEqual([
      [],
      ["correct<95%: qa has 90% (mean over 40 rows) (point, not shown)"],
      [],
    ]);
  });

  it("meets a gate on a score that the baseline alone has", async () => {
    const db = await holding({ ...run, trials: run.trials.map(() => [{ accuracy: true }]) });
    const answer = await judged(db, "--baseline", await saved(BASE), "--fail-on", "correct<90%");
    expect(answer.status).toBe(3);
    expect(answer.gates[0]?.reasons).toEqual(["correct<90%: qa has no value, the baseline has"]);
  });

  it("is an evaluation of the baseline that was not run; one that is new is noted", async () => {
    const before = [namedRun("a", "r1", 0), namedRun("b", "r1", 1)];
    const now = [namedRun("a", "r2", 5), namedRun("c", "r2", 6)];
    const file = await saved(...before);
    const expected = { status: 4, not_comparable: [{ reason: "missing-evaluation", evaluation: "b" }] };
    const db = await holding(...before, ...now);
    expect(await judged(db, "--baseline", file)).toMatchObject(expected);
    expect(await judged(db, "--baseline", "branch:main")).toMatchObject(expected);
    expect((await ci(db, "--baseline", file)).stdout).toContain("- c is new: the baseline does not have it");
  });

  it("is a run without any evaluation, or without a baseline", async () => {
    const empty = join(folder, "empty.duckdb");
    const engine = await openEngine({ path: empty });
    await engine.ingestRows([{ project_id: PROJECT, val: { n: 1 } }]);
    await engine.close();
    expect(await judged(empty, "--baseline", await saved(BASE))).toMatchObject({
      status: 4,
      not_comparable: [{ reason: "no-candidate" }],
    });
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    const answer = await ci(await holding(run), "--baseline", join(folder, "none.parquet"));
    expect(answer.status).toBe(4);
    expect(answer.stdout).toContain(
      "none.parquet. On the main branch, evalcube ci --save evals.baseline.parquet writes one",
    );
  });
});

describe("the baseline", () => {
  it("is the latest finished evaluation of the name, of a branch or a commit, never of the same run", async () => {
    const db = await holding(
      madeAt("old", 0, 40, { branch: "main", commit: "a1".repeat(20) }),
      madeAt("main", 1, 36, { branch: "main", commit: "b2".repeat(20) }),
      madeAt("running", 2, 36, { branch: "main" }, { finished: false }),
      madeAt("other", 3, 36, { branch: "main" }, { name: "another" }),
      madeAt("twin", 4, 36, { branch: "main", run: "r" }),
      madeAt("cand", 5, 36, { branch: "main", run: "r" }),
    );
    const baselineOf = async (...args: readonly string[]) => {
      const { evaluations } = await judged(db, "--candidate", "cand", ...args);
      return (evaluations as unknown as readonly { baseline: string }[])[0]?.baseline;
    };
    expect(await baselineOf("--baseline", "branch:main")).toBe("main");
    expect(await baselineOf("--baseline", "commit:a1a1a1a")).toBe("old");
    expect(await baselineOf("--baseline", "qa")).toBe("running");
    expect(await baselineOf("--baseline", "qa~2")).toBe("running");
    expect(await baselineOf("--baseline", "latest~4")).toBe("main");
    const twin = await ci(db, "--candidate", "cand", "--baseline", "qa~1");
    expect(complaint(twin.stderr).reason).toMatch(/"qa~1" is what is judged/);
    expect(await baselineOf()).toBe("main");
  });

  it("has a value and all rows, unless it is named; a candidate of some rows is noted", async () => {
    const branch = { branch: "main" };
    const nothing = { trials: Array.from({ length: 40 }, () => [{}]) };
    const db = await holding(
      madeAt("old", 0, 40, branch),
      madeAt("none", 1, 0, branch, nothing),
      madeAt("errors", 2, 0, branch, { trials: Array.from({ length: 40 }, () => ["error"]) }),
      madeAt("part", 3, 36, { ...branch, partial: { limit: 40 } }),
      madeAt("cand", 4, 36, { partial: { limit: 40 } }),
    );
    const { stdout, stderr } = await ci(db, "--baseline", "branch:main");
    expect(stderr).toBe("");
    expect(stdout).toContain("| qa | correct | 40 | 100.0% | 90.0% |");
    expect(stdout).toContain("- qa ran over some of its rows only\n");
    const named = await ci(db, "--candidate", "cand", "--baseline", "none");
    expect(named.status).toBe(4);
    const empty = await holding(madeAt("none", 1, 0, branch, nothing), madeAt("cand", 4, 36));
    expect((await ci(empty, "--baseline", "branch:main")).stderr).toContain(
      "there is no finished evaluation of the same name that has a value in branch main",
    );
    const file = join(folder, "part.parquet");
    expect((await ci(db, "--save", file)).stderr).toBe("note: qa ran over some of its rows only\n");
  });

  it("is in another database, also where that holds the candidate, or the only file of a folder", async () => {
    const candidate = madeAt("cand", 5, 36);
    const other = await holding(madeAt("base", 0, 40), candidate);
    const db = await holding(candidate);
    const answer = await judged(db, "--baseline", other);
    expect(answer).toMatchObject({ baseline: { place: other }, evaluations: [{ baseline: "base" }] });
    const artifact = join(folder, "artifact");
    mkdirSync(artifact);
    expect((await judged(db, "--baseline", artifact)).not_comparable[0]?.reason).toBe("no-baseline");
    await ci(other, "--candidate", "base", "--save", join(artifact, "a.parquet"));
    expect((await judged(db, "--baseline", artifact)).status).toBe(0);
    await ci(other, "--candidate", "base", "--save", join(artifact, "b.parquet"));
    const several = await ci(db, "--baseline", artifact);
    expect(several.status).toBe(2);
    expect(complaint(several.stderr).reason).toContain("a.parquet, b.parquet");
  });

  it("pairs evaluations of one name by their models", async () => {
    const file = await saved(...twoModels("r1", [40, 20], 0));
    const answer = await ci(await holding(...twoModels("r2", [40, 20], 5)), "--baseline", file);
    expect(answer.status).toBe(0);
    expect(answer.stdout).toMatch(/\| qa of small \|.*\n\| qa of large \|/);
  });

  it("pairs evaluations of one name and one model by their files", async () => {
    const before = twoFiles("r1", 0);
    const db = await holding(...before, ...twoFiles("r2", 5));
    for (const baseline of ["branch:main", await saved(...before)]) {
      const answer = await ci(db, "--baseline", baseline);
      expect(answer.status).toBe(0);
      expect(answer.stdout).toMatch(/\| qa of small in a\.test\.ts \|.*\n\| qa of small in b\.test\.ts \|/);
    }
  });

  it("is that of the same name: evaluations of other names are never compared", async () => {
    const db = await holding(
      madeAt("base", 0, 40, {}, { name: "before" }),
      madeAt("c", 1, 20, { commit: "c3" }),
    );
    const file = await saved(madeAt("base", 0, 40, {}, { name: "before" }));
    for (const baseline of [file, "before", "base"]) {
      const answer = await ci(db, "--baseline", baseline);
      expect(answer.status, baseline).toBe(4);
      expect(answer.stdout).toContain("- Judged: 1 evaluation: qa.\n");
      expect(answer.stdout).toContain("- qa is new: the baseline does not have it\n");
      expect(answer.stdout).not.toContain("worse");
    }
    const explicit = await judged(db, "--baseline", file, "--candidate", "c", "--fail-on", "correct<90%");
    expect(explicit).toMatchObject({
      status: 3,
      gates: [{ reasons: ["correct<90%: qa has 50% (mean over 40 rows) (point, not shown)"] }],
    });
  });
});

describe("--promote", () => {
  it("adds the rows that passed in all trials and fail in all now, once", async () => {
    const trials = passing(40, 20, 2).map((row, i) =>
      i === 21
        ? [{ correct: true }, { correct: false }]
        : i === 22
          ? (["error", { correct: false }] as const)
          : row,
    );
    const db = await holding({ id: "c", trials, attributes: { commit: "abc" } });
    const base = await saved({ id: "base", trials: passing(40, 36, 2) });
    const file = join(folder, "promoted.jsonl");
    for (const round of [1, 2]) {
      expect((await ci(db, "--baseline", base, "--promote", file)).status, `round ${round}`).toBe(3);
      const lines = readFileSync(file, "utf8").trimEnd().split("\n");
      const rows = lines.map((line) => JSON.parse(line) as { row: { n: number }; promoted: object });
      const expected = [20, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35];
      expect(rows.map(({ row }) => row.n).toSorted((a, b) => a - b)).toEqual(expected);
      const promoted = { score: "correct", evaluation: "qa", candidate: "c", commit: "abc" };
      expect(rows[0]?.promoted).toEqual({ ...promoted, row_digest: expect.any(String) as string });
    }
  });

  it("adds nothing where nothing regressed, and refuses a file that is another", async () => {
    const db = await holding({ id: "c", trials: passing(40, 36) });
    const base = await saved(BASE);
    const file = join(folder, "none.jsonl");
    expect((await ci(db, "--baseline", base, "--promote", file)).status).toBe(0);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, "{}\n");
    const { status, stderr } = await ci(db, "--baseline", base, "--promote", file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'evalcube: a file of promoted rows has lines such as {"row":…,"promoted":…}, not {}\n',
    });
  });
});

it("changes no database", async () => {
  const db = await holding(BASE, { id: "c", trials: passing(40, 36), at: 5 });
  const before = readFileSync(db);
  await ci(db, "--baseline", "base");
  expect(readFileSync(db).equals(before)).toBe(true);
});

it("lets no name out of the report", async () => {
  const name =
    "@team <b>#1</b> | [x](http://x.example) ![y](z) `q` https://a.example www.b.example\n| a | b |";
  const scorer = "@me|</details><script>";
  const trials = (passes: number) =>
    passing(20, passes).map(([one]) => [{ [scorer]: (one as { correct: boolean }).correct }]);
  const engine = await openEngine({ path: join(folder, "hostile.duckdb") });
  await engine.ingestCalls(
    callsOf({ id: "c", name, trials: trials(2), attributes: { branch: "x](y)\nz", commit: "@c" } }),
  );
  await engine.close();
  const db = join(folder, "hostile.duckdb");
  const file = await saved({
    id: "base",
    name: `${name}2`,
    trials: trials(20),
    attributes: { branch: "@b <i>", commit: "#12" },
  });
  for (const baseline of [file, await saved({ ...BASE, name })]) {
    const { stdout } = await ci(db, "--baseline", baseline, "--fail-on", "regressed", "dataset-changed");
    expect(stdout.replaceAll(/<\/?(?:details|summary)>|\*\*|&#\d+;/g, "")).not.toMatch(
      /[@<>`[\]]|#\w|:\/\/|www\./,
    );
    const cells = stdout.split("\n").filter((line) => line.includes("|"));
    expect(new Set(cells.map((line) => line.split("|").length)).size).toBeLessThan(2);
  }
});
