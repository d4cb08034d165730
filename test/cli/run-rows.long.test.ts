import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { complaint, PROJECT, put, temporaryFolder } from "./command.ts";
import type { Ended } from "./command.ts";
import { Interrupted } from "../../src/cli/terminal/interrupt.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
let count = 0;

interface Made {
  /** Names of its evaluations, each of a model of its own. */
  readonly names?: readonly string[];
  readonly rows?: string;
  readonly more?: string;
}

/** A module whose tasks and scorers note what they were asked, and do what the variables of the environment say. */
function suite({ names = ["small"], rows, more = "" }: Made = {}) {
  const at = count++;
  const [log, db] = [join(folder, `asked-${at}`), join(folder, `db-${at}.duckdb`)];
  const data =
    rows ??
    `Array.from({ length: 12 }, (_, n) => ({ n, topic: ["refunds", "billing", "returns"][n % 3], "a.b": n % 2 }))`;
  const file = put(
    folder,
    `suite-${at}.mjs`,
    `import { appendFileSync } from "node:fs";
    const asked = (text) => appendFileSync(${JSON.stringify(log)}, text + "\\n");
    const flag = (name) => process.env[name + "_${at}"];
    const of = (name) => ({ name, model: (flag("MODEL") ?? name) + "-model", data: ${data},
      task: async (row, { trial }) => {
        asked([name, "task", row.n, trial].join(" "));
        if (row.n === Number(flag("FAIL") ?? -1)) throw new Error("no luck");
        if (row.n === Number(flag("STOP") ?? -1)) process.emit("stop-${at}");
        await new Promise((resolve) => setImmediate(resolve));
        return row.n;
      },
      scorers: { ok: ({ row, trial }) => {
        if (flag("JUDGE") === "broken" && row.n % 4 === 0) throw new Error("no judge");
        if (flag("JUDGE") === "again") asked([name, "ok", row.n, trial].join(" "));
        return row.n % 2 === 0;
      } }, ${more} });
    export default ${JSON.stringify(names)}.map(of);\n`,
  );
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[`${name}_${at}`];
    else process.env[`${name}_${at}`] = value;
  };
  return {
    at,
    file,
    db,
    set,
    /** What was asked since the last call. */
    asked: (() => {
      let seen = 0;
      return () => {
        const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
        return lines.slice(seen, (seen = lines.length)).toSorted();
      };
    })(),
    run: (...args: readonly string[]): Promise<Ended> => {
      const stop = new AbortController();
      const end = () => stop.abort(new Interrupted(130));
      process.once(`stop-${at}` as "exit", end);
      const line = ["run", file, "--db", db, "--project", PROJECT, ...args];
      return evalcubeHere(line, "", {}, stop.signal).finally(() => process.off(`stop-${at}`, end));
    },
    read: async <T>(work: (engine: Engine) => Promise<T>): Promise<T> => {
      const engine = await openEngine({ path: db });
      try {
        return await work(engine);
      } finally {
        await engine.close();
      }
    },
  };
}

function list(engine: Engine) {
  return engine.listEvaluations(PROJECT);
}

describe("the rows and trials of a run", () => {
  it("are those that flags say, whatever the module says", async () => {
    const { run, asked } = suite({ more: "trials: 3, maxConcurrency: 7" });
    await run("--limit", "2", "--trials", "2", "--concurrency", "1");
    expect(asked()).toEqual([0, 1].flatMap((n) => [0, 1].map((trial) => `small task ${n} ${trial}`)));
    await run("--filter", "inputs.topic = refunds", "--filter", "inputs.n > 3", "--trials", "1");
    expect(asked()).toEqual(["small task 6 0", "small task 9 0"]);
    await run(
      "--filter",
      'inputs.topic in ["billing", "returns"]',
      "--filter",
      "inputs.a\\.b = 1",
      "--limit",
      "2",
      "--trials",
      "1",
    );
    expect(asked()).toEqual(["small task 1 0", "small task 5 0"]);
  });

  it("are read once and not whole where so many are enough, of any iterable", async () => {
    const { run, asked } = suite({
      rows: `function* () { for (let n = 0; ; n++) { if (n > 3) throw new Error("read on"); yield { n }; } }`,
    });
    expect((await run("--limit", "3")).status).toBe(0);
    expect(asked()).toHaveLength(3);
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      "a value is misspelt",
      ["inputs.topic = refund"],
      /no row of small passes inputs\.topic = refund; did you mean "refunds"\? inputs\.topic has "refunds", "billing", "returns"$/,
    ],
    ["none has the value", ["inputs.n > 99"], /inputs\.n has 0, 1, 2, 3, 4, 7 more$/],
    ["a field is misspelt", ["inputs.topci = refunds"], /inputs\.topci.*inputs\.topic/],
    [
      "no row passes all",
      ["inputs.n = 1", "inputs.topic = refunds"],
      /passes inputs\.n = 1 and inputs\.topic = refunds/,
    ],
    ["it is of a score", ["scores.ok = true"], /name inputs\.<path> instead of scores\.ok/],
    ["the head is misspelt", ["input.topic = refunds"], /inputs\.topic/],
    ["there is no operator", ["inputs.topic"], /FIELD OP VALUE/],
  ])("are none where %s: nothing runs, and the near values are told", async (_, filters, message) => {
    const { run, db, asked } = suite();
    const { status, stdout, stderr } = await run(...filters.flatMap((one) => ["--filter", one]));
    expect([status, stdout, asked()]).toEqual([2, "", []]);
    expect(complaint(stderr).reason).toMatch(message);
    expect(existsSync(db)).toBe(false);
  });

  it.each([
    ["--trials", "0"],
    ["--trials", "1001"],
    ["--concurrency", "1001"],
    ["--concurrency", "1.5"],
    ["--limit", "0"],
    ["--retries", "11"],
    ["--retries", "-1"],
  ])("are refused: %s %s", async (flag, value) => {
    const { run, asked } = suite();
    const { status, stderr } = await run(flag, value);
    expect([status, asked()]).toEqual([2, []]);
    expect(complaint(stderr).reason).toMatch(/whole number from \d+ to \d+/);
  });
});

describe("a run of part of the rows", () => {
  it("says so, is not what a run is compared with, and is in no history unless it is named", async () => {
    const { run, read, db } = suite();
    await run();
    await run("--limit", "4");
    const third = await run("--format", "json");
    const all = await read(list);
    expect(all.map(({ attributes }) => (attributes as { partial?: unknown }).partial)).toEqual([
      undefined,
      { limit: 4 },
      undefined,
    ]);
    const { comparison } = JSON.parse(third.stdout) as { comparison: { baseline: string } };
    expect(JSON.stringify(comparison)).toContain(all[0]?.id);
    expect(JSON.stringify(comparison)).not.toContain(all[1]?.id);
    const told = await read((engine) => engine.history(PROJECT, { name: "small" }));
    expect(told.entries.map((one) => one.evaluation_call_id)).toEqual([all[0]?.id, all[2]?.id]);
    const named = await read((engine) => engine.history(PROJECT, { name: all[1]?.id ?? "" }));
    expect(named.entries).toHaveLength(3);
    const named2 = await run("--baseline", all[1]?.id ?? "");
    expect(named2).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining("no earlier run") as string,
    });
    await run("--filter", "inputs.n < 4");
    const saved = await evalcubeHere([
      "ci",
      "--db",
      db,
      "--project",
      PROJECT,
      "--candidate",
      "latest~1",
      "--baseline",
      "branch:none",
    ]);
    expect(saved.status).toBe(4);
  });

  it("is the baseline of no other commit by itself, and is one where it is named", async () => {
    const { run, read, db } = suite();
    await run("--limit", "4", "--no-git");
    await run("--no-git");
    const [part] = await read(list);
    const ci = (...args: readonly string[]) =>
      evalcubeHere(["ci", "--db", db, "--project", PROJECT, "--format", "json", ...args]);
    expect((await ci()).status).toBe(4);
    expect((await ci("--baseline", part?.id ?? "")).stdout).toContain("small");
  });
});

describe("--resume", () => {
  it("goes on with what a signal ended: what is stored stays, and the way on is said", async () => {
    const { run, read, set, asked, file, db } = suite();
    set("STOP", "5");
    const ended = await run("--concurrency", "1", "--retries", "1", "--filter", "inputs.n < 10", "--no-git");
    set("STOP", undefined);
    const way = `evalcube run ${file} --db ${db} --project ${PROJECT} --concurrency 1 --filter 'inputs.n < 10' --retries 1 --no-git --resume`;
    expect([ended.status, ended.stderr]).toEqual([
      130,
      expect.stringContaining(`small: cancelled; 6 of 10 trials stored. Go on with: ${way}\n`) as string,
    ]);
    const [stopped] = await read(list);
    expect(stopped).toMatchObject({ status: "cancelled", trial_count: 6 });
    expect(
      (await evalcubeHere(["evaluations", "--db", db, "--project", PROJECT, "--format", "table"])).stdout,
    ).toMatch(/cancelled +6/);
    asked();
    const again = await run("--resume", "--filter", "inputs.n < 10");
    expect(again).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("10 trials, 0 in error, 0 scores failed, 6 stored before") as string,
    });
    expect(asked()).toEqual([6, 7, 8, 9].map((n) => `small task ${n} 0`));
    const all = await read(list);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({
      id: stopped?.id,
      status: "finished",
      trial_count: 10,
      started_at: stopped?.started_at,
    });
  });

  it("asks for trials in error, and failed scorers alone, then says that there is nothing to do", async () => {
    const { run, set, asked } = suite();
    set("FAIL", "3");
    set("JUDGE", "broken");
    await run();
    asked();
    set("FAIL", undefined);
    set("JUDGE", "again");
    expect((await run("--resume")).status).toBe(0);
    expect(asked()).toEqual([
      "small ok 0 0",
      "small ok 3 0",
      "small ok 4 0",
      "small ok 8 0",
      "small task 3 0",
    ]);
    const { status, stderr, stdout } = await run("--resume");
    expect([status, asked()]).toEqual([0, []]);
    expect(stderr).toContain("small: complete, nothing to go on with\n");
    expect(stdout).toMatch(/small +ok +12 of 12/);
  });

  it("judges what is complete where gates are given", async () => {
    const { run } = suite();
    await run();
    await run();
    expect((await run("--resume", "--fail-on", "ok<90%")).status).toBe(3);
    expect((await run("--resume", "--fail-on", "ok<40%")).status).toBe(0);
  });

  it("makes the trials and rows that are missing, where more are asked for than the latest has", async () => {
    const { run, asked, read } = suite();
    await run("--limit", "2");
    asked();
    await run("--resume", "--limit", "2", "--trials", "2");
    expect(asked()).toEqual(["small task 0 1", "small task 1 1"]);
    await run("--resume");
    expect(asked()).toHaveLength(10);
    const [whole] = await read(list);
    expect(whole).toMatchObject({ trial_count: 14, status: "finished" });
    expect(Object.keys(whole?.attributes as object)).not.toContain("partial");
  });

  it("goes on with each evaluation of a module, begins what was not begun, and keeps the run", async () => {
    const { run, set, asked, read } = suite({ names: ["large", "small", "tiny"] });
    await run();
    const before = await read(list);
    asked();
    set("STOP", "7");
    const ended = await run("--concurrency", "1");
    expect(ended.stderr).toContain("large: cancelled; 8 of 12 trials stored.");
    set("STOP", undefined);
    asked();
    const again = await run("--resume", "--format", "json");
    expect(again.status).toBe(0);
    expect(asked().filter((one) => one.startsWith("large"))).toHaveLength(4);
    const after = await read(list);
    expect(after).toHaveLength(6);
    const runs = after.map(({ attributes }) => (attributes as { run: string }).run);
    expect(new Set(runs.slice(0, 3))).toEqual(
      new Set(before.map(({ attributes }) => (attributes as { run: string }).run)),
    );
    expect(new Set(runs.slice(3))).toEqual(new Set([(JSON.parse(again.stdout) as { run: string }).run]));
    expect(after.every(({ status, trial_count: trials }) => status === "finished" && trials === 12)).toBe(
      true,
    );
    const nothing = await run("--resume");
    expect(asked()).toEqual([]);
    expect(nothing.stderr.match(/complete, nothing to go on with/g)).toHaveLength(3);
  });

  it("begins where nothing is stored, and does not go on with another model", async () => {
    const { run, set, asked, file, db } = suite();
    expect((await run("--resume")).status).toBe(0);
    expect(asked()).toHaveLength(12);
    set("MODEL", "other");
    const other = put(folder, "other.mjs", readFileSync(file, "utf8"));
    const { status, stderr } = await evalcubeHere([
      "run",
      other,
      "--db",
      db,
      "--project",
      PROJECT,
      "--resume",
    ]);
    expect([status, asked()]).toEqual([2, []]);
    expect(complaint(stderr).reason).toBe(
      "--resume: small ran with the model small-model, and the module has other-model; run it without --resume",
    );
  });
});

it("the leaderboard has an evaluation that was cancelled as far as it came, and what goes on is one entry", async () => {
  const { run, set, db } = suite();
  await run();
  set("STOP", "6");
  await run("--concurrency", "1");
  set("STOP", undefined);
  const board = () => evalcubeHere(["leaderboard", "--db", db, "--project", PROJECT, "--format", "json"]);
  const rows = async () =>
    (JSON.parse((await board()).stdout) as { entries: { trial_count: number }[] }).entries.map(
      (one) => one.trial_count,
    );
  expect((await rows()).toSorted((a, b) => a - b)).toEqual([7, 12]);
  await run("--resume");
  expect(await rows()).toEqual([12, 12]);
});
