import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conclusionLines } from "../../src/words/comparison-words.ts";
import { comparisonTable } from "../../src/cli/tables/comparison-tables.ts";
import { openEngine, type Comparison, type ComparisonAnswer } from "../../src/index.ts";
import { compared } from "../view/compared.ts";
import { call, complaint, PROJECT, put, temporaryFolder, TRIAL } from "./command.ts";
import type { Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

function run(id: string, name: string, passes: number): object[] {
  const root = call(id, "Evaluation.evaluate", { display_name: name });
  const trials = Array.from({ length: 20 }, (_, i) =>
    call(`${id}-${i}`, TRIAL, {
      parent_id: id,
      inputs: { example: { i } },
      output: { output: "", scores: { "ok|<b>": i < passes, seconds: 1 + i / 10 + (i % 3) * (20 - passes) } },
    }),
  );
  return [root, ...trials];
}

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "qa.duckdb") });
  await engine.ingestCalls([
    ...run("base", "the base", 12),
    ...run("good", "the good one", 20),
    ...run("bad", "the *bad* one", 2),
  ]);
  await engine.close();
});

function compare(args: readonly string[], input?: string): Promise<Ended> {
  const database = ["--db", join(folder, "qa.duckdb"), "--project", PROJECT, "--baseline", "base"];
  return evalcubeHere(["compare", ...database, "--format", "table", ...args], input);
}

describe("compare", () => {
  it("prints a table, then what is concluded of one candidate in each score", async () => {
    const { status, stdout, stderr } = await compare(["--candidate", "good", "--lower-is-better", "seconds"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [head, , ok, seconds, ...rest] = stdout.trimEnd().split("\n");
    expect(head).toMatch(
      /^candidate +score +rows +baseline +candidate mean +difference +95% together +p adjusted +rows better\/same\/worse +verdict$/,
    );
    expect(ok).toMatch(
      /^the good one +ok\|<b> +20 +60\.0% +100\.0% +\+40\.0 points +\+11\.9 to \+64\.0 +0\.0039 +8\/12\/0 +▲ better$/,
    );
    expect(seconds).toMatch(
      /^ +seconds +20 +9\.55 +1\.95 +−7\.60 +−11\.\d+ to −4\.\d+ +0\.00011 +13\/7\/0 +▲ better$/,
    );
    expect(rest).toEqual([
      "",
      "changed: nothing that is recorded",
      "the good one is better than the base in ok|<b> and seconds.",
      "  ▲ ok|<b>: 100.0% against 60.0%: +40.0 points (95% together +11.9 to +64.0, p = 0.0039, 20 shared rows). 8 better, 0 rows worse.",
      expect.stringMatching(
        /^ {2}▲ seconds: 1\.95 against 9\.55: −7\.60 \(95% .* 13 better, 0 rows worse\.$/,
      ),
    ]);
  });

  it("groups several candidates by how they stand, and only what moved where nobody says which is good", async () => {
    const { stdout } = await compare(["--candidate", "good", "bad"]);
    expect(stdout.trimEnd().split("\n").slice(-6)).toEqual([
      "Against the base (60.0%) in ok|<b>: 1 is better and 1 is worse.",
      "  ▲ Better than the base, by 40.0 points: the good one.",
      "  ▼ Worse than the base, by 50.0 points: the *bad* one.",
      "Against the base (9.55) in seconds: 1 moved up and 1 moved down.",
      "  ◇ Moved up against the base, by 9.50: the *bad* one.",
      "  ◇ Moved down against the base, by 7.60: the good one.",
    ]);
  });

  it("prints the engine's answer as JSON, with what a file adds", async () => {
    const file = put(folder, "more.json", JSON.stringify({ scorers: ["seconds"], margin: 100 }));
    const { status, stdout } = await compare([file, "--candidate", "good", "--format", "json"]);
    expect(status).toBe(0);
    const answer = JSON.parse(stdout) as { comparisons: object[] };
    expect(answer).toMatchObject({ confidence: 0.95, adjust: "holm", family_size: 1 });
    expect(answer.comparisons).toMatchObject([
      { candidate: "good", scorer_key: "seconds", verdict: "moved" },
    ]);
  });

  it("prints markdown that no name breaks", async () => {
    const { stdout } = await compare(["--candidate", "bad", "--format", "markdown"]);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("**Against the base, of 2 comparisons: 1 moved up and 1 is worse.**");
    const rows = lines.filter((line) => line.startsWith("|"));
    expect(new Set(rows.map((line) => line.split("|").length)).size).toBe(1);
    expect(stdout).toContain("the &#42;bad&#42; one");
    expect(stdout).toContain("ok&#124;&#60;b&#62;");
    expect(stdout).toMatch(
      /^- the &#42;bad&#42; one moved up in seconds against the base\.\n {2}- ◇ 19\.05 against 9\.55: /m,
    );
  });

  it("fails the gate with status 3, after the table", async () => {
    const failed = await compare([
      "--candidate",
      "good",
      "bad",
      "--scorer",
      "ok|<b>",
      "--fail-on",
      "regressed",
    ]);
    expect(failed.status).toBe(3);
    expect(failed.stdout).toContain("▲ better");
    expect(failed.stderr).toBe(
      "evalcube: regressed: the *bad* one is worse in ok|<b>, difference −50.0 points (p = 0.0020, 20 shared rows)\n",
    );
    const passed = await compare(["--candidate", "good", "--scorer", "ok|<b>", "--fail-on", "regressed"]);
    expect(passed.status).toBe(0);
  });

  it.each<[readonly string[], RegExp]>([
    [["--candidate", "base"], /not compared with itself/],
    [["--candidate", "?"], /not in this project/],
    [["--candidate", "good", "--scorer", "speed"], /"seconds"/],
    [["--candidate", "good", "--margin", "wide"], /number/],
    [["--candidate", "good", "--adjust", "sidak"], /holm/],
    [["--baseline", "previous"], /has no earlier run; name one: --baseline ID/],
  ])("ends %j with status 2 and the reason", async (args, reason) => {
    const { status, stdout, stderr } = await compare(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toMatch(reason);
  });
});

const answer = (comparisons: readonly Comparison[]): ComparisonAnswer => ({
  confidence: 0.95,
  adjust: "holm",
  family_size: comparisons.length,
  comparisons,
  changes: [],
  ranks: null,
  warnings: [],
});

/** Two candidates, the second unlike the first, and one without the score. */
const linesOf = (second: object) =>
  conclusionLines({
    answer: answer([
      compared({ baseline: "base", candidate: "x" }),
      compared({ baseline: "base", candidate: "y", ...second }),
    ]),
    request: {},
    sides: ["x", "y", "z"].map((candidate) => ({ baseline: "base", candidate })),
    names: new Map([["base", "the\u001B[31m base\n"]]),
  });

describe("the conclusions of compare", () => {
  it("are at most 200 lines on a terminal, and say how many are left out", () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      compared({ baseline: "base", candidate: "x", path: `score ${i}` }),
    );
    const shown = (most: number | null) =>
      comparisonTable(
        {
          answer: answer(many),
          request: {},
          sides: ["x", "y"].map((candidate) => ({ baseline: "base", candidate })),
          names: new Map(),
        },
        { colour: false, width: null, most },
      )
        .split("\n")
        .slice(103);
    expect(shown(null)).toHaveLength(300);
    expect(shown(200)).toHaveLength(202);
    expect(shown(200).at(-1)).toBe("Shown: 200 of 300 lines; append | less to see all.");
  });

  it("take the baseline's mean only where it is the same for all candidates, and name those without the score", () => {
    expect(linesOf({})).toEqual([
      "the [31m base  has the highest mean of judge.ok: 96.7%. Of the 3 others, 2 are not shown different and 1 shares no row.",
      "  ○ Not shown different from the [31m base : x and y. A difference of 1.2 points would have been found four times in five.",
      "  ? No row shared with the [31m base : z.",
    ]);
    expect(linesOf({ baseline_mean: 0.9, n_common: 9, n_only_baseline: 1310 })).toEqual([
      "Against the [31m base  in judge.ok: 2 are not shown different and 1 shares no row.",
      "  ○ Not shown different from the [31m base : x and y. A difference of 1.2 points would have been found four times in five.",
      "  ? No row shared with the [31m base : z.",
      "  • Compared on shared rows only: y (9 of 1,319 rows).",
    ]);
  });
});

describe("compare --by model", () => {
  it("takes names of models as they are, and gates them over all of their tasks", async () => {
    const engine = await openEngine({ path: join(folder, "models.duckdb") });
    for (const [model, passes] of [
      ["old", 18],
      ["new", 2],
    ] as const)
      for (const task of ["adding", "dividing"]) {
        const [root, ...trials] = run(`${model}-${task}`, `${task} of ${model}`, passes);
        await engine.ingestCalls([{ ...root, inputs: { self: task, model } }, ...trials]);
      }
    await engine.close();
    const flags = ["--by", "model", "--baseline", "old", "--candidate", "new", "--weights", "rows"];
    const where = ["--where", "inputs.self=adding", "inputs.self=dividing"];
    const gates = ["--fail-on", "regressed", "errors>5%", "coverage<90%", "ok|<b><50%"];
    const database = ["--db", join(folder, "models.duckdb"), "--project", PROJECT];
    const others = ["--scorer", "ok|<b>", "--format", "json"];
    const ended = await evalcubeHere(["compare", ...database, ...flags, ...where, ...others, ...gates]);
    const { status, stdout, stderr } = ended;
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      comparisons: [
        { candidate: "new", n_common: 40, task_count: 2, difference: -0.8, verdict: "regressed" },
      ],
    });
    expect(stderr).toContain("regressed: new is worse");
    expect(stderr).toContain("ok|<b><50%: new has 10% (mean over 40 rows) (point, not shown)");
    expect(stderr).not.toContain("coverage");
    expect(stderr).not.toContain("errors>");
  });
});
