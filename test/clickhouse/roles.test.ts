import { inspect } from "node:util";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { packageFile } from "../../src/package-files.ts";
import { exampleCalls, PROJECT } from "../cli/command.ts";
import { CLUSTER, startClickHouseCluster } from "../support/clickhouse-cluster.ts";
import { noClickHouse, startClickHouse, type ClickHouseServer } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

const SECRET = "c0rrect-horse";
const DATABASE = "evalcube";
const text = packageFile("sql/clickhouse/roles.sql").replaceAll(/^--.*$/gm, "");

const policies = packageFile("sql/clickhouse/row-policies.sql").replaceAll(/^--.*$/gm, "");

/** What the file of policies lets ana see of which tables. */
function policiesOfAna(): { readonly table: string; readonly filter: string }[] {
  return [...policies.matchAll(/ON ([^;]*?)\s+USING ([^;]*) TO ana;/g)].flatMap(
    ([, tables = "", filter = ""]) =>
      tables.split(/,\s+/).map((table) => ({ table: table.replace(`${DATABASE}.`, ""), filter })),
  );
}

/** A user with what the file grants a role: this server takes no roles from statements. */
function userOf(role: string, profile: string, name = role): string {
  const grants = [...text.matchAll(/^GRANT .*;$/gm)]
    .map(([statement]) => statement)
    .filter((statement) => statement.endsWith(` TO ${role};`))
    .map((statement) => `<query>${statement.replace(/ TO \w+;$/, "")}</query>`);
  const filters = policiesOfAna().map(
    ({ table, filter }) => `<${table}><filter>${filter}</filter></${table}>`,
  );
  const databases =
    name === "ana" ? `<databases><${DATABASE}>${filters.join("")}</${DATABASE}></databases>` : "";
  return `<${name}>
    <password>${SECRET}</password><profile>${profile}</profile><quota>default</quota>
    <grants>${grants.join("")}</grants><networks><ip>::/0</ip></networks>${databases}
  </${name}>`;
}

/** The profile that the file makes. */
function profileOfReaders(): string {
  const [, settings = ""] = /PROFILE IF NOT EXISTS evalcube_reads SETTINGS ([^;]*);/.exec(text) ?? [];
  const members = settings.split(",").map((one) => /(\w+) = (\d+)(?: MIN (\d+) MAX (\d+))?/.exec(one) ?? []);
  const values = members.map(([, name = "", value = ""]) => `<${name}>${value}</${name}>`);
  const limits = members
    .filter(([, , , least]) => least !== undefined)
    .map(
      ([, name = "", , least = "", most = ""]) => `<${name}><min>${least}</min><max>${most}</max></${name}>`,
    );
  return `<evalcube_reads>${values.join("")}<constraints>${limits.join("")}</constraints></evalcube_reads>`;
}

const USERS = {
  users: [
    userOf("evalcube_writer", "default"),
    userOf("evalcube_reader", "evalcube_reads"),
    userOf("evalcube_reader", "evalcube_reads", "ana"),
  ].join(""),
  profiles: profileOfReaders(),
};

describe.skipIf(noClickHouse !== null)(`the roles of a server${because(noClickHouse)}`, () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse(USERS);
    await administer(`CREATE DATABASE ${DATABASE}`);
  });
  afterAll(() => server.kill());

  async function administer(query: string, username = "default", url = server.url) {
    const password = username === "default" ? "" : SECRET;
    const client = createClient({
      url,
      username,
      password,
      log: { level: ClickHouseLogLevel.OFF },
    });
    try {
      await client.command({ query });
    } finally {
      await client.close();
    }
  }

  /** The tables but for those that no project has a part in. */
  async function tablesOfProjects(): Promise<string[]> {
    const client = createClient({ url: server.url });
    const query = `SELECT name FROM system.tables WHERE database = '${DATABASE}'
      AND name NOT IN ('commits', 'conventions', 'evalcube_format', 'loads') ORDER BY name`;
    const found = await client.query({ query, format: "JSONCompactEachRow" });
    const tables = (await found.json<[string]>()).map(([table]) => table);
    await client.close();
    return tables;
  }

  async function read(query: string, username: string): Promise<unknown[]> {
    const password = username === "default" ? "" : SECRET;
    const client = createClient({ url: server.url, username, password });
    const answer = await client.query({ query, format: "JSONCompactEachRow" });
    const records = await answer.json();
    await client.close();
    return records;
  }

  async function open(role: string, readOnly = false) {
    const clickhouse = { url: server.url, database: DATABASE, username: role, password: SECRET };
    return openEngine({ clickhouse, readOnly });
  }

  it("of a writer makes, loads, deletes and maintains, and drops nothing", async () => {
    const engine = await open("evalcube_writer");
    await engine.ingestCalls(exampleCalls());
    await engine.ingestCalls(exampleCalls().map((one): object => ({ ...one, display_name: "again" })));
    expect(await engine.deleteCalls(PROJECT, ["bad-2"])).toEqual({ hidden: 1 });
    const feedback = {
      project_id: PROJECT,
      svc_ref: `svc:///${PROJECT}/call/good-0`,
      feedback_type: "stars",
      payload: {},
    };
    await engine.feedback.createMany([feedback, feedback], { userId: "ann" });
    expect(await engine.feedback.purge(PROJECT, { feedback_type: "stars" })).toEqual({ purged: 2 });
    expect(await engine.maintain()).toMatchObject({ loads_removed: 0 });
    await engine.close();
    for (const statement of [
      "DROP TABLE evalcube.trials",
      "TRUNCATE TABLE evalcube.trials",
      `DROP DATABASE ${DATABASE}`,
    ])
      await expect(administer(statement, "evalcube_writer")).rejects.toThrow("Not enough privileges");
  });

  it("of a reader answers what the writer answers, and stores nothing", async () => {
    const [writer, reader] = [await open("evalcube_writer"), await open("evalcube_reader", true)];
    const request = {
      evaluation_call_ids: ["good", "bad"],
      include_summary: true,
      include_raw_data_rows: true,
    };
    const answer = await reader.queryEvalResultsJson(PROJECT, request);
    expect(JSON.parse(answer)).toMatchObject({ total_rows: 3 });
    expect(answer).toBe(await writer.queryEvalResultsJson(PROJECT, request));
    expect(await reader.feedback.list(PROJECT)).toMatchObject({ data: [] });
    expect(await reader.listEvaluations(PROJECT)).toEqual(await writer.listEvaluations(PROJECT));
    await expect(reader.ingestCalls(exampleCalls())).rejects.toMatchObject({ code: "read_only" });
    await expect(reader.maintain()).rejects.toMatchObject({ code: "read_only" });
    await Promise.all([writer.close(), reader.close()]);
    const unbound = await open("evalcube_reader");
    await expect(
      unbound.ingestCalls([{ ...exampleCalls()[0], display_name: "new" } as object]),
    ).rejects.toMatchObject({
      code: "not_allowed",
    });
    await unbound.close();
    for (const statement of [
      `INSERT INTO ${DATABASE}.projects (project_id) VALUES ('x')`,
      "SELECT 1 SETTINGS max_execution_time = 301",
      "SELECT 1 SETTINGS max_memory_usage = 0",
      "SELECT 1 SETTINGS readonly = 0",
    ])
      await expect(administer(statement, "evalcube_reader")).rejects.toThrow(
        /Not enough privileges|shouldn't be|readonly/,
      );
    await administer("SELECT 1 SETTINGS max_execution_time = 30", "evalcube_reader");
  });

  it("let a user with policies see one project", async () => {
    const writer = await open("evalcube_writer");
    await writer.ingestCalls(exampleCalls().map((one): object => ({ ...one, project_id: "acme/other" })));
    const [ana, reader] = [await open("ana", true), await open("evalcube_reader", true)];
    expect(await ana.listEvaluations(PROJECT)).toEqual(await writer.listEvaluations(PROJECT));
    expect(await reader.listEvaluations("acme/other")).toHaveLength(2);
    expect(await ana.listEvaluations("acme/other")).toEqual([]);
    // Sums that the server keeps are of all projects.
    const counts = "SELECT evaluation_key, count() FROM evalcube.trials GROUP BY evaluation_key ORDER BY 1";
    expect(await read(counts, "default")).toHaveLength(4);
    expect(await read(counts, "ana")).toHaveLength(2);
    expect(
      policiesOfAna()
        .map(({ table }) => table)
        .toSorted(),
    ).toEqual(await tablesOfProjects());
    await Promise.all([writer, ana, reader].map((engine) => engine.close()));
  });

  it("work over a cluster", async () => {
    const own = await startClickHouseCluster(2, USERS);
    onTestFinished(async () => {
      await Promise.all(own.map((one) => one.kill()));
    });
    for (const { url } of own)
      for (const name of [DATABASE, `${DATABASE}_shard`])
        await administer(`CREATE DATABASE ${name}`, "default", url);
    const place = { url: own[0]?.url ?? "", database: DATABASE, cluster: CLUSTER, password: SECRET };
    const writer = await openEngine({ clickhouse: { ...place, username: "evalcube_writer" } });
    await writer.ingestCalls(exampleCalls());
    expect(await writer.deleteCalls(PROJECT, ["bad-2"])).toEqual({ hidden: 1 });
    expect(await writer.maintain()).toMatchObject({ loads_removed: 0 });
    const reader = await openEngine({
      clickhouse: { ...place, username: "evalcube_reader" },
      readOnly: true,
    });
    const request = { evaluation_call_ids: ["good", "bad"], include_summary: true };
    const answer = await reader.queryEvalResultsJson(PROJECT, request);
    expect(JSON.parse(answer)).toMatchObject({ total_rows: 3 });
    expect(answer).toBe(await writer.queryEvalResultsJson(PROJECT, request));
    await Promise.all([writer.close(), reader.close()]);
  });

  it("show no password in the error of a statement", async () => {
    const engine = await open("evalcube_writer");
    await administer(`DROP TABLE ${DATABASE}.fragments`);
    const error = await engine
      .ingestCalls([{ ...exampleCalls()[1], id: "more" } as object])
      .catch((reason: unknown) => reason);
    await engine.close();
    expect(error).toMatchObject({ code: "query_failed" });
    expect(inspect(error, { depth: Infinity })).not.toContain(SECRET);
  });
});
