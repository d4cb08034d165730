import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { join } from "node:path";
import { exampleCalls, ndjson, put, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const database = ["--db", join(folder, "qa.duckdb")];

beforeAll(async () => {
  const ended = exampleCalls().map((one) => ({ ...one, ended_at: "2025-01-01T00:00:09Z" }));
  await evalcubeHere(["ingest", ...database, put(folder, "ended.ndjson", ndjson(ended))]);
});

const COMMANDS = [
  ["query", "--evaluation", "good"],
  ["evaluations"],
  ["ingest", put(folder, "calls.ndjson", ndjson(exampleCalls()))],
  ["import", "--project", "acme/qa", put(folder, "a.csv", "id,score\n1,1\n")],
  ["compare", "--baseline", "good", "--candidate", "bad"],
  ["leaderboard", "--evaluation", "good"],
  ["agreement", "--evaluation", "good", "--a", "correct", "--b", "correct"],
  ["items", "--evaluation", "good", "--scorer", "correct"],
  ["history", "the good one"],
  ["sql", "select 1 as n"],
];

const isJson = (text: string) => /^[[{]/.test(text) && JSON.parse(text) !== null;

describe("the format of what a command prints", () => {
  it.each(COMMANDS)("is JSON in a pipe, and a table or text on a terminal: %s", async (name, ...args) => {
    const piped = await evalcubeHere([name, ...database, ...args]);
    expect([piped.status, isJson(piped.stdout)]).toEqual([0, true]);
    const screen = await evalcubeHere([name, ...database, ...args], "", { isTTY: true, columns: 200 });
    expect([screen.status, isJson(screen.stdout)]).toEqual([0, false]);
    expect(screen.stdout.includes("─")).toBe(name !== "compare");
  });

  it.each(COMMANDS)("is the one that is asked for: %s", async (name, ...args) => {
    const flag = name === "import" ? "--print" : "--format";
    const tty = { isTTY: true, columns: 200 };
    expect(isJson((await evalcubeHere([name, ...database, ...args, flag, "json"], "", tty)).stdout)).toBe(
      true,
    );
    expect((await evalcubeHere([name, ...database, ...args, flag, "table"])).stdout).toContain("─");
  });

  it("leaves notes and gates on standard error in both", async () => {
    const args = ["compare", ...database, "--baseline", "good", "--candidate", "bad"];
    for (const format of ["json", "table"]) {
      const { status, stderr } = await evalcubeHere([
        ...args,
        "--format",
        format,
        "--fail-on",
        "correct<90%",
      ]);
      expect(status).toBe(3);
      expect(stderr).toMatch(/^evalcube: correct<90%: /m);
    }
  });
});

const module = (wrong: number) =>
  put(
    folder,
    `run-${wrong}.mjs`,
    `export default { name: "sums", id: "run-${wrong}", model: "m", data: [1, 2, 3],
      task: (n) => n + (n < ${wrong} ? 1 : 0), scorers: { right: ({ row, output }) => output === row } };`,
  );
const run = (wrong: number, ...args: readonly string[]) =>
  evalcubeHere(["run", module(wrong), "--db", join(folder, "run.duckdb"), "--project", "acme/sums", ...args]);

describe("the format of run", () => {
  it("is text in a pipe too, and with json one object, whatever the gates say", async () => {
    expect((await run(0)).stdout).toContain("─");
    const { status, stdout, stderr } = await run(3, "--format", "json", "--fail-on", "right<90%");
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [{ id: "run-3", trials: 3 }],
      summary: { evaluations: [{ evaluation_call_id: "run-3" }] },
      comparison: { comparisons: [{ baseline: "run-0", candidate: "run-3" }] },
    });
    expect(stderr).toContain("evalcube: right<90%: ");
    const alone = await run(4, "--format", "json", "--baseline", "none");
    expect(JSON.parse(alone.stdout)).toMatchObject({ comparison: null });
  });
});
