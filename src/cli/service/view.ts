import path from "node:path";
import { Option } from "commander";
import { EvalcubeError } from "../../errors.ts";
import { firstAndMore } from "../../model/messages.ts";
import type { HttpHandler } from "../../http/handler.ts";
import type { RunningService } from "../../http/node/serve.ts";
import type { Engine, PriceList } from "../../index.ts";
import { openInBrowser } from "../../programs/open-in-browser.ts";
import { withoutTrailing } from "../../model/plain-line.ts";
import { isService } from "../options/address.ts";
import { noteUnknownProject, withLatest } from "../options/database.ts";
import {
  databaseOption,
  projectOption,
  type ProjectOptions,
  type EvalcubeCommand,
} from "../options/options.ts";
import { costOptions, readPrices, type PricesOption } from "../request/prices.ts";
import { parsePort } from "../options/service-options.ts";
import { untilAborted } from "../terminal/interrupt.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";

interface ViewOptions extends ProjectOptions, PricesOption {
  readonly costs?: true;
  readonly host: string;
  /** Without it the usual one, or the next that is free. */
  readonly port?: number;
  readonly open?: true;
}

const USUAL_PORT = 7342;
const PORTS_TRIED = 100;
const PROJECTS_SHOWN = 20;
/** Nobody waits for a page that is being closed. */
const GRACE_MS = 500;

export function viewCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const port = `port to listen on, 0 takes a free one (${USUAL_PORT}, or the next free)`;
  program
    .command("view")
    .description("show the evaluations in a browser")
    .with(
      databaseOption(),
      projectOption("the project to show first"),
      new Option("--host <host>", "address to listen on").default("127.0.0.1"),
      new Option("--port <port>", port).argParser(parsePort),
      new Option("--open", "open it in the system's browser"),
      ...costOptions(),
    )
    .example("evalcube view --db evals.duckdb --open")
    .action((options: ViewOptions) => view(options, terminal));
}

async function view(options: ViewOptions, terminal: Terminal): Promise<void> {
  const { db, project } = options;
  if (isService(db)) return await viewService(options, terminal);
  const prices = (await readPrices(options, terminal)) as PriceList | undefined;
  await withLatest(terminal, db, async (engine) => {
    if (project !== undefined) await noteUnknownProject(engine, db, project, terminal);
    const [shown, ...others] = project === undefined ? await latestFirst(engine) : [project];
    await viewEngine(
      options.costs === true || prices !== undefined ? withCosts(engine, prices) : engine,
      { ...options, ...(others.length === 0 ? {} : { project: shown }) },
      others,
      terminal,
    );
  });
}

/** The page of a service is there already, and asks for the key itself. */
async function viewService(options: ViewOptions, terminal: Terminal): Promise<void> {
  const { db, project } = options;
  const state = new URLSearchParams(project === undefined ? {} : { project });
  const address = `${withoutTrailing(db, "/")}/view/${project === undefined ? "" : `#${state.toString()}`}`;
  await print(terminal.stdout, `evalcube view at ${address}\n`);
  if (options.open !== true) return;
  // Nothing in the address is secret, so the browser may be told it, and nobody waits for it.
  await openInBrowser(address).catch(() => note(terminal, NO_BROWSER));
}

const NO_BROWSER = "note: no browser could be opened; open the address above in one\n";

/** The projects, the one whose evaluation started last first, the others by name. */
async function latestFirst(engine: Engine): Promise<readonly string[]> {
  const projects = await engine.listProjects();
  if (projects.length < 2) return projects;
  let latest = { project: projects[0] ?? "", started: "" };
  for (const project of projects) {
    const starts = (await engine.listEvaluations(project)).map((one) => one.started_at ?? "");
    const started = starts.reduce((last, one) => (one > last ? one : last), "");
    if (started > latest.started) latest = { project, started };
  }
  return [latest.project, ...projects.filter((one) => one !== latest.project)];
}

/** The engine that asks for costs wherever a page asks what rows used, or compares them. */
function withCosts(engine: Engine, prices: PriceList | undefined): Engine {
  const asked = { costs: true, prices };
  const queryEvalResults: Engine["queryEvalResults"] = (project, request, options) => {
    const spent = request.include_usage === true ? { include_costs: true, prices } : {};
    return engine.queryEvalResults(project, { ...request, ...spent }, options);
  };
  return {
    ...engine,
    queryEvalResults,
    compareEvaluations: (project, request, options) =>
      engine.compareEvaluations(project, { ...request, ...asked }, options),
    history: (project, request, options) => engine.history(project, { ...request, ...asked }, options),
  };
}

/** Serves the page over the engine until the signal aborts. */
async function viewEngine(
  engine: Engine,
  options: ViewOptions,
  others: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { answeringOnlyFor, createHttpHandler, createLogger, generateKey, ownHosts } =
    await import("../on-use/on-use.ts");
  const { key, entry } = generateKey("view", ["*"], new Date());
  const handler = createHttpHandler(engine, {
    keys: { version: 1, keys: [entry] },
    view: "own-key",
    // Whoever looks at the page cares only for failed requests.
    logger: createLogger("warn"),
  });
  const hosts = new Set<string>();
  const service = await listen(answeringOnlyFor(hosts, handler), options);
  for (const host of ownHosts(service)) hosts.add(host);
  const state = new URLSearchParams({
    key,
    ...(options.project === undefined ? {} : { project: options.project }),
  });
  const address = `${service.url}/view/#${state.toString()}`;
  await print(terminal.stdout, `evalcube view at ${address}\n`);
  if (others.length > 0) {
    const more = firstAndMore(others, PROJECTS_SHOWN);
    await print(
      terminal.stdout,
      `It shows ${options.project ?? ""}, which was run last; there are also ${more}.\n`,
    );
  }
  const close = options.open === true ? await open(address, terminal) : null;
  await untilAborted(terminal.signal);
  await close?.();
  await service.stop();
}

/** Listens on the port that was asked for, or on the first free one from the usual one on. */
async function listen(handler: HttpHandler, { host, port }: ViewOptions): Promise<RunningService> {
  const { serveHttp } = await import("../on-use/on-use.ts");
  const on = (next: number) => serveHttp(handler, { host, port: next, graceMs: GRACE_MS });
  if (port !== undefined) return await on(port);
  for (let next = USUAL_PORT; next < USUAL_PORT + PORTS_TRIED; next++) {
    try {
      return await on(next);
    } catch (error) {
      if (!isInUse(error)) throw error;
    }
  }
  const tried = `${USUAL_PORT} to ${USUAL_PORT + PORTS_TRIED - 1}`;
  throw new EvalcubeError(
    "cannot_listen",
    `Cannot listen on ${host}: the ports ${tried} are in use; name one with --port.`,
  );
}

function isInUse(error: unknown): boolean {
  return (
    error instanceof EvalcubeError &&
    error.cause instanceof Error &&
    "code" in error.cause &&
    error.cause.code === "EADDRINUSE"
  );
}

/** Resolves to what tidies up behind the browser; null where there is none. */
async function open(address: string, terminal: Terminal): Promise<(() => Promise<void>) | null> {
  try {
    return await openBrowser(address);
  } catch {
    await note(terminal, NO_BROWSER);
    return null;
  }
}

/**
 * Opens an address in the system's browser, which goes on by itself; rejects where there is no program to open it. The
 * address may hold a secret, and everybody on the machine sees the arguments of programs: the browser gets a file
 * instead that only its owner can read, and that leads there. Resolves to what removes it.
 */
async function openBrowser(address: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), "evalcube-view-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = path.join(folder, "view.html");
    await writeFile(file, forwardingTo(address), { mode: 0o600 });
    await openInBrowser(pathToFileURL(file).href);
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The address is one of ours: its members are percent-encoded. */
function forwardingTo(address: string): string {
  const text = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${text}">
<title>evalcube</title>
<p><a href="${text}">evalcube view</a></p>
</html>
`;
}
