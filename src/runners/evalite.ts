import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { invalidOption, isObject } from "../flow/check-options.ts";
import { at } from "../model/json.ts";
import { atExit } from "./before-exit.ts";
import { createResults, type Kind, type Results } from "./evalite-results.ts";
import { readSettings, type RunnerOptions } from "./options.ts";

export type { RunnerOptions } from "./options.ts";

/**
 * A storage for evalite that stands around another one: each eval becomes an evaluation, each result a trial. All calls
 * are passed on, and their answers are those of the other storage. `own` is that one; default: what evalite uses where
 * it is given none, found from the working folder. Rejects with `invalid_option` on an unknown option, and on a value
 * that is not allowed.
 */
export async function evalcubeStorage<Storage extends object>(
  options: RunnerOptions = {},
  own?: Storage | Promise<Storage>,
): Promise<Storage> {
  const settings = readSettings(options, process.cwd());
  const load = loaderIn(settings.root);
  const storage = (await (own ?? ownStorage(load, settings.root))) as Members;
  const results = createResults(settings, `evalite ${versionIn(settings.root)}`.trim());
  atExit(() => void process.stderr.write(results.lines()));
  // Vitest copies what its reporters hold member by member, so this is a plain object that knows nothing itself.
  const around = forwarding(storage);
  for (const [group, kind] of Object.entries("suites" in storage ? NEWER : OLDER)) {
    const calls = storage[group];
    if (isObject(calls)) around[group] = watching(calls, kind, results);
  }
  for (const name of ["close", Symbol.asyncDispose]) {
    const close = around[name];
    if (typeof close !== "function") continue;
    around[name] = async (...given: unknown[]) => {
      await results.close();
      return await (close as Call)(...given);
    };
  }
  return around as Storage;
}

/** What a group of functions creates and updates, from evalite 1.0 on, and before. */
const NEWER = { runs: "run", suites: "suite", evals: "result", scores: "score", traces: "trace" } as const;
const OLDER = { runs: "run", evals: "suite", results: "result", scores: "score", traces: "trace" } as const;

type Members = Readonly<Record<string | symbol, unknown>>;
type Call = (...given: unknown[]) => unknown;

function watching(calls: Members, kind: Kind, results: Results): Members {
  const around = forwarding(calls);
  for (const name of ["create", "update"]) {
    const call = around[name];
    if (typeof call !== "function") continue;
    around[name] = async (...given: unknown[]) => {
      results.before(kind);
      const answer: unknown = await (call as Call)(...given);
      await results.after(kind, given[0], answer);
      return answer;
    };
  }
  return around;
}

/** An object with all members of another one, those of its classes included. */
function forwarding(inner: Members): Record<string | symbol, unknown> {
  const outer: Record<string | symbol, unknown> = {};
  for (let from: object = inner; from !== Object.prototype; from = Object.getPrototypeOf(from) as object)
    for (const name of Reflect.ownKeys(from)) {
      if (name === "constructor" || name in outer) continue;
      const member = inner[name];
      outer[name] =
        typeof member === "function" ? (...given: unknown[]) => (inner[name] as Call)(...given) : member;
    }
  return outer;
}

/** Empty where evalite is not installed in the folder. */
function versionIn(root: string): string {
  try {
    const types = createRequire(path.join(path.resolve(root), "package.json")).resolve("evalite/types");
    return String(
      at(JSON.parse(readFileSync(path.join(path.dirname(types), "../package.json"), "utf8")), "version"),
    );
  } catch {
    return "";
  }
}

type Load = (entry: string) => Promise<unknown>;

/** Loads entries of the evalite that is installed in a folder. */
function loaderIn(root: string): Load {
  const { resolve } = createRequire(path.join(path.resolve(root), "package.json"));
  return (entry) => import(pathToFileURL(resolve(`evalite/${entry}`)).href);
}

/** The storage that evalite uses where it is given none: a file before 1.0, and memory since. */
async function ownStorage(load: Load, root: string): Promise<unknown> {
  const location = at(await load("backend-only-constants"), "DB_LOCATION");
  try {
    if (typeof location === "string")
      return await made(load, "sqlite-storage", "createSqliteStorage", path.join(root, location));
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split("\n");
    process.stderr.write(
      `evalcube: evalite's own storage is in memory, since ${String(location)} cannot be used: ${reason}\n`,
    );
  }
  return await made(load, "in-memory-storage", "createInMemoryStorage");
}

async function made(load: Load, entry: string, name: string, ...given: readonly unknown[]): Promise<unknown> {
  const make = at(await load(entry), name);
  if (typeof make !== "function")
    throw invalidOption(`this version of evalite has no ${name}; give its storage as second argument`);
  return await (make as Call)(...given);
}
