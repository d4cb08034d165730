import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { call, complaint, PROJECT, temporaryFolder, TRIAL, type Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

/** 80 rows with a judge that is wrong on one in eight; people looked at the first 40. */
function run(id: string, passes: (row: number) => boolean): object[] {
  return [
    call(id, "Evaluation.evaluate", { display_name: `the ${id}` }),
    ...Array.from({ length: 80 }, (_, i) => {
      const human = passes(i);
      const ok = i % 8 === 0 ? !human : human;
      const scores = { ...(i < 40 ? { human } : {}), judge: { ok }, blind: i % 2 === 0 };
      const output = { output: "", scores };
      return call(`${id}-${i}`, TRIAL, { parent_id: id, inputs: { example: { i } }, output });
    }),
  ];
}

const database = join(folder, "qa.duckdb");

beforeAll(async () => {
  const engine = await openEngine({ path: database });
  await engine.ingestCalls([...run("old", (i) => i % 3 === 0), ...run("new", (i) => i % 3 !== 1)]);
  await engine.close();
});

function compare(...args: readonly string[]): Promise<Ended> {
  const names = ["--db", database, "--project", PROJECT, "--baseline", "old", "--candidate", "new"];
  return evalcubeHere(["compare", ...names, "--format", "table", ...args]);
}

describe("compare --corrected-by", () => {
  const corrected = ["--scorer", "judge.ok", "--corrected-by", "human"];

  it("compares by the judge as corrected with the labels, and says how many rows have them", async () => {
    const { status, stdout, stderr } = await compare(...corrected);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^the new is better than the old in judge\.ok\.$/m);
    expect(stderr).toContain(
      `note: "the new": corrected by human, which has labels on both sides on 40 of 80 shared rows, in judge.ok\n`,
    );
    const json = JSON.parse((await compare(...corrected, "--format", "json")).stdout);
    expect(json.comparisons).toMatchObject([
      {
        method: "ppi",
        verdict: "improved",
        correction: { human: "human", n_labelled: 40, n_unlabelled: 40 },
      },
    ]);
  });

  it("stops where the lower limit of the kappa of a compared judge is below a gate", async () => {
    const good = await compare(...corrected, "--fail-on", "judge<0.5", "regressed", "--format", "json");
    expect(good).toMatchObject({ status: 0 });
    const met = await compare(...corrected, "--fail-on", "judge<0.9", "--format", "markdown");
    expect(met.status).toBe(3);
    expect(met.stdout).toMatch(/^\*\*Failed: 1 of 1 gate is met\./);
    expect(met.stderr).toMatch(
      /^evalcube: judge<0\.9: judge\.ok has a kappa of 0\.7\d+ with human, at least 0\.\d+ \(95% interval, 80 trials on 40 rows\)\n$/,
    );
    const all = await compare("--corrected-by", "human", "--fail-on", "judge<0.5", "--format", "json");
    expect(all.status).toBe(3);
    expect(all.stderr).toMatch(/^evalcube: judge<0\.5: blind has a kappa of [^\n]*\n$/m);
  });

  it.each<[readonly string[], RegExp]>([
    [["--corrected-by", "people"], /^--corrected-by: there is no score "people"/],
    [["--corrected-by", "human", "--cluster-by", "inputs.i"], /^--cluster-by: .*corrected_by/],
    [["--fail-on", "judge<0.6"], /^--fail-on: judge needs compare with --corrected-by/],
  ])("refuses %j by the flag", async (args, reason) => {
    const { status, stderr } = await compare(...args);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toMatch(reason);
  });
});
