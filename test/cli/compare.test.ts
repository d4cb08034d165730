import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
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
  return evalcubeHere(["compare", ...database, ...args], input);
}

describe("compare", () => {
  it("prints a table that ends with one plain sentence a candidate", async () => {
    const { status, stdout, stderr } = await compare([
      "--candidate",
      "good",
      "bad",
      "--lower-is-better",
      "seconds",
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(
      /candidate +score +rows +baseline +candidate mean +difference +95 % interval +p adjusted/,
    );
    expect(stdout).toMatch(/the good one +ok\|<b> +20 +0\.6 +1 +\+0\.4 +.* +8\/0\/12 +improved/);
    expect(lines.at(-2)).toBe(
      "the good one against the base: better in ok|<b> (+0.4, p = 0.0078, 20 rows), seconds (-7.6, p = 0.00011, 20 rows).",
    );
    expect(lines.at(-1)).toMatch(/^the \*bad\* one against the base: worse in ok\|<b> \(-0\.5, p = 0\.002/);
  });

  it("prints the engine's answer as JSON, with what a file adds", async () => {
    const file = put(folder, "more.json", JSON.stringify({ scorers: ["seconds"], margin: 100 }));
    const { status, stdout } = await compare([file, "--candidate", "good", "--format", "json"]);
    expect(status).toBe(0);
    const answer = JSON.parse(stdout) as { comparisons: object[] };
    expect(answer).toMatchObject({ confidence: 0.95, adjust: "benjamini-hochberg", family_size: 1 });
    expect(answer.comparisons).toMatchObject([
      { candidate: "good", scorer_key: "seconds", verdict: "regressed" },
    ]);
  });

  it("prints markdown that no name breaks", async () => {
    const { stdout } = await compare(["--candidate", "bad", "--format", "markdown"]);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("**Against the base, of 2 comparisons: 1 worse, 1 better.**");
    const rows = lines.filter((line) => line.startsWith("|"));
    expect(new Set(rows.map((line) => line.split("|").length)).size).toBe(1);
    expect(stdout).toContain("the &#42;bad&#42; one");
    expect(stdout).toContain("ok&#124;&#60;b&#62;");
    expect(stdout).toMatch(
      /^- the .* against the base: better in seconds \(\+9\.5, p = 0\.00011, 20 rows\); worse in ok/m,
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
    expect(failed.stdout).toContain("improved");
    expect(failed.stderr).toBe(
      "evalcube: regressed: the *bad* one is worse in ok|<b>, difference -0.5 (p = 0.0039, 20 shared rows)\n",
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
    [[], /candidate/],
  ])("ends %j with status 2 and the reason", async (args, reason) => {
    const { status, stdout, stderr } = await compare(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toMatch(reason);
  });
});
