import { EvalcubeError, StoreError } from "../../errors.ts";
import type { Engine } from "../../index.ts";
import { isService } from "../options/address.ts";
import { addressWithKey, loadKept } from "../options/database.ts";
import {
  databaseOption,
  projectOption,
  type EvalcubeCommand,
  type ProjectOptions,
} from "../options/options.ts";
import { untilAborted } from "../terminal/interrupt.ts";
import { note, type Terminal } from "../terminal/terminal.ts";
import path from "node:path";

export function mcpCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("mcp")
    .description("answer coding agents over the Model Context Protocol, on standard input and output")
    .with(databaseOption(), projectOption("the only project to answer about; without it all"))
    .example("evalcube mcp --db evals.duckdb")
    .action((options: ProjectOptions) => mcp(options, terminal));
}

async function mcp({ db, project }: ProjectOptions, terminal: Terminal): Promise<void> {
  const { stdin, stdout, signal } = terminal;
  const { serveOverStreams } = await import("../../mcp/doors.ts");
  await note(terminal, `evalcube mcp: ${isService(db) ? db : path.basename(db)}, read only\n`);
  const { withEngine, close } = openWhileAsked(db, terminal);
  const mayName = (projectId: string) => project === undefined || projectId === project;
  const { ended, stop } = serveOverStreams(
    { withEngine, mayName, fault: (error) => faultText(error, db) },
    stdin,
    stdout,
  );
  await untilAborted(AbortSignal.any([signal, ended]));
  await stop();
  await close({ atOnce: true });
}

/** A file that is not asked is closed after so long, so that others can write into it. */
const IDLE_MS = 1000;
/** So long a file that somebody else writes is tried again. */
const PATIENCE_MS = 5000;

/** Opens a database for reading while calls are under way, and for a second more. */
function openWhileAsked(db: string, terminal: Terminal) {
  let [calls, opened]: [number, Promise<Engine> | null] = [0, null];
  let timer: NodeJS.Timeout | undefined;
  const close = async ({ atOnce = false } = {}) => {
    clearTimeout(timer);
    const closing = opened;
    opened = null;
    const engine = await closing?.catch(() => null);
    if (atOnce) engine?.interrupt();
    await engine?.close();
  };
  const withEngine = async <T>(work: (engine: Engine) => Promise<T>): Promise<T> => {
    clearTimeout(timer);
    calls++;
    try {
      opened ??= loadKept(terminal, db).then(() => open(terminal, db));
      return await work(await opened);
    } catch (error) {
      if (error instanceof StoreError) await close();
      throw error;
    } finally {
      if (--calls === 0) timer = setTimeout(() => void close(), IDLE_MS).unref();
    }
  };
  return { withEngine, close };
}

async function open({ keyFile }: Terminal, db: string): Promise<Engine> {
  const { openEngine, openPatiently } = await import("../on-use/on-use.ts");
  const address = addressWithKey(db, keyFile());
  return await openPatiently(() => openEngine({ ...address, readOnly: true }), PATIENCE_MS);
}

/** What an agent is told of a database that cannot be read; of a fault of ours only that there is one. */
function faultText(error: unknown, db: string): string {
  if (!(error instanceof EvalcubeError) || error.code === "query_failed")
    return "evalcube failed at this call, which is a fault of evalcube";
  if (error.code === "no_database")
    return `${db}: there is no such file; evalcube ingest, import or run makes one, evalcube demo an example`;
  if (error.code === "locked_database") return `${error.message} Ask again when it has ended`;
  const isOpened = error instanceof StoreError && error.code !== "closed" && !isService(db);
  return `${error.message}${isOpened ? `; evalcube check --db ${db} says what is wrong, any load repairs it` : ""}`;
}
