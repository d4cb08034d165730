import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { complaint, put, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const database = ["--db", join(folder, "runs.duckdb")];
const ROWS = 40;

/** A finished run, in which the first `right` rows are right, and each row took so many tokens and seconds. */
function run(day: number, right: number, tokens: number, seconds: number): object[] {
  const [id, at] = [`run-${day}`, `2026-07-0${day}T00:00:00Z`];
  const summary = { usage: { small: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } } };
  return [
    root(id, { display_name: "sums", started_at: at, ended_at: at, attributes: { commit: `abcdef${day}0` } }),
    ...Array.from({ length: ROWS }, (_, i) =>
      trial(
        `${id}-${i}`,
        { i },
        {},
        {
          parent_id: id,
          started_at: at,
          output: { scores: { correct: i < right }, model_latency: { mean: seconds } },
          // The last run does not tell what a fifth of its rows cost.
          ...(day === 3 && i < 8 ? {} : { summary }),
        },
      ),
    ),
  ];
}

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "runs.duckdb") });
  await engine.ingestCalls([run(1, 38, 1000, 1), run(2, 37, 1200, 1.05), run(3, 20, 1000, 2)].flat());
  await engine.close();
});

const compare = (candidate: string, ...args: readonly string[]) =>
  evalcubeHere([
    "compare",
    ...database,
    "--baseline",
    "run-1",
    "--candidate",
    candidate,
    "--format",
    "table",
    ...args,
  ]);
const prices = () => put(folder, "prices.json", '{"small": {"input": 2, "output": 10}}');

describe("history", () => {
  it("is of runs in the project that the commands mean", () => {
    expect(PROJECT).toBe("acme/qa");
  });

  it("prints every run, marks since when they are worse, and says so", async () => {
    const { status, stdout } = await evalcubeHere(["history", "sums", ...database, "--format", "table"]);
    expect(status).toBe(0);
    const [head = "", ...lines] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^run +commit +branch +rows +mean +against the run before +against the reference$/);
    expect(lines.filter((line) => line.startsWith("sums")).slice(0, 3)).toEqual([
      expect.stringMatching(/^sums \(2026-07-01\) +abcdef1 +– +40 +95\.0% ± \d\.\d +– +–$/) as string,
      expect.stringMatching(/^sums \(2026-07-02\) +abcdef2 .*○ not shown different, −2\.5 points/) as string,
      expect.stringMatching(
        /^sums \(2026-07-03\) .*▼ worse, −42\.5 points +▼ worse, −45\.0 points$/,
      ) as string,
    ]);
    expect(lines.at(-1)).toBe(
      "sums (2026-07-03) is worse than sums (2026-07-01): 50.0% against 95.0%. One more run shows whether it stays so.",
    );
    expect(lines).toContain('Each verdict is that of its pair alone; "worse since" takes two runs in a row.');
  });

  it("ends with status 3 where the latest run is worse than the one before, and knows the name of the latest", async () => {
    const { status, stderr, stdout } = await evalcubeHere([
      "history",
      ...database,
      "--fail-on",
      "regressed",
      "--format",
      "markdown",
    ]);
    expect(status).toBe(3);
    expect(stderr).toBe(
      "evalcube: regressed: sums (2026-07-03) against sums (2026-07-02), the run before, in correct: worse, −42.5 points\n",
    );
    expect(stdout).toMatch(/^\*\*sums \(2026-07-03\) is worse[^]*\| run \| commit \|/);
    const json = await evalcubeHere(["history", ...database, "--format", "json", "--limit", "1"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: "sums",
      entries: [{ evaluation_call_id: "run-3" }],
    });
    expect(complaint((await evalcubeHere(["history", "sum", ...database])).stderr).reason).toContain("sums");
  });
});

describe("compare with costs", () => {
  it("shows money with four digits, and that less is better", async () => {
    const { stdout } = await compare("run-2", "--prices", prices());
    expect(stdout).toMatch(/cost +40 +0\.002 +0\.0024 +\+0\.0004 .*▼ worse/);
  });

  it.each([
    [
      "cost>10%",
      "cost>10%: sums (2026-07-02) has a mean cost of 0.0024 a row, 0.002 before (40 shared rows)",
    ],
    ["cost>0.0023", "cost>0.0023: sums (2026-07-02) has a mean cost of 0.0024 a row (40 shared rows)"],
    [
      "tokens>10%",
      "tokens>10%: sums (2026-07-02) has a mean of 1,200 tokens a row, 1,000 before (40 shared rows)",
    ],
    [
      "latency>4%",
      "latency>4%: sums (2026-07-02) has a mean latency of 1.05 s, 1.00 before (40 shared rows)",
    ],
  ])("the gate %s is met", async (gate, line) => {
    const { status, stderr } = await compare(
      "run-2",
      "--prices",
      prices(),
      "--fail-on",
      gate,
      "--format",
      "json",
    );
    expect(status).toBe(3);
    expect(stderr).toBe(`evalcube: ${line}\n`);
  });

  it("passes gates that are not met, and never those whose costs are not known", async () => {
    const gates = ["--fail-on", "cost>20%", "tokens>20%", "latency>10%", "cost>0.01", "--format", "json"];
    expect(await compare("run-2", "--prices", prices(), ...gates)).toMatchObject({ status: 0, stderr: "" });
    const unknown = await compare("run-3", "--prices", prices(), "--fail-on", "cost>10%");
    expect(unknown.status).toBe(2);
    expect(complaint(unknown.stderr).reason).toMatch(
      /^--fail-on: cost>10% cannot be judged: cost of .* is known on 32 of 40 shared rows on both sides/,
    );
    const none = await compare("run-2", "--fail-on", "cost>10%");
    expect(none.status).toBe(2);
    expect(complaint((await compare("run-2", "--fail-on", "cost<10%")).stderr).reason).toContain(
      'no gate "cost<10%"',
    );
  });
});
