import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openEngine } from "../../src/index.ts";
import { parseXml } from "../support/xml.ts";
import { PROJECT, put, temporaryFolder } from "./command.ts";
import { database, passing, stubJob, type MadeRun } from "./ci/runs.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
beforeEach(() => {
  stubJob();
  return () => vi.unstubAllEnvs();
});

let made = 0;
const newDatabase = () => join(folder, `db${made++}.duckdb`);

interface Module {
  readonly model?: string;
  readonly dataset?: string;
  readonly rows?: number;
  readonly task?: string;
  readonly scorers?: string;
  readonly more?: string;
}

/** A module of an evaluation of 20 rows that all pass. */
function moduleOf({
  model = "m",
  dataset = "d:v1",
  rows = 20,
  task = "n",
  scorers,
  more = "",
}: Module = {}): string {
  return put(
    folder,
    `m${made++}.eval.mjs`,
    `export default { name: "support small", model: "${model}", dataset: "${dataset}", ${more}
      data: Array.from({ length: ${rows} }, (_, n) => ({ n })), task: ({ n }) => { ${task.includes("throw") ? task : `return ${task}`}; },
      scorers: { ${scorers ?? "ok: () => true"} } };\n`,
  );
}

const run = (db: string, file: string, ...args: readonly string[]) =>
  evalcubeHere(["run", file, "--db", db, "--project", PROJECT, "--no-git", ...args]);
const asked = (command: string, db: string, ...args: readonly string[]) =>
  evalcubeHere([command, "--db", db, "--project", PROJECT, ...args]);

describe("what is not determined", () => {
  const EMPTY = moduleOf({ rows: 0 });
  const FAILED = moduleOf({ task: "throw new Error('401 Incorrect API key provided: 7')" });
  const MUTE = moduleOf({ scorers: "ok: () => null, judge: () => { throw new Error('x'); }" });

  it.each<[string, string, RegExp]>([
    ["no rows", EMPTY, /evalcube: support small: no rows, nothing was run\n$/],
    ["failed trials alone", FAILED, /evalcube: support small: 20 of 20 trials failed\n$/],
    ["no score", MUTE, /evalcube: support small: 20 trials and no score\n$/],
  ])("is a run of %s: status 1, with gates and without", async (_what, file, reason) => {
    for (const gates of [
      [],
      ["--fail-on", "errors>50%"],
      ["--fail-on", "regressed"],
      ["--fail-on", "ok<90%"],
    ]) {
      const { status, stderr } = await run(newDatabase(), file, ...gates);
      expect([gates, status]).toEqual([gates, 1]);
      expect(stderr).toMatch(reason);
    }
  });

  it("is no run without scorers, which has nothing to lack", async () => {
    const file = put(
      folder,
      "bare.eval.mjs",
      `export default { name: "bare", model: "m", data: [1], task: () => 1, scorers: {} };\n`,
    );
    expect((await run(newDatabase(), file)).status).toBe(0);
  });

  it("is a gate on a comparison in a first run: status 4, or a note", async () => {
    const gates = ["--fail-on", "regressed", "coverage<90%", "cost>5%", "ok<90%"];
    const { status, stderr } = await run(newDatabase(), moduleOf(), ...gates);
    expect(status).toBe(4);
    expect(stderr).toContain("evalcube: regressed: not judged, support small has no earlier run\n");
    expect(stderr).toContain("evalcube: coverage<90%: not judged, support small has no earlier run\n");
    const warned = await run(newDatabase(), moduleOf(), ...gates, "--not-comparable", "warn");
    expect(warned.status).toBe(0);
    expect(warned.stderr).toContain("note: regressed: not judged, support small has no earlier run\n");
    expect((await run(newDatabase(), moduleOf())).status).toBe(0);
  });

  it("is judged in the first run by gates on an evaluation alone", async () => {
    const half = { scorers: "ok: ({ row }) => row.n % 2 === 0" };
    const { status, stderr } = await run(newDatabase(), moduleOf(half), "--fail-on", "ok<90%", "regressed");
    expect(status).toBe(3);
    expect(stderr).toContain(
      "evalcube: ok<90%: support small has 50% (mean over 20 rows) (point, not shown)\n",
    );
    expect(stderr).toContain("evalcube: regressed: not judged, support small has no earlier run\n");
    const alone = ["--baseline", "none", "--fail-on"];
    expect((await run(newDatabase(), moduleOf(half), ...alone, "ok<40%")).status).toBe(0);
    expect((await run(newDatabase(), moduleOf(half), ...alone, "ok<90%")).status).toBe(3);
    expect((await run(newDatabase(), moduleOf(half), ...alone, "regressed")).status).toBe(2);
    const slow = { task: "new Promise((resolve) => setTimeout(() => resolve(n), 20))" };
    expect((await run(newDatabase(), moduleOf(slow), "--fail-on", "latency>0.001")).status).toBe(3);
    expect((await run(newDatabase(), moduleOf(slow), "--fail-on", "latency>60")).status).toBe(0);
  });

  it("says why a side has nothing to compare, and takes no such run as the run before", async () => {
    const db = newDatabase();
    await run(db, moduleOf());
    await run(db, FAILED);
    await run(db, MUTE);
    const failed = await asked(
      "compare",
      db,
      "--baseline",
      "support small~2",
      "--candidate",
      "support small~1",
    );
    expect(failed.status).toBe(2);
    expect(failed.stderr).toContain(
      "all 20 trials of support small failed: Error: 401 Incorrect API key provided: #",
    );
    const mute = await asked("compare", db, "--baseline", "support small~2");
    expect(mute.stderr).toContain("support small: 20 trials and no score");
    const next = await run(db, moduleOf({ model: "n" }));
    expect(next.stdout).toContain("\nchanged: model m → n\n");
  });

  it.each<[string, Pick<MadeRun, "trials">, RegExp]>([
    ["no trial", { trials: [] }, /qa: no rows, nothing was run/],
    ["failed trials alone", { trials: passing(20, 0).map(() => ["error"]) }, /qa: 20 of 20 trials failed/],
    ["no score", { trials: passing(20, 0).map(() => [{}]) }, /qa: 20 trials and no score/],
  ])("is a candidate of ci with %s: status 1, and an error of JUnit", async (_what, members, reason) => {
    const base = { id: "base", trials: passing(20, 18) };
    const db = await database(folder, `db${made++}.duckdb`, [base, { id: "now", at: 5, ...members }]);
    const junit = join(folder, "failed.xml");
    for (const more of [[], ["--not-comparable", "warn"]]) {
      const { status, stdout, stderr } = await asked(
        "ci",
        db,
        "--baseline",
        "base",
        "--junit",
        junit,
        ...more,
      );
      expect(status).toBe(1);
      expect(stdout).toMatch(/^\*\*Failed: qa: /);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(reason);
      const report = readFileSync(junit, "utf8");
      expect(Number(parseXml(report).attributes["errors"])).toBeGreaterThan(0);
      expect(report).toMatch(/<testcase classname="qa" name="failed" time="0"><error message="qa: /);
      const json = await asked("ci", db, "--baseline", "base", "--format", "json", ...more);
      expect(JSON.parse(json.stdout)).toMatchObject({ verdict: "failed" });
    }
  });
});

const better = (value: number) =>
  moduleOf({ scorers: `length: { score: ({ row }) => ${value} + (row.n % 3), better: "higher" }` });

describe("an undirected score that falls", () => {
  const before = moduleOf({ scorers: "length: ({ row }) => 100 + (row.n % 3)" });
  const now = moduleOf({ scorers: "length: ({ row }) => 50 + (row.n % 3)" });
  const both = moduleOf({ scorers: "length: ({ row }) => 50 + (row.n % 3), ok: () => true" });
  const FAULT =
    'regressed judges nothing: no score says which way is good. Add better: "higher" to the scorer, or --higher-is-better length';

  it("is regressed in no command and meets no gate, which says that it judges nothing", async () => {
    const db = newDatabase();
    await run(db, before);
    const ran = await run(db, now, "--fail-on", "regressed");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain(JSON.stringify(FAULT).slice(1, -1));
    const out = join(folder, `r${made++}.html`);
    for (const [command, ...args] of [
      ["compare", "--format", "table"],
      ["compare", "--by", "inputs.n"],
      ["compare", "--format", "markdown"],
      ["history"],
      ["leaderboard"],
      ["report", "--out", out],
    ] as const) {
      const plain = await asked(command, db, ...args);
      expect([command, plain.status]).toEqual([command, 0]);
      expect(plain.stdout).not.toMatch(/"regressed"|▼|\bis worse\b|: worse/);
      if (command === "leaderboard") continue;
      const gated = await asked(
        command,
        db,
        ...args,
        "--fail-on",
        "regressed",
        ...(command === "report" ? ["--force"] : []),
      );
      expect([command, gated.status]).toEqual([command, 2]);
      expect(gated.stderr).toContain("judges nothing: no score says which way is good");
    }
    const sliced = await asked("compare", db, "--by", "inputs.n", "--fail-on", "slice-regressed");
    expect(sliced.status).toBe(2);
    const told = await asked("compare", db, "--format", "table");
    expect(told.stdout).toMatch(/◇ moved down/);
    expect(told.stdout).toMatch(/support small \(.*\) moved down in length against support small \(.*\)\./);
    const judged = await asked("compare", db, "--fail-on", "regressed", "--higher-is-better", "length");
    expect(judged.status).toBe(3);
    const lower = await asked("compare", db, "--fail-on", "regressed", "--lower-is-better", "length");
    expect(lower.status).toBe(0);
  });

  it("is not judged by ci: status 4 with the reason direction, unless the evaluation or a flag says the way", async () => {
    const db = newDatabase();
    await run(db, before);
    const first = await openEngine({ path: db, readOnly: true });
    const [one] = await first.listEvaluations(PROJECT);
    await first.close();
    await run(db, now);
    const gates = ["--baseline", one?.id ?? "", "--fail-on", "regressed"];
    const told = await asked("ci", db, ...gates, "--format", "json");
    expect(told.status).toBe(4);
    expect(JSON.parse(told.stdout)).toMatchObject({
      verdict: "not-comparable",
      not_comparable: [{ reason: "direction", text: FAULT }],
      evaluations: [{ comparisons: [{ verdict: "moved", direction: null }] }],
    });
    expect((await asked("ci", db, ...gates, "--not-comparable", "warn")).status).toBe(0);
    expect((await asked("ci", db, ...gates, "--higher-is-better", "length")).status).toBe(3);
    expect((await asked("ci", db, ...gates, "--lower-is-better", "length")).status).toBe(0);
  });

  it("is judged by what the scorer says, in ci from a saved baseline too", async () => {
    const db = newDatabase();
    await run(db, better(100));
    const file = join(folder, `b${made++}.parquet`);
    expect((await asked("ci", db, "--save", file)).status).toBe(0);
    expect((await run(db, now, "--fail-on", "regressed")).status).toBe(3);
    expect((await asked("ci", db, "--baseline", file, "--fail-on", "regressed")).status).toBe(3);
  });

  it("is left out beside scores that have a direction, and a note names it", async () => {
    const db = newDatabase();
    await run(db, moduleOf({ scorers: "length: ({ row }) => 100 + (row.n % 3), ok: () => true" }));
    const { status, stderr } = await run(db, both, "--fail-on", "regressed");
    expect(status).toBe(0);
    expect(stderr).toContain("note: regressed leaves out length: nothing says which way is good\n");
  });
});

describe("what changed", () => {
  it("stands in run, compare, ci, history and the report, and names scores that are gone or new", async () => {
    const db = newDatabase();
    await run(db, moduleOf({ scorers: "correct: () => true, ok: () => true" }));
    const file = join(folder, `b${made++}.parquet`);
    await asked("ci", db, "--save", file);
    const next = { model: "small-2", dataset: "d", rows: 18, more: "trials: 2," };
    const text =
      "model m → small-2; 2 rows removed; scores: exact_match new, correct gone; trials a row 1 → 2";
    const ran = await run(db, moduleOf({ ...next, scorers: "ok: () => true, exact_match: () => true" }));
    expect(ran.stdout).toContain(`\nchanged: ${text}\n`);
    expect((await asked("compare", db, "--format", "table")).stdout).toContain(`\nchanged: ${text}\n`);
    const markdown = await asked("compare", db, "--format", "markdown");
    expect(markdown.stdout).toContain("\n- Changed: model m → small-2; 2 rows removed;");
    const history = JSON.parse((await asked("history", db, "--format", "json")).stdout) as {
      readonly entries: readonly { readonly changes: { readonly text: string } | null }[];
    };
    expect(history.entries.map(({ changes }) => changes?.text ?? null)).toEqual([null, text]);
    const told = await asked("ci", db, "--baseline", file, "--format", "json");
    expect(JSON.parse(told.stdout)).toMatchObject({ evaluations: [{ changes: { text } }] });
    expect((await asked("ci", db, "--baseline", file)).stdout).toContain("\n- Changed: model m → small-2;");
    const out = join(folder, `r${made++}.html`);
    await asked("report", db, "--out", out);
    const html = readFileSync(out, "utf8");
    expect(html).toContain(`<bdi>${text}</bdi>`);
    expect(html).toContain(`title="Changed: ${text}"`);
  });
});
