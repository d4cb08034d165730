import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "@clickhouse/client";
import { onTestFinished } from "vitest";
import { until } from "./until.ts";

const LOCAL = "127.0.0.1";
const CHILD = path.join(import.meta.dirname, "../children/clickhouse-server.ts");
/** A server to test on instead of one of our own, with a user who may create databases: `http://user:password@host:8123`. */
const GIVEN = process.env["EVALCUBE_TEST_CLICKHOUSE_URL"];

/** Why tests on ClickHouse cannot run here; null where they can. */
export const noClickHouse: string | null =
  GIVEN !== undefined || (process.platform === "linux" && process.arch === "x64")
    ? null
    : "ClickHouse's library is installed for Linux on x64 alone; or set EVALCUBE_TEST_CLICKHOUSE_URL";

/** A user of our own servers who may do nothing but look at what there is. */
export const RESTRICTED = { username: "restricted", password: "pass-word" } as const;

export interface ClickHouseServer {
  /** Where HTTP is served. */
  readonly url: string;
  /** Where its own protocol is served, on the same address; 0 for a server of `EVALCUBE_TEST_CLICKHOUSE_URL`. */
  readonly tcpPort: number;
  /** Its process. */
  readonly pid: number;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  /** Whether there is a coordinator (in the memory of the server: it forgets with it), so that KeeperMap works; default true. */
  readonly coordinator?: boolean;
  /** Further members of the configuration file, as XML. */
  readonly configuration?: string;
  /** Further users and profiles, as XML: the library keeps none that statements make. */
  readonly users?: string;
  readonly profiles?: string;
  readonly ports?: Ports;
  /** Where its data is and stays; by default in a folder that goes with it. */
  readonly folder?: string;
}

interface Ports {
  /** An address of this machine; default 127.0.0.1. */
  readonly host?: string;
  readonly http: number;
  readonly tcp: number;
}

/** A server in a process of its own, new and empty by default, which ends with this one at the latest. Its user `default` may do everything. */
export async function startClickHouse(options: ServerOptions = {}): Promise<ClickHouseServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "evalcube-clickhouse-"));
  const data = options.folder ?? path.join(folder, "data");
  const { host = LOCAL, http, tcp } = options.ports ?? (await freePorts([LOCAL]));
  const file = path.join(folder, "config.xml");
  writeFileSync(file, configurationOf(folder, options));
  const args = ["--import", "tsx", CHILD, folder, file, data, host, String(http), String(tcp)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  letGo(child);
  const url = `http://${host}:${http}`;
  await until("ClickHouse to answer", async () => {
    if (child.exitCode !== null) throw new Error(`ClickHouse did not start: ${said}`);
    return (await fetch(`${url}/ping`).catch(() => null))?.ok === true;
  });
  return {
    url,
    tcpPort: tcp,
    pid: child.pid ?? 0,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

let shared: Promise<string> | null = null;

/** The URL of a server that all tests of this process share: the one given, or one of our own, which starts when first asked for. */
export function sharedClickHouse(): Promise<string> {
  shared ??= GIVEN === undefined ? startClickHouse().then((server) => server.url) : Promise.resolve(GIVEN);
  return shared;
}

/** The name of a database that is not there yet and goes with the test. */
export function scratchDatabase(url: string): string {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  onTestFinished(async () => {
    const client = createClient({ url });
    await client.command({ query: `DROP DATABASE IF EXISTS ${name}` });
    await client.close();
  });
  return name;
}

function user(name: string, password: string, members: string): string {
  return `<${name}>
      <password>${password}</password><profile>default</profile><quota>default</quota>${members}
      <networks><ip>::/0</ip></networks>
    </${name}>`;
}

function configurationOf(
  folder: string,
  { coordinator = true, configuration = "", users = "", profiles = "" }: ServerOptions,
): string {
  return `<clickhouse>
  <logger><level>none</level></logger>
  <profiles><default/>${profiles}</profiles>
  <quotas><default/></quotas>
  <users>
    ${user("default", "", "<access_management>1</access_management>")}
    ${user(RESTRICTED.username, RESTRICTED.password, "<grants><query>GRANT SELECT ON system.*</query></grants>")}
    ${users}
  </users>
  <user_directories><users_xml><path>${folder}/config.xml</path></users_xml></user_directories>
  ${coordinator ? "<zookeeper><implementation>testkeeper</implementation></zookeeper>" : ""}
  <keeper_map_path_prefix>/keeper_map</keeper_map_path_prefix>
  ${configuration}
</clickhouse>`;
}

/** This process ends although the child runs. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stderr]) {
    // The streams to a child are sockets.
    if (stream !== null && "unref" in stream && typeof stream.unref === "function") stream.unref();
  }
}

/** Ports that are free at all of these addresses. */
export async function freePorts(hosts: readonly string[]): Promise<Ports> {
  const [http, tcp] = [await freePort(hosts), await freePort(hosts)];
  return http === tcp ? freePorts(hosts) : { http, tcp };
}

async function freePort([first = LOCAL, ...others]: readonly string[]): Promise<number> {
  const server = await listen(first, 0);
  const listening = [server];
  const { port } = server.address() as AddressInfo;
  try {
    for (const host of others) listening.push(await listen(host, port));
    return port;
  } catch {
    return await freePort([first, ...others]);
  } finally {
    await Promise.all(listening.map((one) => new Promise((closed) => one.close(closed))));
  }
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  return server;
}
