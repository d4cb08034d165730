import { join } from "node:path";
import { marked } from "marked";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type LeaderboardAnswer } from "../../src/index.ts";
import { call, complaint, PROJECT, put, temporaryFolder, TRIAL, type Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const HOSTILE =
  "<img src=x onerror=alert(1)> | **bold** @maintainer #1 [x](http://evil.example) www.evil.example\u202E\n| a |";

function run(id: string, name: string, passes: number, branch: string, day: number): object[] {
  const started_at = `2026-01-0${day}T00:00:00Z`;
  const model = `svc:///acme/qa/object/${branch}-model:v1`;
  const root = call(id, "Evaluation.evaluate", {
    display_name: name,
    started_at,
    attributes: { branch },
    inputs: { model },
  });
  const usage = { gpt: { prompt_tokens: 500_000, completion_tokens: 100_000, total_tokens: 600_000 } };
  const trials = Array.from({ length: 20 }, (_, i) =>
    call(`${id}-${i}`, TRIAL, {
      parent_id: id,
      inputs: { example: { i } },
      output: { output: "", scores: { ok: i < passes, words: 100 + i } },
      summary: i === 0 ? {} : { usage },
    }),
  );
  return [root, ...trials];
}

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "qa.duckdb") });
  await engine.ingestCalls([
    ...run("first", "the first", 18, "main", 1),
    ...run("second", "the second", 17, "main", 2),
    ...run("third", HOSTILE, 3, "dev", 3),
  ]);
  await engine.close();
});

function leaderboard(...args: readonly string[]): Promise<Ended> {
  return evalcubeHere([
    "leaderboard",
    "--db",
    join(folder, "qa.duckdb"),
    "--project",
    PROJECT,
    "--format",
    "table",
    ...args,
  ]);
}

const PRICES = JSON.stringify({ gpt: { input: 2, output: 10 } });

describe("leaderboard", () => {
  it("prints a line an evaluation, the best first, and marks those not shown worse", async () => {
    const { status, stdout, stderr } = await leaderboard("--where", "attributes.branch=main");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [head, , first, second, , ...notes] = stdout.split("\n");
    expect(head).toMatch(/^evaluation +ok +rank +against the best +pass rate +rows +words +trials +tokens$/);
    expect(first).toMatch(
      /^the first +90\.0% ± \d+\.\d +1–2 +best +90\.0% +20 +109\.5 ± 2\.8 +20 +11,400,000 \(19 of 20\)$/,
    );
    expect(second).toMatch(/^the second +85\.0% ± \d+\.\d +1–2 +○ not shown worse +85\.0% /);
    expect(notes).toEqual([
      "± is half of the 95% interval of the mean over rows.",
      "Rank: the places that each may have by ok, 95% together (1 pair, ranges).",
      "",
    ]);
  });

  it("shows costs by prices, with the trials behind them", async () => {
    const prices = put(folder, "prices.json", PRICES);
    const { stdout } = await leaderboard(
      "--prices",
      prices,
      "--sort",
      "cost:desc",
      "started_at:desc",
      "--by",
      "model",
    );
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^model +evaluation +of .* cost$/);
    expect(lines[2]).toMatch(/^dev-model .*▼ worse.* 38 \(19 of 20\)$/);
    expect(lines.find((line) => line.startsWith("main"))).toMatch(
      /^main-model +the second +2 .* 38 \(19 of 20\)$/,
    );
  });

  it("tells on standard error what it could not price", async () => {
    const prices = put(folder, "other.json", JSON.stringify({ other: { input: 2, output: 10 } }));
    const { stdout, stderr } = await leaderboard("--prices", prices);
    expect(stdout).not.toMatch(/cost/);
    expect(stderr).toBe('note: no price for the model "gpt": 57 trials have no cost\n');
  });

  it("prints the answer of the engine as JSON, of evaluations by name and with a request", async () => {
    const request = put(
      folder,
      "request.json",
      JSON.stringify({
        filters: [{ query: { $expr: { $lt: [{ $getField: "inputs.i" }, { $literal: 5 }] } } }],
      }),
    );
    const { stdout } = await leaderboard(
      request,
      "--evaluation",
      "latest",
      "--evaluation",
      "the second",
      "--format",
      "json",
      "--scorer",
      "words",
      "--lower-is-better",
      "words",
    );
    const answer = JSON.parse(stdout) as LeaderboardAnswer;
    expect(answer.row_count).toBe(5);
    expect(answer.entries.map((one) => one.evaluation_call_id)).toEqual(["second", "third"]);
    expect(answer.dimensions).toMatchObject([{ scorer_key: "words", lower_is_better: true }]);
  });

  it("prints Markdown in which a hostile name is a text", async () => {
    const { stdout } = await leaderboard("--format", "markdown");
    const rows = stdout.split("\n").filter((line) => line.startsWith("|"));
    expect(rows).toHaveLength(5);
    expect(new Set(rows.map((line) => line.split("|").length)).size).toBe(1);
    const html = marked.parse(stdout);
    expect(html).not.toMatch(/<(?:img|a|strong)\b/);
    expect(stdout).toContain("U+202E");
    expect(stdout).not.toMatch(/@maintainer| #1|www\./);
  });

  it.each<[readonly string[], RegExp]>([
    [["--where", "branch"], /FIELD=VALUE/],
    [["--where", "branch=main"], /no field "branch"; there are attributes/],
    [["--sort", "speed"], /scores\.<name>, pass_rate, rows/],
    [["--scorer", "okay"], /no trial has a score "okay"; there are "ok", "words"/],
    [["--by", "day"], /model/],
    [["--evaluation", "fourth"], /"fourth" is not in this project/],
  ])("ends %j with status 2 and the reason", async (args, reason) => {
    const { status, stdout, stderr } = await leaderboard(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toMatch(reason);
  });

  it.each([
    [
      '{"gpt": {"input": "2", "output": 1}}',
      /is no file of prices: gpt\.input is "2", not a number of 0 or more; it has money per million tokens by model, as \{"small-model"/,
    ],
    ['{"gpt": {"input": 2}}', /gpt\.output is missing/],
    ['{"gpt": {"input": 2, "output": 1, "cached": 1}}', /gpt\.cached is unknown/],
    ["[]", /it is \[\], not an object/],
  ])("refuses %s as a file of prices, with its fault and an example", async (content, reason) => {
    const { status, stderr } = await leaderboard("--prices", put(folder, "faulty.json", content));
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toMatch(reason);
  });
});
