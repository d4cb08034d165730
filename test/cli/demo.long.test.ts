import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evalcube, temporaryFolder } from "./command.ts";
import type { Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";
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
    expect(first.stdout).toMatch(/^evalcube-demo\.duckdb: 19,148 calls of 20 evaluations are there now\.\n/);
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
      "support (2026-06-29) is worse than support (2026-06-15): 78.8% against 89.9%. One more run shows whether it stays so.",
    );
    expect(shown).toContain("support (2026-06-29): 11 of 110 trials in error");
    expect(shown).toMatch(/7 × RateLimitError: 429 .* in # ms\n +4 × TimeoutError: no answer within # s\n/);
    expect(shown.trimEnd()).toMatch(
      /npx evalcube compare --db evalcube-demo\.duckdb --project demo\/support \\\n +--baseline latest~1 --candidate latest --by inputs\.topic$/,
    );
  });

  it("shows the models in the order and with the numbers that their authors publish", () => {
    expect(first.stdout).toMatch(
      /1 {2}claude-3-5-sonnet-20241022 +1,319 +100\.00 % +96\.66 % +96\.66 % +96\.77 % +2 +↓1\n/,
    );
    expect(first.stdout).toMatch(
      /5 {2}gemini-1\.5-flash-exp-0827 +681 +100\.00 % +95\.01 % +95\.01 % +95\.01 % +5\n/,
    );
    expect(first.stdout).toMatch(/14 {2}gemma-2-2b-it +1,319 +99\.62 % +51\.63 % +51\.63 % +52\.28 % +14\n/);
  });

  it("shows pass^1 to pass^4 beside the published ones", () => {
    for (const [k, figure] of ["0.420", "0.273", "0.220", "0.200"].entries()) {
      expect(first.stdout).toMatch(new RegExp(`pass\\^${k + 1} +${figure} +${figure}\n`));
    }
  });

  it("divides the common rows and shows those on which the models differ", () => {
    expect(first.stdout).toContain(
      "Of 681 common rows, all models pass 169, none passes 8, and on 504 they differ.",
    );
    expect(first.stdout).toMatch(/question 159 +12 of 14( +[✓✗]){14}\n/);
  });

  it("ends with the command that shows all of it in a browser", () => {
    expect(first.stdout).toMatch(/\n\nnpx evalcube view --db evalcube-demo\.duckdb --open\n$/);
  });

  it("has the leaderboard before that, and the command that prints it", () => {
    const leaderboard = first.stdout.slice(first.stdout.indexOf("\nLeaderboard\n"));
    expect(leaderboard).toContain(
      "npx evalcube leaderboard --db evalcube-demo.duckdb --project demo/zeroeval-gsm --scorer correct",
    );
    expect(leaderboard).toMatch(
      /claude-3-5-sonnet-20241022 +96\.7% ± 1\.0 +1–5 +best +96\.7% +1,319 +1,319\n/,
    );
    expect(leaderboard).toMatch(/gpt-4o-2024-08-06 +96\.2% ± 1\.0 +1–5 +○ not shown worse /);
    expect(leaderboard).toMatch(/gpt-4o-mini-2024-07-18 +94\.2% ± 1\.3 +4–6 +▼ worse /);
    expect(leaderboard).toMatch(/95% together \(91 pairs, ranges\)\.\n\nnpx/);
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
    expect(JSON.parse(stdout)).toMatchObject({
      received: 19_148,
      stored: 0,
      support: { comparison: { comparisons: [{ verdict: "regressed" }] }, history: { name: "support" } },
      published: { gsm: { best: "gsm-o1-mini-2024-09-12" } },
    });
  });

  it("prints commands that run as they are", () => {
    const script = first.stdout.slice(
      first.stdout.indexOf("Every evaluation"),
      first.stdout.indexOf("Your own"),
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
