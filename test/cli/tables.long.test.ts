import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { complaint, evalcube, exampleCalls, PROJECT, put, start, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const request = JSON.stringify({ evaluation_call_ids: ["good", "the bad one"] });
const database = ["--db", join(folder, "qa.duckdb"), "--project", PROJECT];

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "qa.duckdb") });
  await engine.ingestCalls(exampleCalls());
  await engine.close();
});

describe("export", () => {
  it("writes the trials of a request to a file and says how many they are", async () => {
    const file = put(folder, "request.json", request);
    const out = join(folder, "table.parquet");
    const ended = await evalcubeHere(["export", ...database, file, "--format", "parquet", "--out", out]);
    expect(ended).toEqual({
      status: 0,
      stdout: "",
      stderr: "6 trials\n",
    });
    const rows = await runOn(
      ":memory:",
      `SELECT "scores.correct", "scores.length" FROM '${out}' ORDER BY ALL`,
    );
    expect(rows).toEqual([
      [false, 1.5],
      [false, 2.5],
      [true, 0.5],
      [true, 0.5],
      [true, 1.5],
      [true, 2.5],
    ]);
  });

  it("writes to standard output", async () => {
    const ended = await evalcube(
      ["export", ...database, "-", "--format", "csv", "--out", "-"],
      folder,
      request,
    );
    expect(ended.status).toBe(0);
    expect(ended.stdout.split("\r\n")).toHaveLength(8);
    expect(ended.stdout).toMatch(/^"row_digest","row_order",/);
  });

  it("takes wrong usage and invalid requests for what they are", async () => {
    for (const args of [
      ["--out", "x"],
      ["--format", "xlsx", "--out", "x"],
      ["--format", "csv"],
    ]) {
      const { status, stderr } = await evalcubeHere(["export", ...database, ...args]);
      expect(status).toBe(2);
      expect(complaint(stderr).detail).toHaveLength(1);
    }
    const bad = await evalcubeHere(
      ["export", ...database, "-", "--format", "csv", "--out", join(folder, "x")],
      '{"limit":-1}',
    );
    expect(bad.status).toBe(2);
    const nowhere = await evalcubeHere([
      "export",
      ...database,
      "--evaluation",
      "latest",
      "--format",
      "csv",
      "--out",
      join(folder, "no", "x"),
    ]);
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining("cannot write") as unknown });
    expect(readdirSync(folder)).not.toContain("x");
  });
});

describe("sql", () => {
  const statement = `SELECT scorer_key, count(*) AS n, sum(n) AS total, avg(numeric_value) AS mean, min(started_at) AS first
    FROM scores JOIN trials USING (trial_id), (SELECT 2 AS n) GROUP BY scorer_key ORDER BY scorer_key`;

  it("prints a result as a table", async () => {
    const { status, stdout, stderr } = await evalcubeHere([
      "sql",
      ...database,
      statement,
      "--format",
      "table",
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/scorer_key +n +total +mean +first\n/);
    expect(stdout).toMatch(/correct +6 +12 +– +2025-01-01T00:00:00.000Z\n/);
    expect(stdout).toMatch(/length +6 +12 +1\.5 +2025/);
    expect(stdout).toMatch(/\n2 records\n$/);
  });

  it("prints every record of a table to a pipe", async () => {
    const long = "SELECT i, (i * i)::varchar AS t FROM range(5000) AS r(i)";
    const { stdout } = await evalcubeHere(["sql", ...database, long, "--format", "table"]);
    const lines = stdout.split("\n");
    expect(lines).toHaveLength(2 + 5000 + 3);
    expect(lines.slice(2, 5002).map((line) => Number(line.split(/ +/).find((word) => word !== "")))).toEqual(
      Array.from({ length: 5000 }, (_, i) => i),
    );
    expect(lines.at(-2)).toBe("5,000 records");
  });

  it("prints JSON, lines of it, and CSV", async () => {
    const short =
      "SELECT 'é\"' AS \"a'b\", i, NULL AS n, '' AS e, [i] AS l FROM range(2) AS t(i) ORDER BY i DESC";
    const printed = async (format: string) =>
      (await evalcubeHere(["sql", ...database, short, "--format", format])).stdout;
    const records = [1, 0].map((i) => ({ "a'b": 'é"', i, n: null, e: "", l: [i] }));
    expect(JSON.parse(await printed("json"))).toEqual(records);
    expect(
      (await printed("jsonl"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(records);
    expect(await printed("csv")).toBe('"a\'b","i","n","e","l"\r\n"é""",1,,"","[1]"\r\n"é""",0,,"","[0]"\r\n');
    const none = await evalcubeHere(["sql", ...database, "SELECT 1 WHERE false", "--format", "json"]);
    expect(none.stdout).toBe("[]\n");
  });

  it("writes Parquet and Arrow files", async () => {
    await evalcubeHere([
      "sql",
      ...database,
      statement,
      "--format",
      "arrow",
      "--out",
      join(folder, "sql.arrow"),
    ]);
    expect(tableFromIPC(readFileSync(join(folder, "sql.arrow"))).numRows).toBe(2);
    await evalcubeHere([
      "sql",
      ...database,
      statement,
      "--format",
      "parquet",
      "--out",
      join(folder, "sql.parquet"),
    ]);
    expect(await runOn(":memory:", `SELECT scorer_key, n FROM '${join(folder, "sql.parquet")}'`)).toEqual([
      ["correct", 6n],
      ["length", 6n],
    ]);
  });

  it("refuses what is no SELECT over the views", async () => {
    for (const refused of ["DELETE FROM calls", "SELECT * FROM projects", "SELEC", ""]) {
      const { status, stdout, stderr } = await evalcubeHere(["sql", ...database, refused]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(complaint(stderr).detail).toHaveLength(1);
    }
    const late = await evalcubeHere([
      "sql",
      ...database,
      "--time-limit",
      "0.2",
      "SELECT count(*) FROM range(1000000000) AS a(i), range(100000) AS b(j) WHERE i + j < 0",
    ]);
    expect(late).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("longer than 0.2 seconds") as unknown,
    });
  });

  it("ends quietly when the reader of its output has gone", async () => {
    const child = start(
      [
        "sql",
        ...database,
        "SELECT lpad(i::VARCHAR, 100, 'x') FROM range(1000000) AS r(i)",
        "--format",
        "csv",
      ],
      folder,
    );
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.once("data", () => child.stdout.destroy());
    const status = await new Promise((resolve) => child.once("close", resolve));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
