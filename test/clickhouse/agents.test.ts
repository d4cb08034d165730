import { beforeAll, describe, expect, it } from "vitest";
import { supportCalls } from "../../src/demo/support.ts";
import { openEngine } from "../../src/index.ts";
import { connect, startMcp } from "../mcp/clients.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const BOTH = ["support-4", "support-5"];
const MOVED = { field: "scores.correct", baseline: "support-4", direction: "down" };

/** Calls that an agent makes, and what it may call wrongly. */
const CALLS: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
  ["list_projects", {}],
  ["list_evaluations", {}],
  ["describe_fields", {}],
  ["leaderboard", {}],
  ["leaderboard", { by: "model", costs: true }],
  ["compare", { baseline: "support-4", candidates: ["support-5"] }],
  ["compare", { baseline: "latest~1", candidates: ["latest"], margin: 0.05, adjust: "holm" }],
  ["summary", { evaluations: BOTH, include_usage: true }],
  ["rows", { evaluations: BOTH, limit: 5 }],
  ["rows", { evaluations: BOTH, moved: MOVED }],
  ["rows", { evaluations: ["support-5"], filters: ["scores.correct = false"], include_outputs: true }],
  ["rows", { evaluations: ["support-5"], filters: ["scores.nothing = 1"] }],
  ["compare", { baseline: "support-4", candidates: ["support-six"] }],
  ["list_evaluations", { project: "acme/nowhere" }],
];

describe.skipIf(noClickHouse !== null)(`an agent that asks a server${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it("is answered as over a file, byte for byte, and told that SQL is not offered there", async () => {
    const database = scratchDatabase(url);
    const file = scratchPath();
    for (const options of [{ path: file, threads: 1 }, { clickhouse: { url, database } }]) {
      const engine = await openEngine(options);
      await engine.ingestCalls([...supportCalls()]);
      await engine.close();
    }
    const servers = [file, `clickhouse+http://${new URL(url).host}/${database}`].map((db) =>
      startMcp(["--db", db]),
    );
    const askers = await Promise.all(servers.map(({ transport }) => connect("2025-11-25", transport)));
    const [onFile, onServer] = askers;
    if (onFile === undefined || onServer === undefined) throw new Error("there are two");
    const ask = async (tool: string, args: Readonly<Record<string, unknown>>) => {
      const [expected, answer] = [await onFile.call(tool, args), await onServer.call(tool, args)];
      expect(answer, `${tool} ${JSON.stringify(args)}`).toEqual(expected);
      return answer;
    };
    for (const [tool, args] of CALLS) await ask(tool, args);
    const found = await ask("rows", { evaluations: BOTH, limit: 1 });
    await ask("row", { row: found.structured.data.rows[0].row_digest, evaluations: BOTH });
    const statement = { statement: "select count(*) as n from trials" };
    expect((await onFile.call("sql", statement)).structured.data.records).toHaveLength(1);
    const refused = await onServer.call("sql", statement);
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("ClickHouse");
    for (const asker of askers) await asker.close();
    for (const { ended } of servers)
      expect(await ended).toMatchObject({
        status: 0,
        stderr: expect.stringMatching(/^evalcube mcp: .*, read only\n$/),
      });
  });
});
