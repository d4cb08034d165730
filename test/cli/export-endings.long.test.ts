import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openEngine } from "../../src/index.ts";
import { ended, exampleCalls, PROJECT, start, startWithoutRoom, temporaryFolder } from "./command.ts";
import { notLinux } from "../support/platform.ts";
import { because } from "../support/skipped.ts";
import { until } from "../support/until.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const database = ["--db", join(folder, "qa.duckdb"), "--project", PROJECT];
/** Of several megabytes in any format. */
const LONG = "SELECT md5(i::varchar) AS a, md5((-i)::varchar) AS b FROM range(200000) AS t(i)";
/** Longer than a test may take. */
const ENDLESS = "SELECT md5(i::varchar) AS a FROM range(10000000000) AS t(i)";

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "qa.duckdb") });
  await engine.ingestCalls(exampleCalls());
  await engine.close();
});

/** A new folder for what a command writes. */
function outputs(name: string): string {
  const made = join(folder, name);
  mkdirSync(made);
  return made;
}

describe("a command that writes", () => {
  it.each(["parquet", "csv"] as const)(
    "says where there is no room for the file, and leaves nothing: %s",
    async (format) => {
      const made = outputs(`full-${format}`);
      const out = join(made, "table");
      const child = startWithoutRoom(["sql", ...database, LONG, "--format", format, "--out", out], folder);
      expect(await ended(child)).toEqual({
        status: 1,
        stdout: "",
        stderr: expect.stringMatching(/^evalcube: cannot write ".*\/table": [Ff]ile too large\n$/) as unknown,
      });
      expect(readdirSync(made)).toEqual([]);
    },
  );

  it.each([
    ["SIGINT", 130, "csv"],
    ["SIGTERM", 143, "parquet"],
  ] as const)("ends with its status on %s, and leaves nothing (%i, %s)", async (signal, status, format) => {
    const made = outputs(`${signal}-${format}`);
    const out = join(made, "table");
    const args = ["sql", ...database, "--time-limit", "1000", ENDLESS, "--format", format, "--out", out];
    const child = start(args, folder);
    await until("the command writes its file", () => readdirSync(made).length > 0);
    child.kill(signal);
    expect(await ended(child)).toEqual({ status, stdout: "", stderr: "" });
    expect(readdirSync(made)).toEqual([]);
  });

  it.skipIf(notLinux !== null).each([
    ["csv", "file"],
    ["parquet", "stream"],
  ] as const)(
    `that was killed leaves nothing beyond the next one: %s to a %s${because(notLinux)}`,
    async (format, target) => {
      const made = outputs(`killed-${format}-${target}`);
      vi.stubEnv("TMPDIR", made);
      onTestFinished(() => void vi.unstubAllEnvs());
      const files = () => readdirSync(made);
      const out = target === "file" ? join(made, "table") : "-";
      const args = ["--time-limit", "1000", "--format", format, "--out", out];
      const child = start(["sql", ...database, ENDLESS, ...args], folder);
      await until("the command makes its file", () => files().length > 0);
      child.kill("SIGKILL");
      child.stdout.resume();
      await once(child, "close");
      expect(files()).toHaveLength(1);
      expect(await evalcubeHere(["sql", ...database, "SELECT 1 AS a", ...args])).toMatchObject({ status: 0 });
      expect(files()).toEqual(target === "file" ? ["table"] : []);
    },
  );

  it("ends quietly when its reader has gone", async () => {
    const child = start(["sql", ...database, "--time-limit", "1000", ENDLESS, "--format", "arrow"], folder);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.once("data", () => child.stdout.destroy());
    const [status] = (await once(child, "close")) as [number | null];
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("a terminal", () => {
  it.each(["parquet", "arrow"])("is sent no %s", async (format) => {
    for (const args of [
      ["export", ...database, "--format", format, "--out", "-"],
      ["sql", ...database, "SELECT 1", "--format", format],
    ]) {
      const { status, stdout, stderr } = await evalcubeHere(args, "", { isTTY: true });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toBe(`evalcube: ${format} cannot be written to a terminal; use --out or a pipe\n`);
    }
  });

  it("is sent as much of a table as people read, and no more is computed", async () => {
    const terminal = { isTTY: true, columns: 80 };
    const { status, stdout, stderr } = await evalcubeHere(["sql", ...database, ENDLESS], "", terminal);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines).toHaveLength(2 + 200 + 3);
    expect(lines.at(-2)).toBe("Shown: the first 200 records; --out FILE.csv writes all.");
  });

  it("is sent text", async () => {
    const { stdout } = await evalcubeHere(["sql", ...database, "SELECT 1 AS a", "--format", "csv"], "", {
      isTTY: true,
    });
    expect(stdout).toBe('"a"\r\n1\r\n');
  });
});

describe("a file to write", () => {
  it("is not the database that is read", async () => {
    for (const name of ["qa.duckdb", "qa.duckdb.wal"]) {
      const out = join(folder, name);
      const asked = ["export", ...database, "--evaluation", "latest", "--format", "csv", "--out", out];
      const { status, stderr } = await evalcubeHere(asked);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `evalcube: cannot write ${JSON.stringify(out)}: it belongs to an open database; choose another name\n`,
      });
    }
    const { stdout } = await evalcubeHere(["evaluations", ...database]);
    expect(JSON.parse(stdout)).toHaveLength(2);
  });
});
