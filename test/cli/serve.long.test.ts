import { EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, revokeKey } from "../../src/http/keys/keys-file.ts";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { until } from "../support/until.ts";
import {
  COMPLETION,
  delta,
  DONE,
  finish,
  replyWith,
  startUpstream,
  steppedStream,
  streamOf,
} from "../inference/scripted-upstream.ts";
import {
  complaint,
  ended as endOf,
  evalcube,
  exampleCalls,
  PROJECT,
  put,
  startWithFewFiles,
  temporaryFolder,
} from "./command.ts";
import { evalcubeHere } from "./in-process.ts";
import { basic, bearer, startServed } from "./served.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const database = join(folder, "qa.duckdb");
const keys = join(folder, "keys.json");
const files = ["--db", database, "--keys", keys];
const QUERY = `/v2/${PROJECT}/eval_results/query`;
let key = "";

beforeAll(async () => {
  const engine = await openEngine({ path: database });
  await engine.ingestCalls(exampleCalls());
  await engine.close();
  ({ key } = await createKey(keys, { user: "ann", projects: ["acme/*"] }));
});

function post(url: string, body: unknown, authorization: string): Promise<Response> {
  const headers = { authorization, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

describe("serve", () => {
  it("says what to do where it may open few files", async () => {
    const child = startWithFewFiles(["serve", "--port", "0", ...files], folder);
    const { status, stdout, stderr } = await endOf(child);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe("evalcube: too many files are open; let it open more, such as by ulimit -n 1024\n");
  });

  it("lets DuckDB have no more memory than it is told", async () => {
    const args = ["--db", join(folder, "small.duckdb"), "--keys", keys, "--memory-limit", "1KiB"];
    const { status, stderr } = await evalcube(["serve", "--port", "0", ...args], folder);
    expect(status).toBe(1);
    expect(stderr).toContain("/1.0 KiB used)");
  });

  it("answers the command's bytes, and the database is free after SIGTERM", async () => {
    const { url, child, end } = await startServed(files, folder);
    const request = { evaluation_call_ids: ["good", "bad"], include_summary: true };
    const answer = await (await post(url + QUERY, request, basic(key))).text();
    expect((await post(url + QUERY, request, basic("ec_wrong"))).status).toBe(401);
    expect((await post(`${url}/v2/other/qa/eval_results/query`, {}, basic(key))).status).toBe(403);
    const locked = await evalcube(["serve", "--port", "0", ...files], folder);
    expect(locked).toMatchObject({ status: 1, stdout: "" });
    expect(locked.stderr).toMatch(/^evalcube: [^\n]*is in use by another process[^\n]*\n$/);

    child.kill("SIGTERM");
    const { status, stdout, stderr } = await end;
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `evalcube listens on ${url} (page: ${url}/view/)\n`,
    });
    expect(stderr).toContain(`"route":"/v2/{entity}/{project}/eval_results/query","status":200`);
    expect(stderr).not.toContain(key);

    const file = put(folder, "request.json", JSON.stringify(request));
    const query = await evalcubeHere(["query", "--db", database, "--project", PROJECT, file]);
    expect(query.stdout).toBe(`${answer}\n`);
  });

  it("reads its keys again on SIGHUP, and keeps them when the file is bad", async () => {
    const path = join(folder, "changing.json");
    const first = await createKey(path, { user: "ann", projects: ["*"] });
    const { url, child, end, logged } = await startServed(["--db", database, "--keys", path], folder);
    const status = async (one: string) =>
      (await fetch(`${url}/v1/models`, { headers: { authorization: bearer(one) } })).status;
    const second = await createKey(path, { user: "bob", projects: ["*"] });
    await revokeKey(path, first.id);
    expect([await status(first.key), await status(second.key)]).toEqual([200, 401]);
    child.kill("SIGHUP");
    await logged("keys read again");
    expect([await status(first.key), await status(second.key)]).toEqual([401, 200]);
    put(folder, "changing.json", "{");
    child.kill("SIGHUP");
    await logged("the keys stay as they were");
    expect(await status(second.key)).toBe(200);
    child.kill("SIGINT");
    expect((await end).status).toBe(0);
  });

  it("passes completions on, counts and records them, and lets one finish when it is stopped", async () => {
    const upstream = await startUpstream();
    const gate = new EventEmitter();
    const reached = once(gate, "reached");
    upstream.script("m", async (response, call) => {
      gate.emit("reached");
      await once(gate, "open");
      await replyWith(200, COMPLETION)(response, call);
    });
    const settings = { upstreams: [{ base_url: upstream.url }], record: true };
    const inference = put(folder, "inference.json", JSON.stringify(settings));
    const args = ["--inference", inference, "--base-path", "/evals/", "--log-level", "silent"];
    const path = join(folder, "recorded.duckdb");
    const { url, child, end } = await startServed(["--db", path, "--keys", keys, ...args], folder);
    expect(url).toMatch(/\/evals$/);
    expect((await fetch(`${url}/view/`)).status).toBe(200);
    const headers = { "content-type": "application/json", "openai-project": "acme/live" };
    const reply = fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, authorization: bearer(key) },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] }),
    });
    await reached;
    child.kill("SIGTERM");
    await until("the service accepts nothing more", () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    gate.emit("open");
    expect(await (await reply).text()).toBe(COMPLETION);
    expect(await end).toMatchObject({ status: 0, stderr: "" });
    await upstream.close();
    const usage = await runOn(path, "SELECT user_id, project_id, model, status FROM usage");
    expect(usage).toEqual([["ann", "acme/live", "m", 200]]);
    expect(await runOn(path, "SELECT count(*) FROM calls")).toEqual([[1n]]);
  });

  it("ends two hundred streams with [DONE] after SIGTERM, those that do not finish with an error before it", async () => {
    const upstream = await startUpstream();
    upstream.script("endless", streamOf([delta("a")], { ending: () => {} }));
    const { script, send, end } = steppedStream();
    upstream.script("finishing", script);
    const inference = put(
      folder,
      "streams.json",
      JSON.stringify({ upstreams: [{ base_url: upstream.url }] }),
    );
    const args = ["--db", join(folder, "streams.duckdb"), "--keys", keys, "--inference", inference];
    const { url, child, end: ended } = await startServed([...args, "--grace", "3"], folder);
    const open = async (model: string) => {
      const body = { model, messages: [], stream: true };
      return (await post(`${url}/v1/chat/completions`, body, bearer(key))).text();
    };
    const endless = Array.from({ length: 199 }, () => open("endless"));
    const finishing = open("finishing");
    await until("two hundred requests come upstream", () => upstream.calls.length === 200);
    child.kill("SIGTERM");
    send(delta("b") + finish() + DONE);
    end();
    expect(await finishing).toBe(delta("b") + finish() + DONE);
    for (const text of await Promise.all(endless)) {
      expect(text).toContain('"code":"overloaded"');
      expect(text.endsWith(`\n\n${DONE}`)).toBe(true);
    }
    expect((await ended).status).toBe(0);
    await upstream.close();
  });

  it("limits bodies, and leaves out the page, as it is told", async () => {
    const { url, child, end } = await startServed([...files, "--max-body", "1KiB", "--no-view"], folder);
    const long = { evaluation_call_ids: ["x".repeat(1100)] };
    expect((await post(url + QUERY, long, basic(key))).status).toBe(413);
    expect((await fetch(`${url}/view/`)).status).toBe(404);
    child.kill("SIGTERM");
    expect((await end).status).toBe(0);
  });
});

describe("serve that cannot", () => {
  it("says so in one line and makes no database", async () => {
    const bad = put(folder, "bad.json", '{"upstreams":[{"base_url":"nowhere"}]}');
    const fresh = join(folder, "fresh.duckdb");
    for (const [args, about] of [
      [["--keys", join(folder, "none.json")], "cannot be read: no such file"],
      [["--keys", bad], "malformed"],
      [["--keys", keys, "--inference", bad], "malformed at upstreams[0].base_url"],
    ] as const) {
      const { status, stdout, stderr } = await evalcubeHere(["serve", "--db", fresh, ...args]);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^evalcube: [^\n]+\n$/);
      expect(stderr).toContain(about);
    }
    expect(existsSync(fresh)).toBe(false);
  });

  it("find an upstream's key says so in one line", async () => {
    const upstream = { base_url: "http://127.0.0.1:9/v1", api_key_env: "EVALCUBE_TEST_UNSET" };
    const inference = put(folder, "keyless.json", JSON.stringify({ upstreams: [upstream] }));
    const { status, stderr } = await evalcubeHere(["serve", ...files, "--inference", inference]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "evalcube: The environment variable EVALCUBE_TEST_UNSET of an upstream is not set.\n",
    });
  });

  it("have its port says so in one line", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const fresh = join(folder, "portless.duckdb");
    const args = ["serve", "--db", fresh, "--keys", keys, "--port", String(port)];
    const { status, stdout, stderr } = await evalcubeHere(args);
    server.close();
    expect(existsSync(fresh)).toBe(false);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe(`evalcube: Cannot listen on 127.0.0.1:${port}: the port is in use.\n`);
  });

  it.each([
    [["--port", "70000"], "65535"],
    [["--base-path", "evals"], "/one"],
    [["--max-body", "much"], "64MiB"],
    [["--grace", "long"], "seconds"],
    [["--log-level", "loud"], "Allowed choices"],
  ])("read %j ends with status 2", async (args, about) => {
    const { status, stderr } = await evalcubeHere(["serve", ...files, ...args]);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toContain(about);
  });
});
