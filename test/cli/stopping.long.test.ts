import { copyFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { openEngine } from "../../src/index.ts";
import { until } from "../support/until.ts";
import { ended, PROJECT, start, temporaryFolder } from "./command.ts";
import { basic, bearer, startServed } from "./served.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const CALLS = 40_000;
const stored = join(folder, "stored.duckdb");
const keys = join(folder, "keys.json");
let key = "";

/** One root, and children of it. */
const callOf = (_: unknown, i: number) => ({
  project_id: PROJECT,
  id: `c${i}`,
  op_name: "answer",
  started_at: "2026-01-01T00:00:00Z",
  output: { text: "a".repeat(200) },
  ...(i === 0 ? {} : { parent_id: "c0" }),
});
const IDS = Array.from({ length: CALLS }, (_, i) => `c${i}`);

beforeAll(async () => {
  const engine = await openEngine({ path: stored });
  await engine.ingestCalls(Array.from({ length: CALLS }, callOf));
  await engine.close();
  ({ key } = await createKey(keys, { user: "ann", projects: ["acme/*"] }));
});

function copyOf(name: string): string {
  const path = join(folder, name);
  copyFileSync(stored, path);
  return path;
}

/** How many calls a database has that are not hidden, once it is opened again. */
async function countIn(path: string): Promise<number> {
  const engine = await openEngine({ path });
  const { count } = JSON.parse(
    await engine.weave.countCalls(JSON.stringify({ project_id: PROJECT }), { userId: "ann" }),
  ) as { count: number };
  await engine.close();
  return count;
}

const SLOW = "SELECT count(*) FROM range(10000000) AS a(i), range(10000000) AS b(j) WHERE i + j = 7";

/** The status of an answer; of none, that it was cut. */
function outcome(answer: Promise<Response>): Promise<number | "cut"> {
  return answer.then(
    ({ status }) => status,
    () => "cut" as const,
  );
}

it("SIGTERM ends a service whatever is under way, and what it was storing is taken back", async () => {
  const path = copyOf("served.duckdb");
  const { url, child, end } = await startServed(["--db", path, "--keys", keys, "--grace", "1"], folder);
  const { hostname, port } = new URL(url);
  const ask = (route: string, body: object, authorization = basic(key)) =>
    fetch(url + route, {
      method: "POST",
      headers: {
        authorization,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
    });
  /** A request by hand, whose body has so many bytes of what it says, and whose answer nobody reads. */
  const send = (route: string, body: string, length: number) => {
    const socket = createConnection(Number(port), hostname);
    socket.on("error", () => {}).pause();
    const head = `POST ${route} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${basic(key)}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: ${length}\r\n\r\n${body}`);
    return socket;
  };
  const query = JSON.stringify({ project_id: PROJECT });
  const sockets = [
    send("/calls/stream_query", query, query.length),
    send("/call/upsert_batch", '{"batch":[', 8_000_000),
  ];
  const sql = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "sql", arguments: { project: PROJECT, sql: SLOW } },
  };
  const answers = [
    outcome(ask("/calls/delete", { project_id: PROJECT, call_ids: IDS })),
    outcome(ask("/call/upsert_batch", { batch: [] })),
    outcome(ask("/mcp", sql, bearer(key))),
  ];
  await until("the service answers what is short beside it", async () => (await answers[1]) === 200);
  child.kill("SIGTERM");
  expect((await end).status).toBe(0);
  expect(await answers[0]).not.toBe(200);
  expect(await countIn(path)).toBe(CALLS);
  for (const socket of sockets) socket.destroy();
});

it("SIGTERM ends a service while loggers write through it, and nothing that it answered is lost", async () => {
  const path = join(folder, "logged.duckdb");
  const { url, child, end } = await startServed(["--db", path, "--keys", keys, "--grace", "5"], folder);
  const answered: string[] = [];
  const log = async (logger: number) => {
    for (let n = 0; ; n++) {
      const id = `logger-${logger}-${n}`;
      const begun = { project_id: PROJECT, id, op_name: "answer", started_at: "2026-01-01T00:00:00Z" };
      const body = JSON.stringify({
        batch: [{ mode: "start", req: { start: { ...begun, attributes: {}, inputs: {} } } }],
      });
      const headers = { authorization: basic(key), "content-type": "application/json" };
      const status = await outcome(fetch(`${url}/call/upsert_batch`, { method: "POST", headers, body }));
      if (status !== 200) return;
      answered.push(id);
    }
  };
  const loggers = Promise.all([1, 2, 3, 4].map(log));
  await until("calls are stored", () => answered.length >= 40);
  child.kill("SIGTERM");
  expect((await end).status).toBe(0);
  await loggers;
  const engine = await openEngine({ path });
  const found = await engine.sql(PROJECT, "SELECT id FROM calls");
  await engine.close();
  const ids = new Set(found.toArray().map((row) => String((row as { id: unknown }).id)));
  expect(answered.filter((id) => !ids.has(id))).toEqual([]);
});

it.each([
  ["SIGTERM", 500],
  ["SIGINT", 1000],
  ["SIGTERM", 1500],
] as const)("%s after %d ms ends a deletion, of which all or nothing is stored", async (signal, ms) => {
  const path = copyOf(`${signal}-${ms}.duckdb`);
  const child = start(["delete", "--db", path, "--project", PROJECT, "--yes", "c0"], folder);
  const end = ended(child);
  await pause(ms);
  child.kill(signal);
  const { status } = await end;
  expect(await countIn(path)).toBe(status === 0 ? 0 : CALLS);
});
