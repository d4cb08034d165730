import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { readAddress } from "../../src/cli/options/address.ts";
import { temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const PASSWORD = { EVALCUBE_CLICKHOUSE_PASSWORD: "hunter2" };

describe("the value of --db", () => {
  it.each([
    "evals.duckdb",
    ":memory:",
    "/a/b c",
    "clickhouse.duckdb",
    "./clickhouse:evals",
    "C:evals.duckdb",
    String.raw`C:\evals.duckdb`,
    String.raw`\\server\share\evals.duckdb`,
  ])("is a file: %s", (path) => expect(readAddress(path, PASSWORD)).toEqual({ path }));

  it.each([
    ["file:///a/evals.duckdb", "/a/evals.duckdb"],
    ["FILE:///a%20b/evals.duckdb", "/a b/evals.duckdb"],
    ["file://localhost/a/evals.duckdb", "/a/evals.duckdb"],
  ])("is the file that an address names: %s", (text, path) => {
    expect(readAddress(text, PASSWORD)).toEqual({ path });
  });

  it.each([
    "postgres:secret",
    "s3://secret/a",
    "ab:secret",
    "duckdb+x:secret",
    "file:secret",
    "file://secret/a",
  ])("is refused with the forms that there are: %s", async (text) => {
    const { status, stderr } = await evalcubeHere(["evaluations", "--db", text]);
    expect(status).toBe(2);
    expect(stderr).not.toContain("secret");
    expect(stderr).toContain("file:///folder/evals.duckdb");
  });

  it.each([
    ["clickhouse://ch.example/evals", { url: "https://ch.example:8443", database: "evals" }],
    ["clickhouse+http://127.0.0.1/evals", { url: "http://127.0.0.1:8123", database: "evals" }],
    ["ClickHouse://ch.example:9440/evals", { url: "https://ch.example:9440", database: "evals" }],
    ["clickhouse://[::1]:1/evals", { url: "https://[::1]:1", database: "evals" }],
    [
      "clickhouse://an%20a@ch.example/evals?cluster=all",
      { url: "https://ch.example:8443", database: "evals", username: "an a", cluster: "all" },
    ],
  ])("is a database on a server: %s", (text, clickhouse) => {
    expect(readAddress(text, {})).toEqual({ clickhouse });
    expect(readAddress(text, PASSWORD)).toEqual({ clickhouse: { ...clickhouse, password: "hunter2" } });
  });

  it.each([
    "clickhouse://user:secret@host/evals",
    "clickhouse://user:sec/ret@host/evals",
    "clickhouse://host:secret/evals",
    "clickhouse+ftp://user:secret@host/evals",
    "clickhouse:secret",
    "clickhouse://host?secret",
    "clickhouse://host/evals/secret",
    "clickhouse://host/evals#secret",
    "clickhouse://host/evals?password=secret",
    "clickhouse://host/evals?cluster=",
    "clickhouse://%secret@host/evals",
  ])("is refused without being shown: %s", async (text) => {
    const { status, stderr } = await evalcubeHere(["evaluations", "--db", text]);
    expect(status).toBe(2);
    expect(stderr).toContain("the address of the database ");
    expect(stderr).not.toContain("secret");
  });

  it("is refused in the same way where it comes from the environment", async () => {
    vi.stubEnv("EVALCUBE_DB", "clickhouse://user:secret@host/evals");
    const { status, stderr } = await evalcubeHere(["evaluations"]);
    vi.unstubAllEnvs();
    expect(status).toBe(2);
    expect(stderr).toContain("EVALCUBE_CLICKHOUSE_PASSWORD");
    expect(stderr).not.toContain("secret");
  });

  it("of the demo is a file", async () => {
    const { status, stderr } = await evalcubeHere(["demo", "--db", "clickhouse://host/evals"]);
    expect(status).toBe(2);
    expect(stderr).toContain("the demo makes a file");
  });

  it("that is a file must be there for who copies or deletes", async () => {
    const db = join(folder, "nothing.duckdb");
    for (const args of [
      ["backup", "--out", join(folder, "copy")],
      ["delete", "latest"],
    ])
      expect((await evalcubeHere([...args, "--db", db])).stderr).toContain("no such database");
  });
});
