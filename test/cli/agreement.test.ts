import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { call, complaint, PROJECT, put, temporaryFolder, TRIAL, type Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

function run(id: string, name: string): object[] {
  return [
    call(id, "Evaluation.evaluate", { display_name: name }),
    ...Array.from({ length: 40 }, (_, i) =>
      call(`${id}-${i}`, TRIAL, {
        parent_id: id,
        inputs: { example: { i } },
        output: { output: "", scores: { human: i % 2 === 0, judge: { ok: i % 2 === 0 || i < 8 } } },
      }),
    ),
  ];
}

const database = join(folder, "qa.duckdb");

beforeAll(async () => {
  const engine = await openEngine({ path: database });
  await engine.ingestCalls([
    ...run("one", "the one"),
    ...run("two", "the two"),
    ...run("three", "the three"),
  ]);
  await engine.close();
});

function command(name: string, args: readonly string[], screen = {}): Promise<Ended> {
  return evalcubeHere([name, "--db", database, "--project", PROJECT, ...args], "", screen);
}

describe("agreement", () => {
  const judged = ["--evaluation", "the one", "--a", "human", "--b", "judge.ok"];

  it("prints the measures with their intervals and the confusion matrix", async () => {
    const { status, stdout } = await command("agreement", [...judged, "--format", "table"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^human against judge\.ok: 40 trials with both, on 40 rows; 0 with human only, 0 /,
    );
    expect(stdout).toMatch(/^measure +value +95% interval$/m);
    expect(stdout).toMatch(/^agreement +0\.9000 +0\.8000 to 0\.9750$/m);
    expect(stdout).toMatch(/^Cohen's kappa +0\.8000 +0\.\d+ to 0\.\d+$/m);
    expect(stdout).toMatch(/^recall +1\.00 +–$/m);
    expect(stdout).toMatch(/^human \\ judge\.ok +false +true$/m);
    expect(stdout).toMatch(/^false +16 +4\n/m);
  });

  it("takes the request from a file, with filters of flags", async () => {
    const request = put(
      folder,
      "agreement.json",
      JSON.stringify({ evaluations: ["latest"], a: "human", b: "judge.ok" }),
    );
    const { stdout } = await command("agreement", [request, "--filter", "inputs.i < 10", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ n_both: 10, raw_agreement: 0.6, confidence: 0.95 });
  });

  it("ends with status 3 where the lower limit of kappa is below a gate, and prints the measures all the same", async () => {
    const met = await command("agreement", [...judged, "--format", "table", "--fail-on", "judge<0.7"]);
    expect(met.status).toBe(3);
    expect(met.stdout).toMatch(/^Cohen's kappa +0\.8000 /m);
    expect(met.stderr).toMatch(
      /^evalcube: judge<0\.7: judge\.ok has a kappa of 0\.8 with human, at least 0\.\d+ \(95% interval, 40 trials on 40 rows\)\n$/,
    );
    const passed = await command("agreement", [...judged, "--fail-on", "judge<0.5", "--format", "json"]);
    expect(passed).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(passed.stdout).cohen_kappa_interval[0]).toBeGreaterThan(0.5);
  });

  it("ends with status 3 where the judge has no certificate, and says what would do", async () => {
    const asked = [...judged, "--at-least", "0.7", "--format", "table", "--fail-on", "judge-not-certified"];
    const { status, stdout, stderr } = await command("agreement", asked);
    expect(status).toBe(3);
    const says =
      "finds 100.0% of 20 true labels, at least 83.2%, and 80.0% of 20 false labels, at least 56.3%; about 155 labels would do (asked: 70.0%)";
    expect(stdout).toContain(`judge.ok is not certified: it ${says}.`);
    expect(stderr).toBe(`evalcube: judge-not-certified: judge.ok against human ${says}\n`);
    const passed = await command("agreement", [
      ...judged,
      "--at-least",
      "0.5",
      "--fail-on",
      "judge-not-certified",
    ]);
    expect(passed).toMatchObject({ status: 0, stderr: "" });
  });

  it("tells how far raters agree, and where they differ", async () => {
    const asked = ["--evaluation", "the one", "--raters", "human", "judge.ok", "--format", "table"];
    const { status, stdout } = await command("agreement", asked);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^80 ratings of 40 trials with two or more\.$/m);
    expect(stdout).toMatch(/^agreement +90\.0%$/m);
    expect(stdout).toMatch(/^human +judge\.ok +40 +90\.0% +0\.8000 /m);
    expect(stdout).toMatch(/ one-\d +human: false, judge\.ok: true/m);
  });

  it("ends with status 3 where kappa does not exist, since nothing shows that the judge is good", async () => {
    const alike = [...judged, "--filter", "inputs.i = 0", "--fail-on", "judge<0"];
    const { status, stderr } = await command("agreement", [...alike, "--format", "table"]);
    expect(status).toBe(3);
    expect(stderr).toContain("judge<0: judge.ok has no kappa with human, without a lower limit");
  });

  it.each<[readonly string[], RegExp]>([
    [[...judged, "--fail-on", "regressed"], /^--fail-on: agreement has the gates judge<N/],
    [
      [...judged, "--fail-on", "judge-not-certified"],
      /^--fail-on: judge-not-certified needs a share: --at-least 0.8$/,
    ],
    [
      ["--evaluation", "one", "--raters", "human", "judge.ok", "--fail-on", "judge<0.5"],
      /^--fail-on: gates are on a judge in b; raters have none$/,
    ],
    [[...judged, "--fail-on", "judge<60%"], /^--fail-on: judge is the kappa .* write judge<0\.6/],
    [[...judged, "--fail-on", "judge>0.6"], /^--fail-on: judge is the kappa/],
    [[...judged, "--fail-on", "judge<1.5"], /^--fail-on: judge is the kappa .* from -1 to 1/],
    [["--a", "human", "--b", "judge.ok"], /^name the evaluations: --evaluation latest$/],
    [[...judged, "--confidence", "most"], /--confidence.*'most'.*It takes a number/],
    [[...judged.slice(0, -1), "judge.okay"], /^--b: /],
  ])("refuses %j by the flag", async (args, reason) => {
    const { status, stderr } = await command("agreement", args);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toMatch(reason);
  });
});

describe("explain", () => {
  it("prints the plan and each statement with its values", async () => {
    const { status, stdout } = await command("explain", [
      "--evaluation",
      "the one",
      "--sort",
      "scores.human",
    ]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^-- plan \{"projectId":"acme\/qa",/);
    expect(stdout).toContain('\n\n-- project\n-- $1 VARCHAR "acme/qa"\nSELECT project_key FROM projects');
    expect(stdout).toMatch(/\n\n-- page\n/);
  });

  it("prints what the engine explains as JSON", async () => {
    const { stdout } = await command("explain", ["--format", "json", "--evaluation", "one"]);
    const engine = await openEngine({ path: database, readOnly: true });
    const explanation = await engine.explain(PROJECT, { evaluation_call_ids: ["one"] });
    await engine.close();
    expect(JSON.parse(stdout)).toEqual(explanation);
  });
});

describe("delete", () => {
  it("needs --yes on a terminal, and says there what it would hide", async () => {
    const refused = await command("delete", ["the two"], { isTTY: true });
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain("this hides the two with 40 trials for good; add --yes");
    const list = await command("evaluations", ["--format", "json"]);
    expect(JSON.parse(list.stdout)).toHaveLength(3);
  });

  it("hides evaluations by name and calls by id, and prints what is hidden", async () => {
    const { status, stdout, stderr } = await command("delete", ["the two", "one-0", "one-1"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("hidden: 2 trials of the one\nhidden: the two with 40 trials\n");
    const again = await command("delete", ["two", "--yes"]);
    expect(again).toMatchObject({ status: 2, stdout: "" });
  });

  it("hides nothing where one of the ids is of no evaluation and of no call", async () => {
    const refused = await command("delete", ["one", "nothing", "--yes"]);
    expect(refused).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(/nothing.* is not in this project; no call has this id/) as string,
    });
    const list = await command("evaluations", ["--format", "json"]);
    expect(list.stdout).toContain('"one"');
  });

  it("makes no database", async () => {
    const { status, stderr } = await evalcubeHere(["delete", "--db", join(folder, "no.duckdb"), "id"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `evalcube: ${join(folder, "no.duckdb")}: no such database\n`,
    });
  });
});
