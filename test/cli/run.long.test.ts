import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { complaint, evalcube, PROJECT, put, temporaryFolder } from "./command.ts";
import type { Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const database = ["--db", join(folder, "runs.duckdb")];

/** A module in TypeScript that an editor would check. */
function moduleOf(name: string, good: number, more = "", unless = ""): string {
  return put(
    folder,
    `${name}.eval.ts`,
    `import type { EvaluateOptions } from "evalcube";
    enum Share { Good = ${good} }
    const rows = Array.from({ length: 20 }, (_, n) => ({ n }));
    const evaluation: EvaluateOptions<{ n: number }, number> = {
      name: "${name}",
      id: "${name}",
      model: "bot:${name}",
      data: rows,
      task: async ({ n }) => { ${more} return n; },
      scorers: { correct: ({ output }) => ${unless}output < (Share.Good as number) },
    };
    export default evaluation;\n`,
  );
}

/** A module whose scorer gives four of 20 rows no verdict. */
function mute(name: string): string {
  return moduleOf(name, 15, "", "output > 15 ? null : ");
}

const GOOD_MODULE = "export default { name: 'x', model: 'm', data: [], task: () => 1, scorers: {} };";

function run(file: string, ...args: readonly string[]): Promise<Ended> {
  return evalcubeHere(["run", file, ...database, ...args]);
}

function moved(file: string, rows: string): string {
  const text = `export default { name: "moved", model: "m", data: ${rows}, task: (row) => row, scorers: { ok: () => true } };\n`;
  return put(folder, file, text);
}

describe("run", () => {
  it("runs the evaluation of a module, and prints its summary with intervals", async () => {
    const ended = await run(moduleOf("base", 15), "--project", PROJECT);
    expect(ended.stderr).toBe(
      "base: 20 trials, 0 in error, 0 scores failed\nbase: no earlier run to compare with\n",
    );
    expect(ended.status).toBe(0);
    expect(ended.stdout).toMatch(/^Summary of 20 rows\n[^]*base +correct +20 of 20 .*75\.0% ± \d/);
  });

  it("compares with another, in the only project of the database, and ends as compare does", async () => {
    const worse = await run(moduleOf("worse", 3), "--compare", "base", "--fail-on", "regressed");
    expect(worse.status).toBe(3);
    expect(worse.stdout).toMatch(
      /\nworse is worse than base in correct\.\n {2}▼ 15\.0% against 75\.0%: −60\.0/,
    );
    expect(worse.stderr).toContain("regressed");
    const same = await run(moduleOf("same", 15), "--compare", "base", "--fail-on", "regressed");
    expect(same.status).toBe(0);
  });

  it("asks for equivalence within a margin, and for the margin before anything runs", async () => {
    const gates = ["--compare", "base", "--fail-on", "not-shown-as-good"];
    const worse = await run(moduleOf("within", 14), ...gates, "--margin", "0.1");
    expect(worse.status).toBe(3);
    expect(worse.stderr).toContain("not-shown-as-good: within is not shown to be as good in correct");
    const same = await run(moduleOf("alike", 14), ...gates, "--margin", "0.3");
    expect([same.status, same.stderr]).toEqual([0, expect.any(String)]);
    for (const [flags, why] of [
      [[], "needs --margin"],
      [["--margin", "0"], "--margin: a margin is above 0, not 0"],
    ] as const) {
      const { status, stderr, stdout } = await run(moduleOf("never", 15), ...gates, ...flags);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(why);
    }
  });

  it("counts failed trials in its summary and its gates where it is told to", async () => {
    const broken = moduleOf("broken", 15, "if (n > 15) throw new Error('503');");
    const gate = ["--compare", "base", "--fail-on", "correct<0.9"];
    const { status, stdout } = await run(broken, ...gate, "--count-errors-as", "correct=1");
    expect(status).toBe(0);
    expect(stdout).toMatch(/broken +correct +20 of 20 .*95\.0%/);
    expect(stdout.match(/"broken", correct: errors count as 1 \(4 of 20\)/g)).toHaveLength(2);
    expect(
      (
        await run(
          moduleOf("lacking", 13, "if (n > 15) throw new Error('503');"),
          ...gate,
          "--count-errors-as",
          "0",
        )
      ).status,
    ).toBe(3);
  });

  it("counts trials without a verdict in its summary and its gates where it is told to", async () => {
    const gate = ["--compare", "base", "--fail-on", "correct<0.9"];
    const plain = await run(mute("mute"), ...gate);
    expect(plain.status).toBe(0);
    expect(plain.stderr).toMatch(/between 75% and 95% if the 4 trials without a verdict are counted/);
    const { status, stdout } = await run(mute("silent"), ...gate, "--count-nulls-as", "correct=0");
    expect(status).toBe(3);
    expect(stdout).toContain('"silent", correct: no verdict counts as 0 (4 of 20)');
  });

  it("compares with the latest before this run", async () => {
    const { status, stdout } = await run(moduleOf("newest", 15), "--compare", "latest");
    expect(status).toBe(0);
    expect(stdout).toMatch(/newest +correct +20 /);
  });

  it.each([
    [["--compare", "bsae"], '--baseline: evaluation "bsae" is not in this project'],
    [["--compare", "base", "--fail-on", "regresed"], 'there is no gate "regresed"'],
  ])("runs nothing where it could not compare: %j", async (args, reason) => {
    const { status, stdout, stderr } = await run(moduleOf("costly", 15), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toContain(reason);
  });

  it("runs several of one module, in JavaScript too, with errors as data", async () => {
    const file = put(
      folder,
      "two.mjs",
      `const of = (name) => ({ name, model: name, data: [1, 2, 3], scorers: { ok: ({ row }) => { if (row === 1) throw new Error("x"); return true; } },
        task: (row) => { if (row === 2) throw new Error("no"); return row; } });
      export default [of("one"), of("two")];\n`,
    );
    const { status, stderr } = await run(file);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^one: 3 trials, 1 in error, 1 score failed\none: 1 of 3 trials in error\n {2}1 × Error: no\n {2}1 × ok: Error: x\ntwo: /,
    );
    expect((await run(file, "--name", "x")).stderr).toContain("--name is for one evaluation; the file has 2");
  });

  it("fails where every score of an evaluation failed, since nothing was measured", async () => {
    const file = put(
      folder,
      "blind.mjs",
      `export default { name: "blind", model: "m", data: [1, 2], task: (row) => row,
        scorers: { ok: () => { throw new Error("x"); }, near: () => { throw new Error("y"); } } };\n`,
    );
    const { status, stderr } = await run(file, "--fail-on", "regressed");
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /evalcube: regressed: not judged, blind has no earlier run\nevalcube: blind: 2 trials and no score\n$/,
    );
  });

  it("says that nothing is shared with the run before, which only gates make a failure", async () => {
    expect((await run(moved("moved-1.mjs", "[1, 2]"))).status).toBe(0);
    const { status, stderr } = await run(moved("moved-2.mjs", "[3, 4]"));
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /not compared with the run before: "moved \(.*\)" shares no row with the baseline/,
    );
    expect((await run(moved("moved-3.mjs", "[5, 6]"), "--fail-on", "regressed")).status).toBe(2);
  });

  it("tells a module that is no JavaScript by its name", async () => {
    const file = put(folder, "cut.mjs", "export default {\n");
    const { status, stderr } = await evalcube(["run", file, ...database, "--project", PROJECT], folder);
    expect([status, stderr]).toEqual([
      1,
      `evalcube: cannot load ${file}: Unexpected end of input; node --check ${file} shows where\n`,
    ]);
  });

  it("names it as told, and goes on with it", async () => {
    const file = moduleOf("again", 5, `if (process.env["TASKS_FAIL"] === "1") throw new Error("no");`);
    process.env["TASKS_FAIL"] = "1";
    const failed = await run(file, "--name", "renamed");
    delete process.env["TASKS_FAIL"];
    expect(failed.status).toBe(1);
    expect(failed.stderr).toBe(
      [
        "renamed: 20 trials, 20 in error, 0 scores failed",
        "renamed: 20 of 20 trials in error",
        "  20 × Error: no",
        "renamed: no earlier run to compare with",
        "evalcube: renamed: 20 of 20 trials failed\n",
      ].join("\n"),
    );
    expect(await run(file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("resume: true") as string,
    });
    const engine = await openEngine({ path: join(folder, "runs.duckdb") });
    const listed = await engine.listEvaluations(PROJECT);
    await engine.close();
    expect(listed.find(({ id }) => id === "again")).toMatchObject({
      display_name: "renamed",
      trial_count: 20,
    });
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ["gone.eval.ts", [], 1, /cannot read .*gone\.eval\.ts: no such file/],
    [
      put(folder, "none.ts", "export const a: number = 1;\n"),
      [],
      2,
      /has no evaluation as its default export/,
    ],
    [put(folder, "bad.ts", "export default { name: 'x' };\n"), [], 2, /model/],
    [
      put(folder, "ok.ts", "export default {};\n"),
      ["--fail-on", "regressed", "--baseline", "none"],
      2,
      /--fail-on regressed needs a baseline/,
    ],
  ])("ends with the reason: %s", async (file, args, status, reason) => {
    const ended = await run(file, ...args);
    expect(ended.status).toBe(status);
    expect(status === 2 ? complaint(ended.stderr).reason : ended.stderr).toMatch(reason);
  });

  it.each<[string, string, readonly string[], string]>([
    [
      "an option is misspelt",
      "export default { name: 'x', modle: 'm' };",
      ["--project", PROJECT],
      "modle is no member of an evaluation; did you mean model?",
    ],
    [
      "the second of two is wrong",
      `const good = { name: "good", model: "m", data: [1], task: () => { throw new Error("ran"); }, scorers: {} };
      export default [good, { ...good, trials: 0 }];`,
      ["--project", PROJECT],
      "[1].trials: ",
    ],
    [
      "a scorer has no name",
      "export default { name: 'x', model: 'm', data: [], task: () => 1, scorers: { '': () => 1 } };",
      ["--project", PROJECT],
      "scorers",
    ],
    ["no project is named", GOOD_MODULE, [], "name one with --project"],
    [
      "there is nothing to compare with",
      GOOD_MODULE,
      ["--project", PROJECT, "--compare", "base"],
      '--baseline: evaluation "base" is not in this project',
    ],
  ])("runs nothing, and makes no database, where %s", async (_, text, args, reason) => {
    // A file of its own: a process imports a module once.
    const file = put(folder, `refused ${reason.length}.ts`, text);
    const db = join(folder, "new.duckdb");
    const { status, stderr } = await evalcubeHere(["run", file, "--db", db, ...args]);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toContain(reason);
    expect(existsSync(db)).toBe(false);
  });

  it("runs nothing where the second of two has a model that cannot be named", async () => {
    const file = put(
      folder,
      "unnamed.ts",
      `const good = { name: "good", model: "m", data: [1], task: () => { throw new Error("ran"); }, scorers: {} };
      export default [good, { ...good, model: "bot:a/b" }];`,
    );
    const db = join(folder, "unnamed.duckdb");
    const { status, stderr } = await evalcubeHere(["run", file, "--db", db, "--project", PROJECT]);
    expect([status, stderr]).toEqual([
      1,
      'evalcube: model.version: "a/b" has "/", which a name cannot have\n',
    ]);
    expect(existsSync(db)).toBe(false);
  });
});
