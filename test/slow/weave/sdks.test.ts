import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { because } from "../../support/skipped.ts";
import { startWeave, type WeaveService } from "../../weave/service.ts";
import { startFaultyProxy } from "../../weave/sdk/faulty-proxy.ts";
import { missing, runProgram, type Seen } from "./sdk-programs.ts";

const SEED = Number(process.env["SEED"] ?? 606);

interface Leaves {
  readonly [path: string]: number;
}

/** The means, counts and fractions of a summary that an SDK made, by their path. */
function leavesOf(value: unknown, path = ""): Leaves {
  if (typeof value === "number") return { [path]: value };
  if (typeof value !== "object" || value === null) return {};
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, inner]) => leavesOf(inner, path === "" ? name : `${path}.${name}`)),
  ) as Leaves;
}

/** What an SDK's summary says of scores, from the statistics of an evaluation: its fractions are of all trials. */
async function statisticsOf({ engine }: WeaveService, project: string, id: string): Promise<Leaves> {
  const request = { evaluation_call_ids: [id], include_summary: true };
  const { summary } = await engine.queryEvalResults(project, request);
  const [evaluation] = summary?.evaluations ?? [];
  const leaves: Record<string, number> = {};
  for (const { scorer_key, path, numeric_mean, pass_true_count: passed } of evaluation?.scorer_stats ?? []) {
    const place = path === null ? scorer_key : `${scorer_key}.${path}`;
    if (numeric_mean !== null) leaves[`${place}.mean`] = numeric_mean;
    else {
      leaves[`${place}.true_count`] = passed;
      leaves[`${place}.true_fraction`] = passed / (evaluation?.trial_count ?? 0);
    }
  }
  return leaves;
}

/** The leaves of a summary that are of scores. */
function scoresOf(summary: unknown): [string, number][] {
  const others = /^(output|model_output|model_latency|model_success)\./;
  return Object.entries(leavesOf(summary)).filter(([path]) => !others.test(path));
}

let service: WeaveService;

beforeAll(async () => {
  service = await startWeave();
});
afterAll(() => service.stop());

async function run(sdk: "python" | "typescript", project: string, url = service.url): Promise<Seen> {
  const [, key = ""] = Buffer.from(service.ann.slice("Basic ".length), "base64").toString().split(":");
  const seen = await runProgram(sdk, { url, key, project });
  expect(seen.complaints).toEqual([]);
  expect([seen.exitCode, seen.scenarios.has("end")]).toEqual([0, true]);
  return seen;
}

/** The evaluations of a project that an SDK made, the newest last. */
async function evaluations(
  project: string,
): Promise<{ readonly id: string; readonly trial_count: number }[]> {
  const listed = await service.engine.listEvaluations(project);
  return listed.toSorted((a, b) => a.id.localeCompare(b.id));
}

/** Expects what the program of the Python SDK is to read back. */
async function expectPython({ scenarios }: Seen, project: string): Promise<void> {
  const { summaries, back, children } = scenarios.get("evaluation") as {
    readonly summaries: readonly unknown[];
    readonly back: readonly { readonly id: string; readonly output: { readonly output: unknown } }[];
    readonly children: readonly number[];
  };
  // Each root has its twelve trials and the call that sums them up.
  expect(children).toEqual([13, 13]);
  for (const [i, { id, output }] of back.entries()) {
    expect(output).toEqual(summaries[i]);
    const leaves = await statisticsOf(service, project, id);
    const wanted = scoresOf(summaries[i]);
    expect(wanted).toHaveLength(7);
    for (const [place, value] of wanted)
      expect([place, leaves[place]]).toEqual([place, expect.closeTo(value, 9)]);
  }
  expect((await evaluations(project)).map((one) => one.trial_count)).toEqual([12, 12, 3, 12, 12]);
  expect(scenarios.get("logger")).toMatchObject({ note: "done" });
  expect(scenarios.get("traces")).toEqual({
    name: "renamed",
    output: ["hello ann", "hello çelik"],
    env: "test",
    children: ["hello ann", "hello çelik"],
    feedback: [
      ["custom", '{"a": 1}'],
      ["wandb.note.1", '{"note": "good"}'],
      ["wandb.reaction.1", '{"emoji": "👍"}'],
    ],
    left: ["wandb.note.1", "wandb.reaction.1"],
    failed: [true],
  });
  expect(scenarios.get("deletion")).toEqual({ gone: [] });
  expect(scenarios.get("publish")).toEqual({
    count: 1100,
    same: true,
    latest: { a: 2 },
    first: { a: 1, b: [1, 2] },
  });
  expect(scenarios.get("leaderboard")).toEqual({ scores: [0, 1], name: "board" });
  expect(scenarios.get("prices")).toEqual({
    found: [
      ["a-model", 0.5, 1.5],
      ["another", 0.25, 0.75],
    ],
    left: ["a-model"],
  });
  expect(scenarios.get("figures")).toEqual({
    size: { avg: 3, max: 6, count: 3 },
    paths: [["size", "numeric"]],
  });
}

describe("a program of", () => {
  it.skipIf(missing.python !== null)(
    `the Python SDK reads back what it wrote${because(missing.python)}`,
    async () => {
      const seen = await run("python", "acme/python");
      expect(seen.scenarios.size).toBe(9);
      await expectPython(seen, "acme/python");
    },
  );

  it.skipIf(missing.python !== null)(
    `the Python SDK loses nothing where requests fail (SEED=${SEED})${because(missing.python)}`,
    async () => {
      const proxy = await startFaultyProxy(service.url, seededRandom(SEED));
      await expectPython(await run("python", "acme/faults", proxy.url), "acme/faults");
      expect(Math.min(proxy.faults.busy, proxy.faults.cut)).toBeGreaterThan(0);
      await proxy.close();
    },
  );

  it.skipIf(missing.typescript !== null)(
    `the TypeScript SDK reads back what it wrote${because(missing.typescript)}`,
    async () => {
      const { scenarios } = await run("typescript", "acme/typescript");
      const listed = await evaluations("acme/typescript");
      expect(listed.map((one) => one.trial_count)).toEqual([8, 3]);
      const leaves = await statisticsOf(service, "acme/typescript", listed[0]?.id ?? "");
      // Its means count a trial whose model failed as 0, which those of the service leave out.
      const counts = scoresOf(scenarios.get("evaluation")?.["summary"]).filter(
        ([path]) => !path.endsWith(".mean"),
      );
      expect(counts).toHaveLength(4);
      for (const [place, value] of counts) expect([place, leaves[place]]).toEqual([place, value]);
      expect(scenarios.get("traces")).toEqual({
        back: [
          { output: ["hello ann", "hello çelik"], failed: false },
          { output: null, failed: true },
        ],
      });
      expect(scenarios.get("read")).toEqual({ same: true, count: 4 });
    },
  );
});
