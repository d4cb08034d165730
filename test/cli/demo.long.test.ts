import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evalcube, temporaryFolder } from "./command.ts";
import type { Ended } from "./command.ts";
import { drawLines, firstTable } from "../docs/demo-picture.ts";
import { ROOT } from "../docs/pages.ts";
import { evalcubeHere } from "./in-process.ts";
import type { LeaderboardEntry } from "../../src/index.ts";
import { builtProgram } from "../support/built-program.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const DATABASE = "evalcube-demo.duckdb";
let first: Ended;

beforeAll(async () => {
  first = await evalcube(["demo"], folder);
});

describe("demo", () => {
  it("keeps the calls in evalcube-demo.duckdb in the current folder and says so", () => {
    expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: "" });
    expect(first.stdout).toMatch(/^evalcube-demo\.duckdb: 21,297 calls of 23 evaluations are there now\.\n/);
    expect(existsSync(join(folder, DATABASE))).toBe(true);
  });

  it("writes a page about them, and says where", () => {
    expect(first.stdout).toContain("\nevalcube-demo-report.html shows the published ones in a browser.\n");
    const page = readFileSync(join(folder, "evalcube-demo-report.html"), "utf8");
    expect(page).toContain("claude-3-5-sonnet-20241022");
  });

  it("says first what changed in the assistant, where its last run got worse", () => {
    const shown = first.stdout.slice(0, first.stdout.indexOf("\n1  Which model is better?"));
    expect(shown).toContain("support (2026-06-29) is worse than support (2026-06-22) in correct.");
    expect(shown.replaceAll(/\s+/g, " ")).toContain(
      "Most of it comes from inputs.topic = returns: −54.5 points on 22 rows, +2.6 on the 77 others.",
    );
    expect(shown.replaceAll(/\s+/g, " ")).toContain(
      "support (2026-06-29) is worse than support (2026-06-15): 78.8% against 89.9%. One more run may show whether it stays so.",
    );
    expect(shown).toContain("support (2026-06-29): 11 of 110 trials in error");
    expect(shown).toMatch(/7 × RateLimitError: 429 .* in # ms\n +4 × TimeoutError: no answer within # s\n/);
    expect(shown.trimEnd()).toMatch(
      /npx evalcube compare --db evalcube-demo\.duckdb --project demo\/support \\\n +--baseline latest~1 --candidate latest --by inputs\.topic$/,
    );
  });

  it("shows the models in the order and with the numbers that their authors publish", () => {
    expect(first.stdout).toMatch(/claude-3-5-sonnet-20241022 +96\.7% ± 1\.0 +1–5 +best +1,319 +96\.7%\n/);
    expect(first.stdout).toMatch(/gpt-4o-2024-08-06 +96\.2% ± 1\.0 +1–5 +○ not shown worse +1,319 +96\.2%\n/);
    expect(first.stdout).toMatch(/gemini-1\.5-flash-exp-0827 .* \* +681 +95\.0%\n/);
    expect(first.stdout).toMatch(/gpt-4o-mini-2024-07-18 +94\.2% ± 1\.3 +4–6 +▼ worse +1,319 +94\.2%\n/);
    expect(first.stdout).toMatch(/gemma-2-2b-it +51\.6% ± 2\.7 +13–14 +▼ worse +1,319 +51\.6%\n/);
    expect(first.stdout).toContain(
      "95% together (91 pairs, ranges).\n   * Alone it would have shown a difference; among 91 pairs it does not.",
    );
    expect(first.stdout).toContain(
      "npx evalcube leaderboard --db evalcube-demo.duckdb --project demo/zeroeval-gsm --scorer correct",
    );
  });

  it("prints the table that the picture of the README shows", () => {
    const picture = readFileSync(join(ROOT, "docs/pictures/demo.svg"), "utf8");
    expect(picture, "draw it anew: see CONTRIBUTING.md").toBe(drawLines(firstTable(first.stdout)));
  });

  it("says by how much one of two is worse", () => {
    expect(first.stdout).toContain("gpt-4o-mini-2024-07-18 is worse than gpt-4o-2024-08-06 in correct.");
    expect(first.stdout).toContain(
      "94.2% against 96.2%: −2.0 points (95% interval −3.1 to −0.9, p = 0.00036,",
    );
  });

  it("shows pass^1 to pass^4 as the authors print them", () => {
    for (const [k, figure] of ["42.0%", "27.3%", "22.0%", "20.0%"].entries())
      expect(first.stdout).toMatch(new RegExp(` ${k + 1} +\\d\\d\\.\\d% +${figure} +50 rows\n`));
    expect(first.stdout).toContain("The authors print 42.0%, 27.3%, 22.0%, 20.0% for pass^1 to pass^4.");
  });

  it("ends with the command that shows all of it in a browser", () => {
    expect(first.stdout).toMatch(/\n\nnpx evalcube view --db evalcube-demo\.duckdb --open\n$/);
  });

  it("fits into 100 columns and holds no escape codes outside a terminal", () => {
    for (const line of first.stdout.split("\n")) expect(Array.from(line).length).toBeLessThanOrEqual(100);
    expect(first.stdout).not.toContain("\u001b");
  });

  it("stores nothing twice and reports the same when it runs again, here with --db", async () => {
    const path = join(folder, DATABASE);
    const second = await evalcubeHere(["demo", "--db", path]);
    expect(second).toEqual({
      ...first,
      stdout: first.stdout
        .replace("are there now", "were there already")
        .replaceAll(DATABASE, path)
        .replace("evalcube-demo-report.html", join(folder, "evalcube-demo-report.html")),
    });
  });

  it("prints one JSON object where it is asked to", async () => {
    const { stdout } = await evalcubeHere(["demo", "--db", join(folder, DATABASE), "--format", "json"]);
    const { entries } = (
      JSON.parse(stdout) as { published: { leaderboard: { entries: readonly LeaderboardEntry[] } } }
    ).published.leaderboard;
    const less = entries.flatMap(({ evaluation_call_id: id, against_best: one }) =>
      one?.alone !== undefined && one.alone.verdict !== one.verdict
        ? [[id, one.alone.verdict, one.verdict]]
        : [],
    );
    expect(less).toEqual([["gsm-gemini-1.5-flash-exp-0827", "regressed", "inconclusive"]]);
    expect(JSON.parse(stdout)).toMatchObject({
      received: 21_297,
      stored: 0,
      support: { comparison: { comparisons: [{ verdict: "regressed" }] }, history: { name: "support" } },
      published: { comparison: { comparisons: [{ verdict: "regressed" }] }, trials: { row_count: 50 } },
    });
  });

  it("prints commands that run as they are", () => {
    const script = first.stdout.slice(
      first.stdout.indexOf("The rows first"),
      first.stdout.indexOf("3  Does it"),
    );
    const commands = script.split("\n").filter((line) => line.startsWith("     "));
    const text = commands
      .join("\n")
      .replaceAll("npx evalcube", `${process.execPath} ${builtProgram("cli/main")}`);
    const { status, stdout, stderr } = spawnSync("sh", ["-ec", text], { cwd: folder, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      /gsm-gpt-4o-2024-08-06 +gpt-4o-2024-08-06 +1,319 rows \([0-9a-f]{6}\) +2024-11-01T01:00:00 +finished +1,319 +0\n/,
    );
    expect(stdout).toMatch(/gpt-4o-mini-2024-07-18 +answered +1,319 of 1,319/);
  });
});
