import { existsSync } from "node:fs";
import type { ClickHouseOptions } from "../../index.ts";
import { FileError, UsageError } from "../terminal/failure.ts";

/** What `openEngine` is told of where a database is. */
export type Address =
  | { readonly path: string; readonly memoryLimit?: string }
  | { readonly clickhouse: ClickHouseOptions };

const PASSWORD = "EVALCUBE_CLICKHOUSE_PASSWORD";
const MEMORY_LIMIT = "EVALCUBE_MEMORY_LIMIT";
const FORM = "clickhouse://user@host:8443/database";

/** The schemes of servers: what they speak, and the port that stands for none. */
const SCHEMES: Readonly<Record<string, { readonly protocol: string; readonly port: string }>> = {
  "clickhouse:": { protocol: "https", port: "8443" },
  "clickhouse+http:": { protocol: "http", port: "8123" },
};

/**
 * Reads where a database is: a file, or a database on a server. The password and the memory that a file may take come
 * from the environment. Throws `UsageError`, which shows nothing of the value: it may hold a password.
 */
export function readAddress(text: string, environment = process.env): Address {
  const [scheme = ""] = /^clickhouse[+\w]*:/i.exec(text) ?? [];
  if (scheme === "") return { path: text, ...memoryOf(environment) };
  const { protocol, port } =
    SCHEMES[scheme.toLowerCase()] ?? refuse(`begins with ${scheme}, not with ${FORM}`);
  if (!URL.canParse(text)) refuse(`is not of the form ${FORM}`);
  const url = new URL(text);
  if (url.password !== "")
    refuse(`must not hold a password, which others see on a command line; set ${PASSWORD}`);
  const [database = "", ...others] = url.pathname.slice(1).split("/");
  if (url.hostname === "" || database === "" || others.length > 0 || url.hash !== "")
    refuse(`is not of the form ${FORM}`);
  const cluster = clusterOf(url.searchParams);
  const password = environment[PASSWORD];
  return {
    clickhouse: {
      url: `${protocol}://${url.hostname}:${url.port || port}`,
      database: decoded(database),
      ...(url.username === "" ? {} : { username: decoded(url.username) }),
      ...(password === undefined || password === "" ? {} : { password }),
      ...(cluster === null ? {} : { cluster }),
    },
  };
}

function memoryOf(environment: NodeJS.ProcessEnv): { readonly memoryLimit?: string } {
  const memoryLimit = environment[MEMORY_LIMIT] ?? "";
  return memoryLimit === "" ? {} : { memoryLimit };
}

/** Throws `FileError` where a database is a file that is not there; of a server, opening it tells. */
export function checkThere(text: string): void {
  if (isMissing(text)) throw new FileError(`${text}: no such database`);
}

/** Whether a database is a file that is not there. */
export function isMissing(text: string): boolean {
  const address = readAddress(text);
  return "path" in address && !existsSync(address.path);
}

function clusterOf(parameters: URLSearchParams): string | null {
  const other = [...parameters.keys()].find((name) => name !== "cluster");
  if (other !== undefined) refuse("may have ?cluster=NAME behind the database, and nothing else");
  const [cluster = null, ...more] = parameters.getAll("cluster");
  if (cluster === "" || more.length > 0) refuse("names one cluster in ?cluster=NAME");
  return cluster;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse("has a % that begins no character");
  }
}

function refuse(what: string): never {
  throw new UsageError(`the address of the database ${what}`);
}
