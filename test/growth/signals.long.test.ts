import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { openEngine, type CallRecord } from "../../src/index.ts";
import { ended, exampleCalls, PROJECT, put, start, temporaryFolder } from "../cli/command.ts";
import { basic, bearer, startServed } from "../cli/served.ts";
import { connect } from "../mcp/clients.ts";

/** A process that ends later than so is one that goes on, in milliseconds. */
const SOON = 10_000;

const endsSoon = async <T>(end: Promise<T>): Promise<T> => {
  const begun = performance.now();
  const what = await end;
  expect(performance.now() - begun).toBeLessThan(SOON);
  return what;
};

it("a service that was asked what takes long or does not fit answers each, and ends at SIGTERM", async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const [database, keys] = [join(folder, "evals.duckdb"), join(folder, "keys.json")];
  const engine = await openEngine({ path: database });
  await engine.ingestCalls(exampleCalls() as CallRecord[]);
  await engine.close();
  const { key } = await createKey(keys, { user: "ann", projects: ["acme/*"] });
  const { url, child, end } = await startServed(["--db", database, "--keys", keys], folder);

  const headers = { authorization: bearer(key) };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  const asker = await connect("2025-11-25", transport);
  const refused: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
    ["leaderboard", { project: PROJECT, where: { ["k".repeat(9000)]: "v" } }],
    ["leaderboard", { project: PROJECT, where: { ["k".repeat(1100)]: "v" }, max_bytes: 1000 }],
    ["rows", { project: PROJECT, evaluations: ["good"], filters: [" ".repeat(10_000)] }],
    ["rows", { project: PROJECT, evaluations: ["good"], filters: [`${"a.".repeat(4000)}a = 1`] }],
  ];
  for (const [tool, args] of refused) {
    const { isError, text } = await asker.call(tool, args);
    expect([tool, isError], text).toEqual([tool, true]);
    expect(text.length).toBeLessThan(9000);
  }
  const blanks = { evaluations: ["good"], filters: [`inputs.n${" ".repeat(9000)}= 1`] };
  expect((await asker.call("rows", blanks)).structured.data).toMatchObject({ total_rows: 1 });
  await asker.close();

  const field = `scores${".a".repeat(8000)}`;
  const answer = await fetch(`${url}/v2/${PROJECT}/eval_results/query`, {
    method: "POST",
    headers: { authorization: basic(key), "content-type": "application/json" },
    body: JSON.stringify({ evaluation_call_ids: ["good"], sort_by: [{ field, direction: "asc" }] }),
  });
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain("at most");

  child.kill("SIGTERM");
  expect((await endsSoon(end)).status).toBe(0);
});

/** Rows of a table that takes seconds to import. */
const ROWS = 200_000;
/** The tables of what it stores. */
const RECORDS = new Set(["calls", "rows", "row_tables", "evaluations", "trials", "scores"]);

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("an import ends soon at %s, and stores nothing", async (signal, status) => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const rows = Array.from(
    { length: ROWS },
    (_, i) => `${i},question ${i * 7919},answer ${i * 31},${i % 2}\n`,
  );
  put(folder, "table.csv", `id,input,output,score\n${rows.join("")}`);
  const child = start(["import", "--db", "evals.duckdb", "--project", PROJECT, "table.csv"], folder);
  const end = ended(child);
  // It is said when the columns are known, before the first row is read.
  await once(child.stderr, "data");
  child.kill(signal);
  expect(await endsSoon(end)).toMatchObject({
    status,
    stdout: "",
    stderr: expect.stringMatching(/^table\.csv: row = id[^\n]*\n$/),
  });
  expect(readdirSync(folder).toSorted()).toEqual(["evals.duckdb", "table.csv"]);
  const engine = await openEngine({ path: join(folder, "evals.duckdb") });
  const { tables } = await engine.check();
  const stored = tables.filter(({ name, records }) => RECORDS.has(name) && records > 0);
  expect(stored).toEqual([]);
  await engine.close();
});
