import { firstAndMore } from "../../model/messages.ts";
import { StoreError } from "../../errors.ts";
import type { Engine, EngineOptions, StoreWarning } from "../../index.ts";
import { oneLine } from "../../model/plain-line.ts";
import type { UnloadedRun } from "../../runners/kept-runs.ts";
import { isService, readAddress, readKey } from "./address.ts";
import { UsageError } from "../terminal/failure.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";
import type { ProjectOptions } from "./options.ts";

type OpenOptions = Omit<EngineOptions, "path" | "clickhouse" | "url" | "key">;

/**
 * Opens the database, passes the engine to `work`, and closes it in any case. Its warnings go to standard error.
 */
export async function withEngine<T>(
  terminal: Terminal,
  path: string,
  work: (engine: Engine) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  return await closingAfter(await open(terminal, path, { onWarning: printTo(terminal), ...options }), work);
}

/** Like {@link withEngine}, but other processes may read the file at the same time. */
export async function withReader<T>(
  terminal: Terminal,
  path: string,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const { signal } = terminal;
  return await closingAfter(await openReader(terminal, path), async (engine) => {
    if (isService(path)) {
      signal.throwIfAborted();
      // A service that never answers is not waited for.
      signal.addEventListener("abort", engine.interrupt, { once: true });
    }
    return await work(engine);
  });
}

/** Like {@link withReader}, with the runs that runners kept beside the file loaded before. */
export async function withLatest<T>(
  terminal: Terminal,
  path: string,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  await loadKept(terminal, path);
  return await withReader(terminal, path, work);
}

/** Loads the runs that runners kept beside a database, and notes each; gives those that stay where they are. */
export async function loadKept(terminal: Terminal, db: string): Promise<readonly UnloadedRun[]> {
  const address = readAddress(db);
  if (!("path" in address)) return [];
  const { loadKeptRuns } = await import("../on-use/on-use.ts");
  const options = { onWarning: printTo(terminal) };
  const { loaded, left } = await loadKeptRuns(address.path, () => open(terminal, db, options));
  for (const file of loaded)
    await note(terminal, `note: ${file}, which a runner kept, was loaded into ${db}\n`);
  for (const one of left) await note(terminal, `note: ${unloadedText(one)}; the file stays\n`);
  return left;
}

export function unloadedText({ file, reason }: UnloadedRun): string {
  return oneLine(`${file}, which a runner kept, is not loaded: ${reason}`);
}

/**
 * Like {@link withLatest}, for one project: the named one, or the only one that the database holds. Other processes
 * cannot use a file that is opened `withEngine`, to write.
 */
export async function withProject<T>(
  terminal: Terminal,
  { db, project }: ProjectOptions,
  work: (engine: Engine, project: string) => Promise<T>,
  opened: typeof withReader = withLatest,
): Promise<T> {
  return await opened(terminal, db, async (engine) =>
    work(engine, await projectOf(engine, db, project, terminal)),
  );
}

const PROJECTS_SHOWN = 20;

/** The named project, with a note where nothing was loaded into it, or the only one. */
async function projectOf(
  engine: Engine,
  path: string,
  named: string | undefined,
  terminal: Terminal,
): Promise<string> {
  if (named === undefined) return onlyProject(await engine.listProjects(), path);
  await noteUnknownProject(engine, path, named, terminal);
  return named;
}

/** Prints a note where nothing was loaded into the project. Rejects, without one, where the project is refused. */
export async function noteUnknownProject(
  engine: Engine,
  path: string,
  project: string,
  terminal: Terminal,
): Promise<void> {
  const projects = await engine.listProjects();
  if (projects.includes(project)) return;
  await engine.listEvaluations(project);
  const holds =
    projects.length === 0 ? "it holds none" : `it holds ${firstAndMore(projects, PROJECTS_SHOWN)}`;
  await note(terminal, `note: nothing was loaded into the project ${project} of ${path}; ${holds}\n`);
}

/** The only project of a database. `advice` says what to do where it holds none. */
export function onlyProject(
  projects: readonly string[],
  path: string,
  advice = "load evaluations with evalcube ingest or evalcube import, or make one with evalcube run",
): string {
  const [only, ...others] = projects;
  if (only === undefined) throw new UsageError(`${path} holds no project yet; ${advice}`);
  if (others.length === 0) return only;
  throw new UsageError(
    `${path} holds ${projects.length} projects; name one with --project: ${firstAndMore(projects, PROJECTS_SHOWN)}`,
  );
}

/** Like {@link withReader}, but a file that must be migrated or recovered is refused, so nothing is changed. */
export async function withUntouched<T>(
  terminal: Terminal,
  path: string,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const options = { readOnly: true, onWarning: printTo(terminal) };
  return await closingAfter(await open(terminal, path, options), work);
}

function printTo({ stderr }: Terminal): (warning: StoreWarning) => void {
  return ({ message }) => void print(stderr, `evalcube: ${message}\n`);
}

/** Imports the engine on its first use, so that help and usage errors do not load DuckDB. */
async function open({ keyFile }: Terminal, path: string, options: OpenOptions): Promise<Engine> {
  const { openEngine } = await import("../on-use/on-use.ts");
  return await openEngine({ ...addressWithKey(path, keyFile()), ...options });
}

/** Where a database is, and for a service the key. */
export function addressWithKey(path: string, keyFile: string | undefined) {
  const address = readAddress(path);
  return "url" in address ? { ...address, ...readKey(keyFile) } : address;
}

/** Codes of errors that opening the file for writing once resolves, and what that does. */
const WRITTEN = new Map([
  ["old_database", "was of an older format, and was brought up to date"],
  ["needs_recovery", "was recovered, since a process that had it open was killed"],
]);

async function openReader(terminal: Terminal, path: string): Promise<Engine> {
  const options = { onWarning: printTo(terminal) };
  try {
    return await open(terminal, path, { ...options, readOnly: true });
  } catch (error) {
    const done = error instanceof StoreError ? WRITTEN.get(error.code) : undefined;
    if (done === undefined) throw error;
    const writing = await open(terminal, path, options);
    await writing.close();
    await note(terminal, `note: ${path} ${done}\n`);
    return await open(terminal, path, { ...options, readOnly: true });
  }
}

async function closingAfter<T>(engine: Engine, work: (engine: Engine) => Promise<T>): Promise<T> {
  const result = await work(engine).catch(async (error: unknown) => {
    // What could not be stored is told by the error.
    await engine.close().catch(() => undefined);
    throw error;
  });
  await engine.close();
  return result;
}
