import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { bytesDigest } from "../../src/weave/values/digests.ts";
import { PROJECT, temporaryFolder } from "../cli/command.ts";
import { basic, bearer, startServed, type Served } from "../cli/served.ts";
import { cutBodies, formOf, type CutBody } from "../support/cut-bodies.ts";

const { folder, remove } = temporaryFolder();
let served: Served;
let key = "";
let strange = "";

beforeAll(async () => {
  const keys = join(folder, "keys.json");
  ({ key } = await createKey(keys, { user: "ann", projects: [PROJECT] }));
  ({ key: strange } = await createKey(keys, { user: "eve", projects: ["other/project"] }));
  served = await startServed(["--db", join(folder, "qa.duckdb"), "--keys", keys], folder);
});

afterAll(async () => {
  served.child.kill("SIGTERM");
  await served.end;
  remove();
});

interface Endpoint {
  readonly path: string;
  readonly pattern: string;
  readonly authorization: (key: string) => string;
}

/** Every address that takes a body, as the description of the service lists them. */
async function endpoints(): Promise<Endpoint[]> {
  const described = await (await fetch(`${served.url}/openapi.json`)).json();
  const { paths } = described as { paths: Record<string, { post?: { security: object[] } }> };
  return Object.entries(paths).flatMap(([pattern, { post }]) => {
    if (post === undefined) return [];
    const isBearer = JSON.stringify(post.security).includes("bearer");
    const path = pattern.replace("{entity}/{project}", PROJECT).replaceAll(/\{\w+\}/g, "x");
    return [{ path, pattern, authorization: isBearer ? bearer : basic }];
  });
}

/** What comes back until the service closes the connection, or it is ended from here. */
function exchange(
  head: readonly string[],
  body: Buffer,
  leave: "waits" | "ends" | "breaks",
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
    let received = "";
    socket.on("data", (data: Buffer) => (received += data.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write(body, () => {
      if (leave === "ends") socket.end();
      if (leave === "breaks") setImmediate(() => socket.resetAndDestroy());
    });
  });
}

function headOf({ path, authorization }: Endpoint, headers: Readonly<Record<string, string>>, as = key) {
  const all = { host: "x", connection: "close", authorization: authorization(as), ...headers };
  return [`POST ${path} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)];
}

const JSON_TEXT = JSON.stringify({ project_id: PROJECT, batch: [{ a: "x".repeat(200) }] });
const CUTS = cutBodies(PROJECT, JSON_TEXT);

async function isAlive(): Promise<boolean> {
  if (served.child.exitCode !== null) return false;
  return (await fetch(`${served.url}/healthz`).catch(() => null))?.status === 200;
}

/** Whole as requests go: what is cut is the JSON, the form or the gzip stream. */
async function cutInside(endpoint: Endpoint, { headers, body }: CutBody): Promise<string> {
  return exchange(headOf(endpoint, { ...headers, "content-length": String(body.length) }), body, "waits");
}

it("no endpoint is ended or fails by a form, a JSON text or a gzip stream that is cut", async () => {
  const found = await endpoints();
  expect(found.length).toBeGreaterThan(30);
  const wrong: string[] = [];
  for (const endpoint of found) {
    for (const cut of CUTS) {
      const [, status = "none"] = /^HTTP\/1\.1 (\d+)/.exec(await cutInside(endpoint, cut)) ?? [];
      if (!status.startsWith("4")) wrong.push(`${endpoint.pattern}, ${cut.name}: ${status}`);
    }
    if (!(await isAlive())) throw new Error(`${endpoint.pattern} ended the service`);
  }
  expect(wrong).toEqual([]);
});

it("no endpoint is ended by a client that leaves within a body", async () => {
  const breaks = ["ends", "breaks"] as const;
  const sent = [CUTS[0], CUTS.at(-1), ...CUTS.filter(({ body }) => body.length > 100)].filter(
    (cut) => cut != null,
  );
  for (const endpoint of await endpoints()) {
    expect(await isAlive(), `before ${endpoint.pattern}`).toBe(true);
    for (const leave of breaks) {
      await Promise.all(
        sent.flatMap(({ headers, body }) => [
          exchange(headOf(endpoint, { ...headers, "content-length": "5000" }), body, leave),
          exchange(headOf(endpoint, { ...headers, "transfer-encoding": "chunked" }), chunk(body), leave),
        ]),
      );
    }
  }
  expect(await isAlive()).toBe(true);
});

/** A chunk that announces more than there is. */
function chunk(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${(body.length + 9).toString(16)}\r\n`), body]);
}

it("a key that may not use the project of the address is refused before the body is read", async () => {
  const named = (await endpoints()).filter(({ pattern }) => pattern.includes("{project}"));
  expect(named.length).toBeGreaterThan(6);
  const headers = { "content-type": "application/json", "content-length": "20", expect: "100-continue" };
  for (const endpoint of named) {
    const answer = await exchange(headOf(endpoint, headers, strange), Buffer.alloc(0), "waits");
    expect(answer.split("\r\n", 1), endpoint.pattern).toEqual(["HTTP/1.1 403 Forbidden"]);
  }
});

it("a form that is whole is stored", async () => {
  const { type, body } = formOf(PROJECT, "print(1)");
  const headers = { authorization: basic(key), "content-type": type };
  const answer = await fetch(`${served.url}/file/create`, {
    method: "POST",
    headers,
    body: new Uint8Array(body),
  });
  expect(await answer.json()).toEqual({ digest: bytesDigest(Buffer.from("print(1)")) });
});
