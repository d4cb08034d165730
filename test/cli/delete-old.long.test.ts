import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord } from "../../src/index.ts";
import { complaint, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const db = join(folder, "evals.duckdb");
const OLD = ["delete", "--db", db, "--older-than", "30d"];

function daysAgo(count: number): string {
  return new Date(Date.now() - count * 86_400_000).toISOString();
}

/** An evaluation with two trials. */
function run(id: string, age: number, name = "nightly"): (CallRecord & { readonly project_id: string })[] {
  const common = { project_id: "acme/qa", started_at: daysAgo(age), ended_at: daysAgo(age) };
  const trials = [0, 1].map((n) => ({
    ...common,
    id: `${id}-${n}`,
    parent_id: id,
    op_name: "Evaluation.predict_and_score",
    inputs: { example: { n } },
    output: { output: "x", scores: { correct: n === 0 } },
  }));
  return [{ ...common, id, op_name: "Evaluation.evaluate", display_name: name, inputs: {} }, ...trials];
}

async function withEngine<T>(
  work: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>,
): Promise<T> {
  const engine = await openEngine({ path: db, threads: 1 });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const left = () =>
  withEngine(async (engine) => (await engine.listEvaluations("acme/qa")).map(({ id }) => id));

const ask = (answer: string) =>
  evalcubeHere([...OLD, "--name", "weekly"], answer, { isTTY: true, columns: 80 });

beforeAll(async () => {
  await withEngine(async (engine) => {
    for (const [at, age] of [90, 80, 70, 60, 50, 5].entries()) await engine.ingestCalls(run(`n${at}`, age));
    await engine.ingestCalls(run("w0", 100, "weekly"));
    const about = { project_id: "acme/qa", svc_ref: "svc:///acme/qa/call/n0-1", feedback_type: "thumb" };
    await engine.feedback.create({ ...about, payload: { up: true } }, { userId: "ann" });
  });
});

it("are kept as a baseline by ci --save, as often as it is saved", async () => {
  const save = ["ci", "--db", db, "--candidate", "n1", "--save", join(folder, "base.parquet")];
  for (let times = 0; times < 2; times++) {
    const saved = await evalcubeHere(save);
    expect([saved.status, saved.stderr]).toEqual([0, expect.not.stringContaining("baseline:")]);
  }
});

describe("old evaluations", () => {
  it("are only told with --dry-run, with what stays and why", async () => {
    const { status, stdout, stderr } = await evalcubeHere([...OLD, "--keep-latest", "1", "--dry-run"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^id +name +started at +trials +user/);
    for (const id of ["n2", "n3", "n4"]) expect(stdout).toMatch(new RegExp(`^${id} `, "m"));
    expect(stdout).toMatch(/this would hide 3 evaluations with 6 trials\n$/);
    for (const said of [
      "n0 stays: it has feedback",
      "n1 stays: it is a baseline",
      "w0 stays: it is among the latest",
    ])
      expect(stderr).toContain(said);
    expect(await left()).toHaveLength(7);
  });

  it("are not deleted without --yes, where nobody can be asked", async () => {
    const { status, stdout, stderr } = await evalcubeHere([...OLD, "--name", "nightly"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toContain("3 evaluations with 6 trials");
    expect(await left()).toHaveLength(7);
  });

  it("are deleted at a terminal once somebody agrees", async () => {
    const refused = await ask("no\n");
    expect([refused.status, refused.stdout]).toEqual([0, "nothing was hidden\n"]);
    expect(refused.stderr).toContain("hide 1 evaluation with 2 trials for good? [y/N]");
    const agreed = await ask("y\n");
    expect([agreed.status, agreed.stdout]).toEqual([0, "hidden: 1 evaluation with 2 trials\n"]);
    expect(await left()).toEqual(["n0", "n1", "n2", "n3", "n4", "n5"]);
  });

  it("are answered as JSON, and baselines and those with feedback go with --all", async () => {
    const answer = await evalcubeHere([...OLD, "--yes", "--keep-latest", "2", "--format", "json"]);
    expect(JSON.parse(answer.stdout)).toMatchObject({
      dry_run: false,
      hidden: 6,
      evaluations: [{ id: "n2", display_name: "nightly", trial_count: 2, user: null }, { id: "n3" }],
      kept: [
        { id: "n0", reason: "feedback" },
        { id: "n1", reason: "baseline" },
        { id: "n4", reason: "latest" },
      ],
    });
    expect((await evalcubeHere([...OLD, "--yes", "--user", "ann"])).stdout).toBe(
      "hidden: 0 evaluations with 0 trials\n",
    );
    expect((await evalcubeHere([...OLD, "--yes", "--all"])).stdout).toMatch(
      /hidden: 3 evaluations with 6 trials\n$/,
    );
    expect(await left()).toEqual(["n5"]);
  });

  it.each([
    [["--older-than", "30"], "h, d or w"],
    [["--older-than", "30d", "n5"], "not both"],
    [["--keep-latest", "1", "n5"], "--older-than"],
    [["--dry-run", "n5"], "--older-than"],
    [[], "name what to delete"],
    [["--older-than", "1d", "--keep-latest", "-1"], "whole number"],
  ])("are refused as a usage error: %j", async (args, about) => {
    const { status, stdout, stderr } = await evalcubeHere(["delete", "--db", db, ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toContain(about);
  });
});
