import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ClickHouseOptions } from "../../index.ts";
import { ON_WINDOWS } from "../../flow/system.ts";
import { fileFault } from "../../model/messages.ts";
import { FileError, UsageError } from "../terminal/failure.ts";

/** What `openEngine` is told of where a database is. */
export type Address =
  | { readonly path: string; readonly memoryLimit?: string }
  | { readonly url: string }
  | { readonly clickhouse: ClickHouseOptions };

const PASSWORD = "EVALCUBE_CLICKHOUSE_PASSWORD";
const MEMORY_LIMIT = "EVALCUBE_MEMORY_LIMIT";
const KEY = "EVALCUBE_KEY";
const FORM = "clickhouse://user@host:8443/database";

const FORMS = `evals.duckdb, file:///folder/evals.duckdb, https://host/base, ${FORM}; a file of such a name is ./name`;

/** What an address begins with, but the one letter of a drive: `C:\evals.duckdb` is a path. */
const SCHEME = /^[a-z][a-z\d+.-]+:/i;

/** The schemes of servers: what they speak, and the port that stands for none. */
const SCHEMES: Readonly<Record<string, { readonly protocol: string; readonly port: string }>> = {
  "clickhouse:": { protocol: "https", port: "8443" },
  "clickhouse+http:": { protocol: "http", port: "8123" },
};

/**
 * Reads where a database is: a file, that of a service, or a database on a server. The password and the memory that a
 * file may take come from the environment. Throws `UsageError`, which shows nothing of the value: it may hold a
 * password.
 */
export function readAddress(text: string, environment = process.env): Address {
  const [scheme = ""] = SCHEME.exec(text)?.map((one) => one.toLowerCase()) ?? [];
  if (scheme === "") return { path: text, ...memoryOf(environment) };
  if (scheme === "http:" || scheme === "https:") return { url: serviceOf(text) };
  if (scheme === "file:") return { path: pathOf(text), ...memoryOf(environment) };
  const { protocol, port } = SCHEMES[scheme] ?? refuse(`begins with ${scheme}, which is none of ${FORMS}`);
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

/** Whether a database is that of a service. */
export function isService(text: string): boolean {
  return "url" in readAddress(text);
}

function serviceOf(text: string): string {
  if (!URL.canParse(text)) refuse("is not of the form https://host/base");
  const { username, password, search, hash } = new URL(text);
  if (username !== "" || password !== "")
    refuse(`must not hold a key, which others see on a command line; set ${KEY}`);
  if (search !== "" || hash !== "") refuse("ends with the base path of a service, as https://host/base");
  return text;
}

/** The key that services are asked with: that of the environment, else the first line of a file. */
export function readKey(file: string | undefined, environment = process.env): { readonly key?: string } {
  const set = environment[KEY] ?? "";
  if (set !== "" || file === undefined) return set === "" ? {} : { key: set };
  try {
    return { key: (readFileSync(file, "utf8").split("\n")[0] ?? "").trim() };
  } catch (error) {
    throw new FileError(`cannot read ${file}: ${fileFault(error)}`);
  }
}

function pathOf(text: string): string {
  const wrong = "is no path of a file on this machine, as file:///folder/evals.duckdb is";
  try {
    return /^file:\/\//i.test(text) ? fileURLToPath(text, { windows: ON_WINDOWS }) : refuse(wrong);
  } catch {
    return refuse(wrong);
  }
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
