import { createClient } from "@clickhouse/client";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ClickHouse, StatementOptions } from "../../src/clickhouse/server/client.ts";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import { joinReplicas } from "../../src/clickhouse/open/replica.ts";
import { noClickHouse, startClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

interface Server {
  readonly engine?: string;
  readonly replicas?: number;
  readonly shards?: number;
  /** How often its tables are found to be read-only. */
  readonly readOnly?: number;
}

/** A server that answers what is asked about replicas, and notes what it is told to do. */
function pretend({ engine = "Replicated", replicas = 2, shards = 1, readOnly = 0 }: Server = {}) {
  const told: string[] = [];
  let left = readOnly;
  const note = (statement: string, settings: StatementOptions["settings"]) =>
    void told.push(`${statement}${settings?.insert_quorum === "auto" ? " with quorum" : ""}`);
  const client: ClickHouse = {
    rows: async (statement) => {
      if (statement.includes("engine")) return [[engine]];
      if (statement.includes("system.clusters")) return [[shards]];
      return statement.includes("total_replicas") ? [[replicas]] : [["loads", left-- > 0 ? 1 : 0]];
    },
    arrow: () => Promise.reject(new Error("nothing is read")),
    run: async (statement, _, given) => note(statement, given?.settings),
    insert: async (table, _, __, given) => note(`INSERT INTO ${table}`, given?.settings),
    catchUp: async () => undefined,
    close: async () => undefined,
  };
  return { client, told };
}

const join = (client: ClickHouse) => joinReplicas(client, "evals", "host/evals", async () => undefined);

describe("a database on one of several servers", () => {
  it("is that of one server where it has another engine", async () => {
    const { client, told } = pretend({ engine: "Atomic" });
    expect(await join(client)).toEqual({ client, isReplicated: false });
    expect(told).toEqual([]);
  });

  it("has all tables, and what they have, before it is used", async () => {
    const { client, told } = pretend();
    expect(await join(client)).toMatchObject({ isReplicated: true });
    expect(told.map((one) => one.replace(" with quorum", ""))).toEqual([
      "SYSTEM SYNC DATABASE REPLICA evals",
      "SYSTEM SYNC REPLICA loads LIGHTWEIGHT",
    ]);
  });

  it("catches up again when the state is another one, or none is named", async () => {
    const { client, told } = pretend();
    const replica = (await join(client)).client;
    told.length = 0;
    for (const state of ["1", "1", "2", undefined, undefined, "2"])
      await replica.catchUp(["trials", "gone"], state);
    expect(told.filter((one) => one.includes("trials"))).toHaveLength(4);
    expect(told.filter((one) => one.includes("gone"))).toHaveLength(4);
  });

  it("stores on more than half of the replicas, and waits for no other where there is one", async () => {
    for (const [replicas, stored] of [
      [1, "INSERT INTO loads"],
      [2, "INSERT INTO loads with quorum"],
    ] as const) {
      const { client, told } = pretend({ replicas });
      await (await join(client)).client.insert("loads", ["load"], []);
      expect(told.at(-1)).toBe(stored);
    }
  });

  it("is refused where its servers are several shards", async () => {
    const { client, told } = pretend({ shards: 2 });
    await expect(join(client)).rejects.toMatchObject({
      code: "unsupported_on_backend",
      message: expect.stringContaining("several names of shards"),
    });
    expect(told.filter((one) => one.includes("loads"))).toEqual([]);
  });

  it("is refused where the replica stays read-only, and waited for where it is for a moment", async () => {
    expect(await join(pretend({ readOnly: 3 }).client)).toMatchObject({ isReplicated: true });
    await expect(join(pretend({ readOnly: Infinity }).client)).rejects.toMatchObject({
      code: "read_only_replica",
      message: expect.stringContaining("host/evals: the table loads of this replica is read-only"),
    });
  });
});

describe.skipIf(noClickHouse !== null)(`a server that is named a replica${because(noClickHouse)}`, () => {
  it("without a coordinator has no database made, and may have one of its own", async () => {
    const server = await startClickHouse({
      coordinator: false,
      configuration: "<macros><shard>1</shard><replica>a</replica></macros>",
    });
    onTestFinished(() => server.kill());
    const open = async () => (await openDatabase({ url: server.url, database: "evals" }, {}, false)).close();
    await expect(open()).rejects.toMatchObject({
      code: "no_coordinator",
      message: expect.stringContaining("ENGINE = Atomic"),
    });
    const client = createClient({ url: server.url });
    await client.command({ query: "CREATE DATABASE evals ENGINE = Atomic" });
    await client.close();
    await open();
  });
});
