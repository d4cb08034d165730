import path from "node:path";
import { withoutTrailing } from "../../model/plain-line.ts";
import type { Logger } from "pino";
import type { Engine } from "../../index.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { loadKept, withEngine } from "../options/database.ts";
import { databaseOption, keysOption, type EvalcubeCommand } from "../options/options.ts";
import { serviceOptions, type ServiceOptions } from "../options/service-options.ts";
import { readAddress } from "../options/address.ts";
import { UsageError } from "../terminal/failure.ts";
import { untilAborted } from "../terminal/interrupt.ts";
import { print, type Terminal } from "../terminal/terminal.ts";

export function serveCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("serve")
    .description("answer over HTTP")
    .with(databaseOption(), keysOption(), ...serviceOptions())
    .example("evalcube serve --db evals.duckdb --keys keys.json")
    .action((options: ServiceOptions) => serve(options, terminal));
}

/** Imports the service on its first use, so that help and usage errors do not load it. */
async function serve(options: ServiceOptions, terminal: Terminal): Promise<void> {
  const { checkHandlerFiles, checkPort, createLogger } = await import("../on-use/on-use.ts");
  if (options.backup === undefined && (options.backupEvery ?? options.backupKeep) !== undefined)
    throw new UsageError("--backup-every and --backup-keep are for --backup, which names a folder");
  // Checked before the database is created or migrated.
  checkHandlerFiles(options);
  await checkPort(options);
  const logger = createLogger(options.logLevel);
  const onUsageError = (error: unknown) => logger.error(named(error), "usage was not recorded");
  await loadKept(terminal, options.db);
  await withEngine(terminal, options.db, (engine) => serveEngine(engine, options, logger, terminal), {
    ...(options.memoryLimit === undefined ? {} : { memoryLimit: `${options.memoryLimit / 1024}KiB` }),
    onUsageError,
    // What comes over HTTP has the user of its key.
    user: null,
    onWarning: ({ code, message }) => logger.warn({ code }, message),
  });
}

/** Serves until the signal aborts, then stops gracefully. */
async function serveEngine(
  engine: Engine,
  options: ServiceOptions,
  logger: Logger,
  { stdout, signal }: Terminal,
): Promise<void> {
  const { createHttpHandler, patienceOf, serveHttp } = await import("../on-use/on-use.ts");
  const { keys, inference, basePath, view, host, port, grace } = options;
  const handler = createHttpHandler(engine, {
    keys,
    ...(inference === undefined ? {} : { inference }),
    basePath,
    view,
    limits: limitsOf(options),
    maxConcurrentAnswers: options.maxConcurrentAnswers,
    backup: backupOf(options),
    logger,
  });
  const reload = () => reloadKeys(handler, logger);
  process.on("SIGHUP", reload);
  try {
    const service = await serveHttp(handler, { host, port, graceMs: grace * 1000 });
    const address = `${service.url}${withoutTrailing(basePath, "/")}`;
    const page = view ? ` (page: ${address}/view/)` : "";
    await print(stdout, `evalcube listens on ${address}${page}\n`);
    await untilAborted(signal);
    logger.info("stopping");
    interruptAfter(patienceOf(grace * 1000), engine);
    await service.stop();
  } finally {
    process.off("SIGHUP", reload);
  }
}

function limitsOf(options: ServiceOptions) {
  return {
    chat: options.maxChatBody,
    training: options.maxTrainingBody,
    other: options.maxBody,
    weave: options.maxWeaveBody,
    file: options.maxFileBody,
    values: options.maxValues,
    item: options.maxItem,
  };
}

const DAY_MS = 86_400_000;

function backupOf({ db, backup, backupEvery: everyMs = DAY_MS, backupKeep: keep = 7 }: ServiceOptions) {
  if (backup === undefined) return undefined;
  const address = readAddress(db);
  const ofServer = "clickhouse" in address ? address.clickhouse.database : undefined;
  const name = "path" in address ? path.parse(address.path).name : ofServer;
  return { folder: backup, everyMs, keep, name };
}

/** Between two interrupts: what began after one may be what records the rest. */
const AGAIN_MS = 1000;

/** Ends what the engine does from a moment on, also while it closes. */
function interruptAfter(ms: number, engine: Engine): void {
  const interrupt = () => {
    engine.interrupt();
    setTimeout(interrupt, AGAIN_MS).unref();
  };
  setTimeout(interrupt, ms).unref();
}

function reloadKeys(handler: HttpHandler, logger: Logger): void {
  try {
    handler.reloadKeys();
    logger.info("keys read again");
  } catch (error) {
    logger.error(named(error), "the keys stay as they were");
  }
}

/** Logs the message, which names a file or a statement but never a key. */
function named(error: unknown): { readonly error: string } {
  return { error: error instanceof Error ? error.message : String(error) };
}
