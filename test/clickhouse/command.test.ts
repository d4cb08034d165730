import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { evalcubeHere } from "../cli/in-process.ts";
import { exampleCalls, ndjson, put, temporaryFolder } from "../cli/command.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

/** Commands that ask, each of one database. */
const QUESTIONS = [
  ["evaluations"],
  ["query", "--evaluation", "good", "--evaluation", "bad", "--sort", "scores.length:desc"],
  ["query", "--evaluation", "bad", "--filter", "scores.correct = false", "--format", "table"],
  ["compare", "--baseline", "bad", "--candidate", "good", "--format", "table"],
  ["leaderboard", "--scorer", "correct", "--format", "table"],
  ["items", "--evaluation", "good", "--evaluation", "bad", "--scorer", "correct", "--format", "table"],
  ["agreement", "--evaluation", "good", "--a", "correct", "--b", "length", "--format", "table"],
];

describe.skipIf(noClickHouse !== null)(`the command over a server${because(noClickHouse)}`, () => {
  let url: string;
  const file = join(folder, "evals.duckdb");
  beforeAll(async () => {
    url = await sharedClickHouse();
    const calls = put(folder, "calls.ndjson", ndjson(exampleCalls()));
    await evalcubeHere(["ingest", "--db", file, calls]);
  });

  const addressOf = (database: string) => `clickhouse+http://${new URL(url).host}/${database}`;

  it("copies a database there and back, and says how much", async () => {
    const [address, back] = [addressOf(scratchDatabase(url)), join(folder, "back.duckdb")];
    const there = await evalcubeHere(["migrate", "--db", file, "--to", address]);
    expect(there).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(there.stdout)).toMatchObject({ projects: 1, calls: 8, trials: 6, scores: 12 });
    expect(await evalcubeHere(["migrate", "--db", address, "--to", back])).toMatchObject({
      status: 0,
      stdout: there.stdout,
    });
    const again = await evalcubeHere(["migrate", "--db", file, "--to", address]);
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("holds 1 projects") });
    const maintained = await evalcubeHere(["maintain", "--db", address]);
    expect(JSON.parse(maintained.stdout)).toEqual({ loads_removed: 0, records_removed: 0 });
  });

  it("loads and answers as it does over a file", async () => {
    const address = addressOf(scratchDatabase(url));
    const calls = join(folder, "calls.ndjson");
    expect(await evalcubeHere(["ingest", "--db", address, calls])).toMatchObject({ status: 0 });
    vi.stubEnv("EVALCUBE_PROJECT", "acme/qa");
    for (const question of QUESTIONS) {
      const expected = await evalcubeHere([...question, "--db", file]);
      expect(expected.status).toBe(0);
      expect(await evalcubeHere([...question, "--db", address])).toEqual(expected);
    }
    vi.unstubAllEnvs();
  });

  it("judges a pull request as it does over a file", async () => {
    const [address, local] = [addressOf(scratchDatabase(url)), join(folder, "one-name.duckdb")];
    const named = exampleCalls().map((one) => ("display_name" in one ? { ...one, display_name: "qa" } : one));
    const calls = put(folder, "one-name.ndjson", ndjson(named));
    for (const db of [address, local]) await evalcubeHere(["ingest", "--db", db, calls]);
    const asked = [
      "ci",
      "--project",
      "acme/qa",
      "--baseline",
      "bad",
      "--candidate",
      "good",
      "--format",
      "json",
    ];
    const expected = await evalcubeHere([...asked, "--db", local]);
    expect(expected).toMatchObject({ status: 0, stderr: "" });
    expect(await evalcubeHere([...asked, "--db", address])).toEqual(expected);
  });

  it("says that SQL is not offered, and who is refused", async () => {
    const address = addressOf(scratchDatabase(url));
    await evalcubeHere(["ingest", "--db", address, join(folder, "calls.ndjson")]);
    expect(await evalcubeHere(["sql", "--db", address, "--project", "acme/qa", "select 1"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("SQL is not offered on ClickHouse"),
    });
    vi.stubEnv("EVALCUBE_CLICKHOUSE_PASSWORD", "c0rrect-horse");
    const refused = await evalcubeHere(["evaluations", "--db", address.replace("://", "://ana@")]);
    vi.unstubAllEnvs();
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("check username and password"),
    });
    expect(refused.stderr).not.toContain("c0rrect-horse");
  });
});
