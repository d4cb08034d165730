import { readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord, type Engine } from "../../src/index.ts";
import { temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { CALLS, PROJECT } from "../doors/calls.ts";
import { COMMANDS } from "../doors/requests.ts";
import { ndjson } from "../support/records.ts";
import { startRemote, type RemoteService } from "./remote-service.ts";

/* The oracle is the command over a file with the same records, of the user of the key. */

const SENT = CALLS.map((one) => ({ ...(one as CallRecord), wb_user_id: "ann" }));

const { folder, remove } = temporaryFolder();
const db = path.join(folder, "qa.duckdb");
const calls = path.join(folder, "calls.ndjson");
const NAMES = ["EVALCUBE_KEY", "EVALCUBE_USER"] as const;
const before = NAMES.map((name) => [name, process.env[name]] as const);
let here: Engine;
let service: RemoteService;

beforeAll(async () => {
  writeFileSync(calls, ndjson(SENT));
  const loading = await openEngine({ path: db });
  await loading.ingestCalls(SENT);
  await loading.close();
  here = await openEngine({ path: path.join(folder, "held.duckdb"), threads: 1 });
  await here.ingestCalls(SENT);
  service = await startRemote(here);
  process.env["EVALCUBE_KEY"] = service.key("admin");
  process.env["EVALCUBE_USER"] = "ann";
});

afterAll(async () => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  await service.stop();
  await here.close();
  remove();
});

/** What the command says, with one name for the database. */
async function said(args: readonly string[], database: string) {
  const { status, stdout, stderr } = await evalcubeHere([...args, "--db", database]);
  const named = (text: string) => text.replaceAll(database, "DATABASE");
  return { status, stdout: named(stdout), stderr: named(stderr) };
}

async function expectSame(args: readonly string[]): Promise<void> {
  expect(await said(args, service.url), args.join(" ")).toEqual(await said(args, db));
}

const MORE: readonly (readonly string[])[] = [
  ["evaluations", "--format", "json"],
  ["evaluations", "--project", "no/where"],
  ["sql", "select count(*) as n from trials", "--format", "json"],
  ["sql", "select no_such from trials"],
  ["sql", "select count(*) as n from trials", "--format", "table"],
  ["plan", "--detect", "0.05", "--rate", "0.7", "--format", "json"],
  ["ingest", calls, "--format", "json"],
  ["ingest", path.join(folder, "missing.ndjson")],
];

describe("a command over the address of a service", () => {
  it.each([...COMMANDS, ...MORE].map((args) => [args.join(" "), args] as const))(
    "says of %s what it says over a file",
    async (_, args) => {
      expect.hasAssertions();
      await expectSame(args);
    },
  );

  it("writes the files that it writes over a file", async () => {
    for (const format of ["csv", "parquet", "arrow"]) {
      const out = path.join(folder, `out.${format}`);
      const args = ["export", "--evaluation", "nightly", "--out", out];
      const [far, near] = [await said(args, service.url), readFileSync(out)];
      expect(await said(args, db)).toEqual(far);
      expect(readFileSync(out).equals(near)).toBe(true);
    }
  });

  it("takes the key of a file, where the environment has none", async () => {
    const file = path.join(folder, "key.txt");
    writeFileSync(file, `${service.key("read")}\nmore\n`);
    const key = process.env["EVALCUBE_KEY"];
    delete process.env["EVALCUBE_KEY"];
    try {
      const args = ["evaluations", "--db", service.url];
      const without = await evalcubeHere(args);
      expect(without).toMatchObject({ status: 1, stdout: "" });
      expect(without.stderr).toMatch(/EVALCUBE_KEY.*--key-file/);
      expect((await evalcubeHere([...args, "--key-file", file])).status).toBe(0);
      expect((await evalcubeHere([...args, "--key-file", `${file}x`])).stderr).toContain(`${file}x`);
    } finally {
      process.env["EVALCUBE_KEY"] = key;
    }
  });

  it("copies and deletes through the service", async () => {
    const out = path.join(folder, "copy.duckdb");
    expect((await said(["backup", "--out", out], service.url)).status).toBe(0);
    const old = ["delete", "--project", PROJECT, "--older-than", "1d", "--name", "twins", "--yes"];
    await expectSame([...old, "--dry-run", "--format", "json"]);
    await expectSame([...old, "--format", "json"]);
    await expectSame(["delete", "--yes", "run-1"]);
    await expectSame(["delete", "--yes", "nobody"]);
  });

  it("tells where the page of a service is, without the key", async () => {
    const { status, stdout } = await evalcubeHere(["view", "--db", `${service.url}/`, "--project", PROJECT]);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `evalcube view at ${service.url}/view/#project=acme%2Fqa\n`,
    });
  });

  it("ends with status 1 and one line where nobody answers", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise((resolve) => server.close(resolve));
    const { status, stderr } = await evalcubeHere(["evaluations", "--db", address]);
    expect(status).toBe(1);
    expect(stderr.startsWith(`evalcube: ${address}: there is no answer (ECONNREFUSED)`)).toBe(true);
    expect(stderr.split("\n")).toHaveLength(2);
  });
});
