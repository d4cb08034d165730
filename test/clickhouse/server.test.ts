import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { hashKey } from "../../src/model/digest.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  noClickHouse,
  scratchDatabase,
  startClickHouse,
  type ClickHouseServer,
} from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

describe.skipIf(noClickHouse !== null)(`a ClickHouse server of the tests${because(noClickHouse)}`, () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.kill());

  function client() {
    const created = createClient({ url: server.url, log: { level: ClickHouseLogLevel.OFF } });
    onTestFinished(() => created.close());
    return created;
  }

  it("answers the official client with bound values", async () => {
    const answer = await client().query({
      query: "SELECT {key: UInt64} AS key, toTypeName(key) AS type",
      query_params: { key: 18_446_744_073_709_551_615n },
      format: "JSONEachRow",
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    });
    expect(await answer.json()).toEqual([{ key: "18446744073709551615", type: "UInt64" }]);
  });

  it("has a coordinator that lets nobody write one key twice", async () => {
    const database = scratchDatabase(server.url);
    const ours = client();
    await ours.command({ query: `CREATE DATABASE ${database}` });
    const table = `${database}.commits`;
    await ours.command({
      query: `CREATE TABLE ${table} (key String) ENGINE = KeeperMap('/${database}/commits') PRIMARY KEY key`,
    });
    const take = () =>
      ours.command({
        query: `INSERT INTO ${table} SETTINGS keeper_map_strict_mode = 1 VALUES ('1')`,
      });
    await take();
    await expect(take()).rejects.toThrow(/Node exists/);
  });

  it("hashes an identity to the same key", async () => {
    const [projectId, identity] = ["acme/qa", "über\n1"];
    const answer = await client().query({
      query:
        "SELECT reinterpretAsUInt64(SHA256(concat({projectId: String}, char(0), {identity: String}))) AS key",
      query_params: { projectId, identity },
      format: "JSONEachRow",
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    });
    expect(await answer.json()).toEqual([{ key: String(hashKey(projectId, identity)) }]);
  });

  it("ends when it is told to", async () => {
    const short = await startClickHouse({ coordinator: false });
    await short.kill();
    await expect(fetch(`${short.url}/ping`)).rejects.toThrow(/fetch failed/);
  });
});
