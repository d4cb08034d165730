import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PassThrough } from "node:stream";
import { json, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../src/cli/program.ts";
import { openEngine } from "../../src/index.ts";
import { ended, exampleCalls, PROJECT, start, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";
import { basic } from "./served.ts";

const { folder, remove } = temporaryFolder();
const database = join(folder, "qa.duckdb");
const LINE = /^evalcube view at (http:\/\/127\.0\.0\.1:(\d+))\/view\/#key=([\w-]+)(\S*)\n$/;

/** What the command printed of itself. */
interface Printed {
  readonly url: string;
  readonly port: number;
  readonly key: string;
  /** What follows the key in the address. */
  readonly rest: string;
}

function readLine(line: string): Printed {
  const [, url, port, key, rest] = LINE.exec(line) ?? [];
  if (url === undefined || key === undefined || rest === undefined) throw new Error(`no address: ${line}`);
  return { url, port: Number(port), key, rest };
}

interface Viewed extends Printed {
  /** Interrupts it; resolves to its status and all that it printed. */
  readonly end: () => Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>;
}

/** Runs the command in this process until it has printed its line. */
async function view(...args: readonly string[]): Promise<Viewed> {
  const interrupt = new AbortController();
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const written = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const status = run(["view", "--db", database, ...args], { ...streams, signal: interrupt.signal });
  const [line] = (await once(streams.stdout, "data")) as [Buffer];
  return {
    ...readLine(String(line)),
    end: async () => {
      interrupt.abort();
      const code = await status;
      streams.stdout.end();
      streams.stderr.end();
      const [stdout, stderr] = await written;
      return { status: code, stdout, stderr };
    },
  };
}

/** Asks with this `Host`. */
async function under(host: string, at: Printed, path: string): Promise<IncomingMessage> {
  const sent = request(at.url + path, { headers: { host, authorization: basic(at.key) } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

async function occupy(port: number): Promise<Server> {
  const server = createServer();
  // Where another process has it, it is in use all the same.
  server.on("error", () => {});
  server.listen(port, "127.0.0.1");
  await Promise.race([once(server, "listening"), once(server, "error")]);
  return server;
}

let viewed: Viewed;
beforeAll(async () => {
  const engine = await openEngine({ path: database });
  await engine.ingestCalls(exampleCalls());
  await engine.close();
  viewed = await view("--port", "0", "--project", PROJECT);
});
afterAll(async () => {
  await viewed.end();
  remove();
});

function ask(path: string, body?: unknown, headers = {}): Promise<Response> {
  const all = { authorization: basic(viewed.key), "content-type": "application/json", ...headers };
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return fetch(viewed.url + path, { ...post, headers: all });
}

describe("view", () => {
  it("prints an address with a key of 32 random bytes, and the project", async () => {
    expect(viewed.key).toMatch(/^ec_[\w-]{43}$/);
    expect(new URLSearchParams(viewed.rest).get("project")).toBe(PROJECT);
    const other = await view("--port", "0");
    expect(other.key).not.toBe(viewed.key);
    expect(other.rest).toBe("");
    const { url, key } = other;
    expect(await other.end()).toEqual({
      status: 0,
      stdout: `evalcube view at ${url}/view/#key=${key}\n`,
      stderr: "",
    });
  });

  it("shows the project that was run last in a file of several, and names the others", async () => {
    const several = join(folder, "several.duckdb");
    {
      await using engine = await openEngine({ path: several });
      for (const [project, day] of [
        ["acme/b", 1],
        ["acme/c", 3],
        ["acme/a", 2],
      ] as const)
        await engine.ingestCalls([
          {
            id: "run",
            project_id: project,
            op_name: "Evaluation.evaluate",
            started_at: `2026-01-0${day}T00:00:00Z`,
          },
        ]);
    }
    const other = await view("--db", several, "--port", "0");
    expect(new URLSearchParams(other.rest).get("project")).toBe("acme/c");
    const { stdout } = await other.end();
    expect(stdout).toMatch(/\nIt shows acme\/c, which was run last; there are also acme\/a, acme\/b\.\n$/);
  });

  it.skipIf(process.platform !== "linux")("opens a browser without the key in its arguments", async () => {
    const bin = join(folder, "bin");
    const opened = join(folder, "opened");
    await mkdir(bin);
    const lines = ["#!/bin/sh", `printf %s "$*" > ${opened}.part`, `mv ${opened}.part ${opened}`, ""];
    await writeFile(join(bin, "xdg-open"), lines.join("\n"), { mode: 0o755 });
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    const other = await view("--port", "0", "--open");
    await expect.poll(() => existsSync(opened), { timeout: 10_000 }).toBe(true);
    vi.unstubAllEnvs();
    const address = await readFile(opened, "utf8");
    expect(address).not.toContain(other.key);
    const file = fileURLToPath(address);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toContain(`url=${other.url}/view/#key=${other.key}"`);
    await other.end();
    expect(existsSync(file)).toBe(false);
  });

  it("gives the page without the key, and everything else with it only", async () => {
    expect((await fetch(`${viewed.url}/view/`)).status).toBe(200);
    expect((await fetch(`${viewed.url}/v2/projects`)).status).toBe(401);
    const wrong = { authorization: basic("ec_wrong") };
    expect((await ask("/v2/projects", undefined, wrong)).status).toBe(401);
    const projects = [{ project_id: PROJECT, evaluation_count: 2 }];
    expect(await (await ask("/v2/projects")).json()).toEqual({ projects });
  });

  it("answers queries as the command does", async () => {
    const asked = { evaluation_call_ids: ["good", "bad"], include_summary: true };
    const answer = await ask(`/v2/${PROJECT}/eval_results/query`, asked);
    const args = ["query", "--db", database, "--project", PROJECT, "-"];
    expect((await evalcubeHere(args, JSON.stringify(asked))).stdout).toBe(`${await answer.text()}\n`);
  });

  it("refuses to store anything, and says why", async () => {
    const feedback = {
      project_id: PROJECT,
      svc_ref: `svc:///${PROJECT}/call/good-0`,
      feedback_type: "svc.note.1",
      payload: { note: "fine" },
    };
    const reason = "This service only reads its database, and stores nothing.";
    const refused = await ask("/feedback/create", feedback);
    expect({ status: refused.status, body: await refused.json() }).toEqual({ status: 403, body: { reason } });
    const model = { project: "qa", name: "n", base_model: "b" };
    const unregistered = await ask("/v1/preview/models", model, { authorization: `Bearer ${viewed.key}` });
    expect(unregistered.status).toBe(403);
    expect(await unregistered.json()).toMatchObject({ error: { code: "read_only", message: reason } });
  });

  it("answers under its own address and as localhost, and under no other name", async () => {
    const { port } = viewed;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`])
      expect([host, (await under(host, viewed, "/v2/projects")).statusCode]).toEqual([host, 200]);
    for (const host of [
      `attacker.example:${port}`,
      `localhost.attacker.example:${port}`,
      `attacker.example`,
      "localhost",
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `127.0.0.2:${port}`,
    ]) {
      for (const path of ["/v2/projects", "/view/", "/healthz"]) {
        const response = await under(host, viewed, path);
        expect([host, path, response.statusCode]).toEqual([host, path, 403]);
        expect(await json(response)).toEqual({ reason: expect.stringContaining("Host") as unknown });
      }
    }
  });

  it("takes the next free port where the usual one is in use", async () => {
    const usual = await occupy(7342);
    const next = await view();
    usual.close();
    expect(next.port).toBeGreaterThan(7342);
    expect(next.port).toBeLessThan(7442);
    expect((await next.end()).status).toBe(0);
  });

  it("takes no other port than it is told", async () => {
    const server = await occupy(0);
    const { port } = server.address() as AddressInfo;
    const ending = await evalcubeHere(["view", "--db", database, "--port", String(port)]);
    server.close();
    expect(ending).toEqual({
      status: 1,
      stdout: "",
      stderr: `evalcube: Cannot listen on 127.0.0.1:${port}: the port is in use.\n`,
    });
  });

  it("says where nothing was loaded into the project, and shows the others", async () => {
    const other = await view("--port", "0", "--project", "acme/none");
    const { stderr } = await other.end();
    expect(stderr).toBe(
      `note: nothing was loaded into the project acme/none of ${database}; it holds ${PROJECT}\n`,
    );
  });

  it("makes no database", async () => {
    const { status, stderr } = await evalcubeHere(["view", "--db", join(folder, "none.duckdb")]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^evalcube: [^\n]*there is no database to read[^\n]*\n$/);
  });

  it("ends with status 0 on SIGINT and SIGTERM, and logs neither key nor requests", async () => {
    const endings = (["SIGINT", "SIGTERM"] as const).map(async (signal) => {
      const child = start(["view", "--db", database, "--port", "0"], folder);
      const end = ended(child);
      const [line] = (await once(child.stdout, "data")) as [string];
      const { url, key } = readLine(line);
      const headers = { authorization: basic(key) };
      await fetch(`${url}/v2/projects`, { headers });
      await fetch(`${url}/v2/acme/qa/eval_results/query?key=${key}`, { method: "POST", headers });
      await fetch(`${url}/feedback/create`, { method: "POST", headers, body: key });
      child.kill(signal);
      expect(await end).toEqual({ status: 0, stdout: line, stderr: "" });
    });
    await Promise.all(endings);
  });
});
