import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { call, complaint, PROJECT, put, temporaryFolder, TRIAL } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const file = join(folder, "qa.duckdb");

const TOPICS = ["addition", "division", "multi|<b>plication"];

/** Right on all rows but a tenth; with a fault, on those of one topic hardly ever. Some rows have no topic. */
function run(id: string, fault: boolean): object[] {
  return [
    call(id, "Evaluation.evaluate", { display_name: `the ${id}` }),
    ...Array.from({ length: 60 }, (_, i) => {
      const topic = i % 15 === 4 ? {} : { topic: TOPICS[i % 3] };
      const ok = fault && i % 3 === 2 ? i % 5 === 0 : i % 10 !== (fault ? 1 : 0);
      return call(`${id}-${i}`, TRIAL, {
        parent_id: id,
        inputs: { example: { i, level: i % 2, ...topic } },
        output: { output: "", scores: { ok } },
      });
    }),
  ];
}

beforeAll(async () => {
  const engine = await openEngine({ path: file });
  await engine.ingestCalls([...run("base", false), ...run("next", true)]);
  await engine.close();
});

const ask = (command: string, ...args: readonly string[]) =>
  evalcubeHere([command, "--db", file, "--project", PROJECT, ...args]);
const compare = (...args: readonly string[]) =>
  ask("compare", "--baseline", "base", "--candidate", "next", "--format", "table", ...args);

const SENTENCE =
  "Most of it comes from inputs.topic = multi|<b>plication: −70.0 points on 20 rows, 0.0 on the 40 others";

describe("--by", () => {
  it("of compare prints a table of the slices, and where the difference comes from", async () => {
    const { stdout } = await compare("--by", "inputs.topic");
    const lines = stdout.trimEnd().split("\n");
    const from = lines.indexOf("ok of the next by inputs.topic");
    expect(lines[from + 1]).toMatch(
      /^slice +rows +baseline +candidate mean +difference +95% interval +p adjusted +rows better\/same\/worse +verdict +contribution$/,
    );
    expect(lines[from + 3]).toMatch(/^multi\|<b>plication +20 .* ▼ worse +−23\.3$/);
    expect(lines[from + 6]).toBe("4 rows have no inputs.topic");
    expect(lines.at(-1)).toContain(`${SENTENCE}.`);
    const { stdout: few } = await ask(
      "compare",
      "--baseline",
      "base",
      "--candidate",
      "next",
      "--format",
      "table",
      "--by",
      "inputs.i",
    );
    expect(few).toContain("40 more: 20 (1 row), 21 (1 row)");
    expect(few).toContain("No value of inputs.i explains most of it.");
  });

  it("auto finds the field, and says how many it tried", async () => {
    const { stdout } = await compare("--by", "auto", "--format", "json");
    const { slicing, comparisons } = JSON.parse(stdout) as {
      slicing: unknown;
      comparisons: { explained_by: unknown }[];
    };
    expect(slicing).toMatchObject({
      fields: ["inputs.topic"],
      fields_tried: ["inputs.level", "inputs.topic"],
    });
    expect(comparisons[0]?.explained_by).toMatchObject({
      value: ["multi|<b>plication"],
      share: 1,
      rest_n_common: 40,
    });
    const { stdout: told } = await compare("--by", "auto");
    expect(told.trimEnd()).toContain(`${SENTENCE} (of 2 fields tried).`);
  });

  it("of compare slices Markdown and JUnit, with every text escaped", async () => {
    const junit = join(folder, "junit.xml");
    const { stdout } = await compare("--by", "inputs.topic", "--format", "markdown", "--junit", junit);
    expect(stdout).toContain("<details><summary>Slices</summary>");
    expect(stdout).toContain("| multi&#124;&#60;b&#62;plication | 20 |");
    expect(stdout).not.toContain("<b>");
    expect(readFileSync(junit, "utf8")).toContain(
      "Most of it comes from inputs.topic = multi|&#60;b&#62;plication",
    );
  });

  it("gives the gate slice-regressed its slices, which it names", async () => {
    const { status, stderr } = await compare("--by", "inputs.topic", "--fail-on", "slice-regressed");
    expect(status).toBe(3);
    expect(stderr).toContain(
      "slice-regressed: the next is worse in ok where inputs.topic = multi|<b>plication, difference −70.0 points",
    );
    expect((await compare("--by", "inputs.level", "--fail-on", "slice-regressed")).status).toBe(3);
    const without = await compare("--fail-on", "slice-regressed");
    expect(without.status).toBe(2);
    expect(complaint(without.stderr).reason).toContain("slice-regressed needs --by");
  });

  it("is refused where it says nothing", async () => {
    for (const [args, said] of [
      [
        ["--by", "inputs.topc"],
        'no row of the requested evaluations has inputs.topc; did you mean "inputs.topic"?',
      ],
      [["--by", "topic"], 'there are no slices by "topic"'],
      [["--by", "inputs.a", "--by", "inputs.b", "--by", "inputs.c"], "of one field or of 2, not of 3"],
      [["--by", "auto", "--by", "inputs.topic"], "auto chooses the field"],
      [["--by", "model", "--by", "inputs.topic"], "slices are of evaluations"],
    ] as const) {
      const refused = await compare(...args);
      expect(refused.status).toBe(2);
      expect(complaint(refused.stderr).reason).toContain(said);
    }
  });

  it("of query and leaderboard tells the means of each value", async () => {
    const { stdout } = await ask(
      "query",
      "--evaluation",
      "next",
      "--by",
      "inputs.topic",
      "--limit",
      "1",
      "--format",
      "table",
    );
    expect(stdout).toMatch(/multi\|<b>plication +20 +20\.0%/);
    const board = await ask("leaderboard", "--by", "inputs.topic", "--format", "table");
    expect(board.stdout.split("\n")[0]).toMatch(/multi\|<b>plication/);
    expect(board.stdout).toContain("3 values of inputs.topic have a column with the mean of their rows.");
  });

  it("of a report is auto, a field or nothing", async () => {
    const engine = await openEngine({ path: file, readOnly: true });
    try {
      const say = "Most of it comes from inputs.topic";
      expect(await renderReport(engine, PROJECT)).toContain(say);
      expect(await renderReport(engine, PROJECT, { by: "inputs.level" })).toContain(
        "No value of inputs.level",
      );
      expect(await renderReport(engine, PROJECT, { by: "nothing" })).not.toContain(say);
    } finally {
      await engine.close();
    }
  });
});

const timed = join(folder, "timed.duckdb");

/** Twelve rows, of which each takes some seconds more than the one before; the last ones go wrong with a fault. */
function timedRun(id: string, day: number, fault: boolean): object[] {
  const at = (seconds: number) => `2025-01-0${day}T00:00:${String(seconds).padStart(2, "0")}Z`;
  return [
    call(id, "Evaluation.evaluate", { display_name: "agent", started_at: at(0), ended_at: at(59) }),
    ...Array.from({ length: 12 }, (_, i) => [
      call(`${id}-${i}`, TRIAL, {
        parent_id: id,
        started_at: at(0),
        ended_at: at(i + 1),
        inputs: { example: { i } },
        output: { output: "", scores: { ok: !(fault && i >= 6) } },
      }),
      call(`${id}-${i}-p`, "agent.predict", {
        parent_id: `${id}-${i}`,
        started_at: at(0),
        ended_at: at(i + 1),
      }),
    ]).flat(),
  ];
}

describe("slices by what rows took", () => {
  beforeAll(async () => {
    const engine = await openEngine({ path: timed });
    const runs = [timedRun("first", 1, false), timedRun("second", 2, false), timedRun("third", 3, true)];
    await engine.ingestCalls(runs.flat());
    await engine.close();
  });

  const SIDES = ["--baseline", "second", "--candidate", "third", "--format", "table"];
  const timedCompare = (...args: readonly string[]) =>
    evalcubeHere(["compare", "--db", timed, "--project", PROJECT, ...SIDES, ...args]);

  it("are of the run before the baseline, with what its rows took", async () => {
    const { status, stdout } = await timedCompare("--by", "usage:latency_seconds:2");
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    const from = lines.findIndex((line) => line.endsWith("by latency_seconds"));
    expect(lines.slice(from + 3, from + 5).toSorted()).toEqual([
      expect.stringMatching(/^1 of 2: 1\.00 to 6\.00 +6 +100\.0% +100\.0% .*/),
      expect.stringMatching(/^2 of 2: 7\.00 to 12\.00 +6 +100\.0% +0\.0% .*▼ worse/),
    ]);
    const gated = await timedCompare("--by", "usage:latency_seconds:2", "--fail-on", "slice-regressed");
    expect(gated.status).toBe(3);
  });

  it("are described where --by-of names a run that is compared, and no gate judges them", async () => {
    const own = ["--by", "usage:latency_seconds:2", "--by-of", "third"];
    const { status, stdout } = await timedCompare(...own);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^2 of 2: 7\.00 to 12\.00 .*not judged/m);
    expect(stdout).toContain("name an earlier run");
    const gated = await timedCompare(...own, "--fail-on", "slice-regressed");
    expect(gated.status).toBe(2);
    expect(complaint(gated.stderr).reason).toContain("--by-of");
  });

  it("take the run of --by-of beside what a file says of them, and --by replaces the file's", async () => {
    const request = put(folder, "by.json", JSON.stringify({ by: { usage: "latency_seconds", bins: 4 } }));
    const slices = async (...args: readonly string[]) => {
      const { stdout } = await timedCompare(request, ...args, "--format", "json");
      return (JSON.parse(stdout) as { slicing: object }).slicing;
    };
    expect(await slices("--by-of", "third")).toMatchObject({ bins: 4, of: "third" });
    expect(await slices("--by", "usage:latency_seconds")).toMatchObject({ bins: 3, of: "first" });
    expect(await slices("--by", "inputs.i")).toMatchObject({ fields: ["inputs.i"] });
  });

  it.each<readonly [readonly string[], string]>([
    [
      ["--by", "inputs.i", "--by", "usage:steps.count"],
      '--by: "usage:steps.count" stands alone; leave the others out',
    ],
    [["--by", "usage:total_tokens:11"], "--by.bins: must be at most 10, not 11"],
    [["--by", "usage:total_tokens:1"], "--by.bins: must be at least 2, not 1"],
    [["--by", "usage:total_tokns"], '--by.usage: "total_tokns" is nothing that rows take'],
    [
      ["--by", "usage:latency_seconds", "--by-of", "thirt"],
      '--by-of: evaluation "thirt" is not in this project',
    ],
    [["--by", "usage:total_tokens"], '--by: no row that both have has total_tokens in the run "first"'],
    [["--by-of", "first"], "--by-of: it goes with --by usage:NAME alone"],
    [["--by", "inputs.i", "--by-of", "first"], "--by-of: it goes with --by usage:NAME alone"],
  ])("refuse %j", async (args, said) => {
    const { status, stderr } = await timedCompare(...args);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toContain(said);
  });

  it("of a report are sections of its page", async () => {
    const engine = await openEngine({ path: timed, readOnly: true });
    try {
      const by = { usage: "latency_seconds", bins: 2 };
      const asked = { baseline: "second", evaluations: ["second", "third"], by } as const;
      const page = await renderReport(engine, PROJECT, asked);
      expect(page).toContain("2 of 2: 7.00 to 12.00");
    } finally {
      await engine.close();
    }
  });
});
