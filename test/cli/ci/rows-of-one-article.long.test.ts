import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { temporaryFolder } from "../command.ts";
import { evalcubeHere } from "../in-process.ts";
import { PROJECT } from "../command.ts";
import { ci, database, stubJob, type MadeRun, type MadeTrial } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
beforeEach(() => {
  stubJob();
  return () => vi.unstubAllEnvs();
});

const SEED = 20_261_129;
const random = seededRandom(SEED);

/** Six articles of ten rows, whose rows are right or wrong together; some trials fail, some have no verdict. */
function run(id: string, lost: number, at: number, members: Partial<MadeRun> = {}): MadeRun {
  const articles = Array.from({ length: 6 }, () => random() - 0.5 - lost);
  const trialOf = (i: number): MadeTrial => {
    if (random() < 0.08) return "error";
    const correct = random() < 0.1 ? null : 0.7 + (articles[i % 6] ?? 0) > random();
    const judge = random() < 0.1 ? null : { score: Math.round(10 * random()) / 10 - lost };
    return { correct, judge };
  };
  const trials = Array.from({ length: 60 }, (_, i) => [trialOf(i), trialOf(i)]);
  return { id, trials, at, rowOf: (i) => ({ n: i, from: articleOf(i) }), ...members };
}

/** Texts, numbers, and rows without one. */
function articleOf(i: number) {
  return i % 6 === 0
    ? { titles: [{ name: "one" }] }
    : i % 6 === 1
      ? { titles: [{ name: 2 }] }
      : i > 54
        ? null
        : { titles: [{ name: `secret ${i % 6}` }] };
}

interface Told {
  readonly status: number | null;
  readonly comparisons: readonly object[];
}

/** The comparisons of `compare`, and of `ci` with the other side in its database, in another one and saved. */
async function everywhere(before: MadeRun, after: MadeRun, ...flags: string[]): Promise<readonly Told[]> {
  const name = `${before.id}-${after.id}`;
  const both = await database(folder, `${name}-both.duckdb`, [before, after]);
  const [old, now] = [
    await database(folder, `${name}-old.duckdb`, [before]),
    await database(folder, `${name}-now.duckdb`, [after]),
  ];
  const saved = join(folder, `${name}.parquet`);
  expect(await ci(old, "--save", saved, ...flags)).toMatchObject({ status: 0 });
  const sides = ["--baseline", before.id, "--candidate", after.id];
  const asked = [...flags, "--format", "json"];
  const place = ["--db", both, "--project", PROJECT];
  const compared = await evalcubeHere(["compare", ...place, ...sides, ...asked]);
  const { comparisons } = JSON.parse(compared.stdout) as Told;
  const told = [];
  for (const [db, baseline] of [
    [both, before.id],
    [now, old],
    [now, saved],
  ] as const) {
    const { status, stdout } = await ci(db, "--baseline", baseline, ...asked);
    const { evaluations } = JSON.parse(stdout) as { readonly evaluations: readonly Told[] };
    told.push({ status, comparisons: evaluations.flatMap((one) => one.comparisons.map(withoutSides)) });
  }
  return [{ status: compared.status, comparisons: comparisons.map(withoutSides) }, ...told];
}

function withoutSides(one: object): object {
  return { ...one, baseline: null, candidate: null };
}

const FIELD = ["--cluster-by", "inputs.from.titles.0.name"];
const COUNTED = [
  ...FIELD,
  "--count-errors-as",
  "correct=0",
  "judge.score=0.25",
  "--count-nulls-as",
  "correct=1",
];

it("clusters rows and counts trials without a value as compare does, wherever the baseline is", async () => {
  const sets = [FIELD, ["--count-errors-as", "0"], COUNTED];
  for (const [i, flags] of sets.entries()) {
    const [compared, ...told] = await everywhere(run(`b${i}`, 0, 0), run(`a${i}`, 0.3, 9), ...flags);
    for (const one of told)
      expect(one.comparisons, `${flags.join(" ")} ${SEED}`).toEqual(compared?.comparisons);
    expect(compared?.comparisons).toMatchObject([
      { method: flags.includes("--cluster-by") ? "clustered-t" : "paired-t" },
      {},
    ]);
  }
});

function keyOf(i: number): string {
  return `q${i}`;
}

it("clusters rows of one key by what compare takes for the row", async () => {
  const edited = { keyOf, rowOf: (i: number) => ({ n: i, from: { titles: [{ name: i % 7 }] } }) };
  const sides = [run("kb", 0, 0, { keyOf }), run("ka", 0.2, 9, edited)] as const;
  const [compared, ...told] = await everywhere(...sides, ...FIELD);
  for (const one of told) expect(one.comparisons, String(SEED)).toEqual(compared?.comparisons);
});

it("compares a run that has no verdict anywhere, where no verdict counts", async () => {
  const trials = run("x", 0, 0).trials.map((row) => row.map(() => ({ correct: null })));
  const before = run("nb", 0, 0, { trials: trials.map((row) => row.map(() => ({ correct: true }))) });
  const [compared, ...told] = await everywhere(before, run("na", 0, 9, { trials }), "--count-nulls-as", "0");
  expect(compared?.comparisons).toMatchObject([{ candidate_mean: 0, verdict: "regressed" }]);
  for (const one of told) expect(one).toEqual({ status: 3, comparisons: compared?.comparisons });
});

it("gates on means count and cluster as well", async () => {
  const trials = Array.from({ length: 40 }, (_, i): MadeTrial[] => [i < 10 ? "error" : { correct: i < 39 }]);
  const ofFive = { rowOf: (i: number) => ({ n: i, article: i % 5 }) };
  const db = await database(folder, "gates.duckdb", [
    run("gb", 0, 0, ofFive),
    run("ga", 0, 9, { trials, ...ofFive }),
  ]);
  const gates = ["--baseline", "gb", "--candidate", "ga", "--scorer", "correct", "--fail-on", "correct<90%"];
  const { stdout } = await ci(db, ...gates);
  expect(stdout).toContain("**Passed");
  const counted = await ci(
    db,
    ...gates,
    "correct<90% shown",
    "--count-errors-as",
    "0",
    "--cluster-by",
    "inputs.article",
  );
  expect(counted.status).toBe(3);
  expect(counted.stdout).toContain("correct&#60;90%: qa has 72.5%");
  expect(counted.stdout).toContain("correct&#60;90% shown: qa has 72.5%");
});

it("a saved baseline without the field is not comparable, and says how to save it anew", async () => {
  const saved = join(folder, "without.parquet");
  const old = await database(folder, "without-old.duckdb", [
    run("wb", 0, 0),
    run("wc", 0, 0, { name: "other" }),
  ]);
  const db = await database(folder, "without-now.duckdb", [
    run("wa", 0, 9),
    run("wd", 0, 9, { name: "other" }),
  ]);
  const field = "inputs.from.titles.0.name";
  const said = `the baseline has no clusters of ${field}; save it anew: evalcube ci --save FILE --cluster-by ${field}`;
  for (const other of [[], ["--cluster-by", "inputs.n"]]) {
    await ci(old, "--save", saved, "--candidate", "wb", "wc", ...other);
    const sides = [
      "--baseline",
      saved,
      "--candidate",
      "wa",
      "wd",
      "--cluster-by",
      field,
      "--fail-on",
      "regressed",
    ];
    const { status, stdout } = await ci(db, ...sides, "--format", "json");
    expect(status).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ not_comparable: [{ reason: "clusters", text: said }] });
  }
});

it("a field that no row has ends the command with 2 and names one that is near, judging and saving", async () => {
  const db = await database(folder, "unknown.duckdb", [run("ub", 0, 0), run("ua", 0, 9)]);
  for (const rest of [
    ["--baseline", "ub"],
    ["--save", join(folder, "unknown.parquet")],
  ]) {
    const { status, stderr } = await ci(db, ...rest, "--cluster-by", "inputs.m");
    expect(status).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      reason: '--cluster-by: no row of the requested evaluations has inputs.m; did you mean "inputs.n"?',
    });
  }
  for (const flags of [
    ["--count-errors-as", "corect=0"],
    ["--count-nulls-as", "corect=0"],
  ]) {
    const { status, stderr } = await ci(db, "--baseline", "ub", ...flags);
    expect(status).toBe(2);
    expect((JSON.parse(stderr) as { readonly reason: string }).reason).toContain(
      `${flags[0]}: no trial has a score "corect"`,
    );
  }
});

it("a saved baseline has no value of the field, and is the same bytes without it where nobody asks", async () => {
  const db = await database(folder, "bytes.duckdb", [run("sb", 0, 0)]);
  const [plain, clustered] = [join(folder, "plain.parquet"), join(folder, "clustered.parquet")];
  await ci(db, "--save", plain);
  await ci(db, "--save", clustered, ...FIELD);
  expect(readFileSync(clustered).toString("latin1")).not.toContain("secret");
  const now = await database(folder, "bytes-now.duckdb", [run("sa", 0.3, 9)]);
  const [one, two] = await Promise.all(
    [plain, clustered].map((file) => ci(now, "--baseline", file, "--format", "json")),
  );
  expect(one?.stdout.replaceAll(plain, "")).toBe(two?.stdout.replaceAll(clustered, ""));
});
