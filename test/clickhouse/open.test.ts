import { cpSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageFile } from "../../src/package-files.ts";
import { createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import type { ClickHouseOptions } from "../../src/clickhouse/server/options.ts";
import { clickHouseFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import {
  noClickHouse,
  RESTRICTED,
  scratchDatabase,
  sharedClickHouse,
  startClickHouse,
  type ClickHouseServer,
} from "../support/clickhouse-server.ts";
import { root, trial } from "../support/records.ts";
import { scratchFolder } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

describe.skipIf(noClickHouse !== null)(`a database on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  let alone: ClickHouseServer;
  beforeAll(async () => {
    url = await sharedClickHouse();
    alone = await startClickHouse({ coordinator: false });
  });
  afterAll(() => alone.kill());

  async function open(options: Partial<ClickHouseOptions> = {}, readOnly = false, wanted = {}) {
    const database = await openDatabase({ url, database: "", ...options }, wanted, readOnly);
    onTestFinished(() => database.client.close());
    return database;
  }

  async function administer(statement: string) {
    const client = createClient({ url });
    await client.command({ query: statement });
    await client.close();
  }

  it("is created with its conventions, and opened again with them", async () => {
    const database = scratchDatabase(url);
    const first = await open({ database }, false, { attributeNamespaces: ["own"] });
    expect(first).toMatchObject({ conventions: { attributeNamespaces: ["own"] }, hasCoordinator: true });
    expect(await open({ database }, true)).toMatchObject({ conventions: first.conventions });
    await expect(open({ database }, false, { attributeNamespaces: ["other"] })).rejects.toMatchObject({
      code: "other_conventions",
    });
  });

  it("is made once by processes that open it at the same time", async () => {
    const database = scratchDatabase(url);
    const opened = await Promise.allSettled(
      ["a", "b", "c"].map((name) => open({ database }, false, { attributeNamespaces: [name] })),
    );
    const made = opened.flatMap((one) =>
      one.status === "fulfilled" ? [one.value.conventions.attributeNamespaces] : [],
    );
    const refused = opened.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    expect(made).toHaveLength(1);
    expect(refused).toMatchObject([{ code: "other_conventions" }, { code: "other_conventions" }]);
    expect((await open({ database })).conventions.attributeNamespaces).toEqual(made[0]);
  });

  it("says that there is none for who only reads", async () => {
    await expect(open({ database: scratchDatabase(url) }, true)).rejects.toMatchObject({
      code: "no_database",
    });
  });

  it("of another program, or of a newer version, is refused", async () => {
    const foreign = scratchDatabase(url);
    await administer(`CREATE DATABASE ${foreign}`);
    await administer(`CREATE TABLE ${foreign}.theirs (x UInt8) ENGINE = MergeTree ORDER BY x`);
    await expect(open({ database: foreign })).rejects.toMatchObject({ code: "foreign_database" });
    const newer = scratchDatabase(url);
    await open({ database: newer });
    await administer(`INSERT INTO ${newer}.evalcube_format (format, version) VALUES ('evalcube', 9999)`);
    await expect(open({ database: newer })).rejects.toMatchObject({ code: "newer_database" });
  });

  it("is changed by a second migration, once, and only for who writes", async () => {
    const migrations = scratchFolder();
    cpSync(path.join(import.meta.dirname, "../../sql/clickhouse/migrations"), migrations, {
      recursive: true,
    });
    const added =
      "-- Notes; on trials.\nALTER TABLE trials ADD COLUMN IF NOT EXISTS note String DEFAULT 'none'";
    const current = readdirSync(migrations).length;
    writeFileSync(path.join(migrations, `00${current + 1}-notes.sql`), `${added};\n`);
    const options = { url, database: scratchDatabase(url) };
    const first = await openLoading(url, options.database);
    await first.ingestCalls([root(), trial("t", 1)]);
    await expect(openDatabase(options, {}, true, migrations)).rejects.toMatchObject({
      code: "old_database",
      message: expect.stringContaining(`format ${current} is older than ${current + 1}`),
    });
    for (const readOnly of [false, false, true])
      await (await openDatabase(options, {}, readOnly, migrations)).close();
    const { client } = first.database;
    expect(await client.rows("SELECT note FROM trials")).toEqual([["none"]]);
    const versions = await client.rows(
      "SELECT version FROM evalcube_format WHERE format = 'evalcube' ORDER BY version",
    );
    expect(versions.map(([version]) => version)).toEqual(
      Array.from({ length: current + 1 }, (_, i) => i + 1),
    );
    await expect(open(options)).rejects.toMatchObject({ code: "newer_database" });
  });

  it("whose making was stopped halfway is made by the next writer, and is none for a reader", async () => {
    const database = scratchDatabase(url);
    await open({ database });
    await administer(`TRUNCATE TABLE ${database}.evalcube_format`);
    for (const table of ["scores", "usage", "conventions"])
      await administer(`DROP TABLE ${database}.${table} SYNC`);
    await expect(open({ database }, true)).rejects.toMatchObject({ code: "no_database" });
    const made = await openLoading(url, database);
    expect(await made.ingestCalls([root(), trial("t", 1, { acc: 1 })])).toMatchObject({ stored: 2 });
  });

  it("of several shards is refused", async () => {
    const database = scratchDatabase(url);
    await open({ database });
    await administer(`INSERT INTO ${database}.conventions SELECT 0, '[]', '[]', 2, true`);
    await expect(open({ database })).rejects.toMatchObject({ code: "other_cluster" });
  });

  it("works without a coordinator, and knows it", async () => {
    expect(await open({ url: alone.url, database: "alone" })).toMatchObject({ hasCoordinator: false });
  });

  it("without a coordinator refuses to write while another process does, until that ends or falls silent", async () => {
    const { database, ingestCalls } = await openLoading(alone.url, scratchDatabase(alone.url));
    const { client } = database;
    const another = (secondsAgo: number) =>
      client.run(
        "INSERT INTO loads (load, state, writer, at) SELECT 1, 'open', 'another', now64(6) - toIntervalSecond({secondsAgo: UInt32})",
        { secondsAgo },
      );
    await another(61);
    expect(await ingestCalls([root()])).toMatchObject({ stored: 1 });
    await another(1);
    await expect(ingestCalls([trial("t", 1)])).rejects.toMatchObject({ code: "locked_database" });
    expect((await clickHouseFacts(client, false)).trials).toEqual([]);
    await client.run("INSERT INTO loads (load, state, commit, loads) SELECT 1, 'visible', 2, [1]");
    expect(await ingestCalls([trial("t", 1)])).toMatchObject({ stored: 1 });
    expect((await clickHouseFacts(client, false)).trials).toHaveLength(1);
  });

  it("has roles that the server can read", async () => {
    const { client } = await open({ database: scratchDatabase(url) });
    const text = packageFile("sql/clickhouse/roles.sql").replaceAll(/^--.*$/gm, "");
    for (const statement of text.split(";").filter((one) => one.trim() !== ""))
      expect(await client.rows("SELECT formatQuery({statement: String})", { statement })).toHaveLength(1);
  });

  it("says what is wrong with a server or a user, and shows no password", async () => {
    const database = scratchDatabase(url);
    const { password } = RESTRICTED;
    await expect(open({ url: "http://127.0.0.1:1", database })).rejects.toMatchObject({
      code: "unreachable",
    });
    const refused = await open({ database, username: "nobody", password }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "bad_credentials" });
    expect(String(refused)).not.toContain(password);
    await expect(open({ url: alone.url, database, ...RESTRICTED })).rejects.toMatchObject({
      code: "not_allowed",
      message: expect.stringContaining(`CREATE DATABASE IF NOT EXISTS ${database}`),
    });
  });

  it.each([
    ["url", { url: "clickhouse://host" }],
    ["url", { url: "http://user:secret@host" }],
    ["database", { database: "a; DROP" }],
    ["requestTimeoutMs", { requestTimeoutMs: 0 }],
    ["settings", { settings: { join_use_nulls: 0 } }],
    ["accessToken", { accessToken: "t", username: "u" }],
  ])("refuses a wrong %s: %o", async (member, options) => {
    const error = await open({ database: "d", ...options }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "invalid_option", message: expect.stringContaining(member) });
    expect(String(error)).not.toContain("secret");
  });
});
