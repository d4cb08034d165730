import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { readSettings } from "../../src/runners/options.ts";
import { createRecorder } from "../../src/runners/recorder.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { builtProgram } from "../support/built-program.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";

const PROJECT = "acme/qa";

/** Stores a run of so many tests, of which all pass or fail. */
async function record(db: string, run: string, passes: boolean, project = PROJECT): Promise<void> {
  const recorder = createRecorder(readSettings({ db, project, run }, scratchFolder()), "a runner");
  for (let n = 0; n < 8; n++)
    recorder.add({ file: "sums.test.ts", name: "sums" }, () => ({
      row: { n },
      output: n,
      scores: { passed: passes },
      leftOut: 0,
    }));
  await recorder.end();
}

/** The same while another process has the database; gives the file that it went into. */
async function recordBusy(db: string, run: string, passes: boolean, project = PROJECT): Promise<string> {
  const other = await openEngine({ path: db, threads: 1 });
  await record(db, run, passes, project);
  await other.close();
  return `${db}.${run}.ndjson`;
}

/** A database whose latest run passed, and a later run beside it that failed. */
async function withKept() {
  const db = scratchPath();
  await record(db, "r1", true);
  return { db, file: await recordBusy(db, "r2", false) };
}

const command = (db: string, name: string, ...args: readonly string[]) =>
  evalcubeHere([name, "--db", db, "--project", PROJECT, ...args]);

const ci = (db: string, ...args: readonly string[]) =>
  command(db, "ci", "--baseline", "sums~1", "--fail-on", "regressed", ...args);

async function runsIn(db: string): Promise<string[]> {
  const engine = await openEngine({ path: db, threads: 1 });
  const list = await engine.listEvaluations(PROJECT);
  const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: list.map(({ id }) => id) });
  await engine.close();
  const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
  expect(trials).toHaveLength(list.reduce((sum, one) => sum + one.trial_count, 0));
  return list.map(({ attributes }) => String((attributes as { run?: unknown })["run"])).toSorted();
}

describe("a run that a runner kept beside a busy database", () => {
  it.each(["evaluations", "leaderboard"])("is loaded by %s once, which names its file", async (name) => {
    const { db, file } = await withKept();
    const first = await command(db, name);
    expect(first.stderr).toContain(`note: ${file}, which a runner kept, was loaded into ${db}\n`);
    expect(existsSync(file)).toBe(false);
    expect((await command(db, name)).stderr).not.toContain("kept");
    expect(await runsIn(db)).toEqual(["r1", "r2"]);
  });

  it("is one side of what compare shows", async () => {
    const { db, file } = await withKept();
    const { status, stdout, stderr } = await command(db, "compare", "--format", "json");
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining(`${file}, which a runner kept, was loaded`),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ comparisons: [{ verdict: "regressed", rows_regressed: 8 }] });
    expect(existsSync(file)).toBe(false);
  });

  it("is on the page that view shows", async () => {
    const { db, file } = await withKept();
    const stop = new AbortController();
    const viewed = evalcubeHere(
      ["view", "--db", db, "--project", PROJECT, "--port", "0"],
      "",
      {},
      stop.signal,
    );
    await expect.poll(() => existsSync(file)).toBe(false);
    stop.abort();
    expect((await viewed).stderr).toContain(`${file}, which a runner kept, was loaded`);
    expect(await runsIn(db)).toEqual(["r1", "r2"]);
  });

  it("is what ci judges", async () => {
    const { db } = await withKept();
    const { status, stdout } = await ci(db, "--format", "json");
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: "failed",
      judged: [{ label: expect.any(String) as string }],
    });
  });

  it("leaves ci undetermined as long as it cannot be loaded, and stays", async () => {
    const { db, file } = await withKept();
    const whole = readFileSync(file);
    const reader = await openEngine({ path: db, readOnly: true });
    // A reader in this process stands for one elsewhere: what opens the file for writing is refused.
    const busy = await ci(db, "--format", "json");
    await reader.close();
    expect(busy.status).toBe(4);
    expect(busy.stderr).toContain(file);
    expect(JSON.parse(busy.stdout)).toMatchObject({
      verdict: "not-comparable",
      not_comparable: [{ reason: "not-loaded", text: expect.stringContaining(file) as string }],
    });
    expect(readFileSync(file)).toEqual(whole);
    expect((await ci(db)).status).toBe(3);
  });

  it("does so where the database cannot be opened at all, and where a baseline is to be saved", async () => {
    const { db, file } = await withKept();
    const writer = await openEngine({ path: db });
    expect((await ci(db)).status).toBe(4);
    const saved = path.join(path.dirname(db), "b.parquet");
    const { status, stderr } = await command(db, "ci", "--save", saved);
    expect([status, existsSync(saved)]).toEqual([4, false]);
    expect(stderr).toContain(file);
    await writer.close();
  });

  it.each([
    ["cut in a line", (text: string) => text.slice(0, -30)],
    ["cut behind a line", (text: string) => `${text.split("\n").slice(0, -2).join("\n")}\n`],
    ["cut in its first line", (text: string) => text.slice(0, 20)],
    ["empty", () => ""],
    ["damaged in the middle", (text: string) => text.replace('"sums"', '"sums')],
  ])("leaves ci undetermined where it is %s, and nothing of it is stored", async (_what, damage) => {
    const { db, file } = await withKept();
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    const { status, stderr } = await ci(db);
    expect(status).toBe(4);
    expect(stderr).toContain(file);
    expect(existsSync(file)).toBe(true);
    expect(await runsIn(db)).toEqual(["r1"]);
  });

  it("is stored once where its file comes back, as after a kill behind the commit, and by two at once", async () => {
    const { db, file } = await withKept();
    const copy = scratchPath("copy");
    copyFileSync(file, copy);
    await Promise.all([command(db, "evaluations"), command(db, "evaluations")]);
    copyFileSync(copy, file);
    await command(db, "evaluations");
    expect(existsSync(file)).toBe(false);
    expect(await runsIn(db)).toEqual(["r1", "r2"]);
  });

  it("comes before what the same run adds", async () => {
    const { db, file } = await withKept();
    await record(db, "r2", true);
    expect(existsSync(file)).toBe(false);
    const { stdout } = await ci(db, "--format", "json");
    // What is stored without error stays as it is.
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "failed" });
  });

  it("keeps a second file where the first is still there", async () => {
    const { db } = await withKept();
    await recordBusy(db, "r2", false);
    const names = readdirSync(path.dirname(db)).filter((name) => name.endsWith(".ndjson"));
    expect(names.toSorted()).toEqual(["evals.duckdb.r2.2.ndjson", "evals.duckdb.r2.ndjson"]);
    await command(db, "evaluations");
    expect(readdirSync(path.dirname(db)).filter((name) => name.includes("ndjson"))).toEqual([]);
    expect(await runsIn(db)).toEqual(["r1", "r2"]);
  });
});

it("files of another database, of another project and of people are left alone, or are no reason to judge nothing", async () => {
  const { db } = await withKept();
  await command(db, "evaluations");
  const folder = path.dirname(db);
  const other = path.join(folder, "evals.duckdb.x");
  const ofOther = await recordBusy(other, "r9", false);
  const mine = path.join(folder, "evals.duckdb.mine.ndjson");
  writeFileSync(
    mine,
    '{"id":"a","project_id":"acme/qa","op_name":"step","started_at":"2026-01-01T00:00:00Z"}\n',
  );
  const ofProject = await recordBusy(db, "r3", false, "acme/other");
  const reader = await openEngine({ path: db, readOnly: true });
  expect((await ci(db)).status).toBe(3);
  await reader.close();
  expect([ofOther, mine, ofProject].map((file) => existsSync(file))).toEqual([true, true, true]);
  await command(db, "evaluations");
  expect([ofOther, mine, ofProject].map((file) => existsSync(file))).toEqual([true, true, false]);
});

it("a file that a runner still writes is not loaded; what a killed one wrote is, without a torn trial", async () => {
  const db = scratchPath();
  await record(db, "r0", true);
  const other = await openEngine({ path: db, threads: 1 });
  const child = spawn(process.execPath, [builtProgram("children/running-evals"), db, "1000000"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await other.close();
  });
  const parts = () => readdirSync(path.dirname(db)).filter((name) => name.endsWith(".part"));
  const written = () => parts().map((name) => statSync(path.join(path.dirname(db), name)).size);
  child.stdout.resume();
  // On a machine that is busy, a runner takes long to find that the database is.
  await expect
    .poll(() => (child.exitCode === null ? (written()[0] ?? 0) : Infinity), { timeout: 240_000 })
    .toBeGreaterThan(100_000);
  expect([child.exitCode, parts().length]).toEqual([null, 1]);
  await other.close();
  const during = await command(db, "ci");
  expect(during.status).toBe(4);
  expect(during.stderr).toContain("a runner still writes it");
  child.kill("SIGKILL");
  await once(child, "exit");
  const after = await command(db, "evaluations", "--format", "json");
  expect(after.stderr).toContain(`${db}.r1.ndjson, which a runner kept, was loaded`);
  expect(readdirSync(path.dirname(db)).filter((name) => name.includes("ndjson"))).toEqual([]);
  const engine = await openEngine({ path: db, threads: 1 });
  const [latest] = (await engine.listEvaluations(PROJECT)).toReversed();
  const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: [latest?.id ?? ""] });
  await engine.close();
  expect(latest?.status).toBe("running");
  const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
  expect(trials.length).toBeGreaterThan(0);
  expect(trials.filter(({ scores }) => scores["right"] !== 1 || scores["kind"] !== 0.5)).toEqual([]);
}, 300_000);
