import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { openEngine, type Engine } from "../../src/index.ts";
import { PAGE_HEADERS } from "../../src/http/view/page-routes.ts";
import { viewFiles } from "../../src/view-files.ts";
import { makeReport } from "../../src/view/make-report.ts";
import { launchBrowser } from "../../test/support/launch-browser.ts";
import { busyMachine } from "../report/machine.ts";
import { median } from "../run/measures.ts";
import { startServer } from "../service/processes.ts";
import { liveWhile } from "./live-memory.ts";
import { makeProject } from "./made-project.ts";
import { FIRST_ROW, openPage, requestTimes, timeQuestions, timeRows, type Figures } from "./time-page.ts";

/*
 * The page in a real browser: a report of a project from its file, and the view of it that `evalcube view` serves from a process of
 * its own. Times are in milliseconds from the start of the navigation, as the browser counts it, which includes the request for the
 * document and the way of its bytes, up to the first frame in which what is named is in the document. `shell` is the moment at which
 * the frame of the page is in the document, painted or not.
 * What is opened again is opened as often as `--times` says, each time in a browser context of its own, which has kept nothing; told
 * are the median, the least and the most. A document of one empty element with the same headers, from a server that does nothing else,
 * is opened as often in turn: its times are the browser's own.
 */

const { values } = parseArgs({
  options: {
    db: { type: "string" },
    project: { type: "string" },
    rows: { type: "string" },
    "no-report": { type: "boolean" },
    "no-memory": { type: "boolean" },
    "no-view": { type: "boolean" },
    times: { type: "string", default: "7" },
  },
});

/** The project that is named, or one that is made with so many rows. */
async function sourceOf(folder: string): Promise<Source> {
  const { db, project, rows } = values;
  if (rows !== undefined) return makeProject(folder, Number(rows));
  if (db !== undefined && project !== undefined) return { db, project };
  throw new Error(
    "npx tsx bench/page/main.ts --db PATH --project ENTITY/PROJECT [--no-report] [--no-memory] [--no-view] [--times N]; --rows N instead of the project makes one",
  );
}

interface Source {
  readonly db: string;
  readonly project: string;
}

const show = (title: string, figures: Figures) => {
  const texts = Object.entries(figures).map(
    ([name, figure]) => `${name} ${Math.round(figure).toLocaleString("en")}`,
  );
  process.stdout.write(`${title}: ${texts.join(", ")}\n`);
};

/** Makes the report a second time, since the collections take longer than the report. */
async function showMemory(
  engine: Engine,
  project: string,
  asked: readonly Parameters<Engine["queryColumns"]>[],
) {
  show("report made again", {
    "most alive MiB": await liveWhile(() => makeReport(engine, project, {})),
    "most alive while the engine reads its rows alone, MiB": await liveWhile(async () => {
      for (const question of asked) for await (const part of engine.queryColumns(...question)) void part;
    }),
  });
}

async function timeReport(engine: Engine, project: string, folder: string): Promise<string> {
  const files = await viewFiles();
  const { script, style } = files.report;
  const before = process.memoryUsage().rss;
  const began = performance.now();
  const asked: Parameters<Engine["queryColumns"]>[] = [];
  const queryColumns: Engine["queryColumns"] = (...question) => {
    asked.push(question);
    return engine.queryColumns(...question);
  };
  const { html, rows } = await makeReport({ ...engine, queryColumns }, project, {});
  show("report", {
    "made ms": performance.now() - began,
    bytes: Buffer.byteLength(html),
    "script and style, gzip bytes": gzipSync(script.text).length + gzipSync(style.text).length,
    "memory grown MiB": (process.memoryUsage().rss - before) / 2 ** 20,
    rows: rows.rows,
    "rows with outputs": rows.withOutputs,
  });
  if (values["no-memory"] !== true) await showMemory(engine, project, asked);
  const file = path.join(folder, "report.html");
  await writeFile(file, html);
  return `file://${file}`;
}

/**
 * A document that holds what a shell is known by, and nothing else, with the headers of the view: what they ask of a browser, such as
 * a process of its own, takes time too.
 */
async function serveEmptyPage() {
  const server = createServer((_, response) => {
    response.setHeaders(new Map(Object.entries({ ...PAGE_HEADERS, "content-type": "text/html" })));
    response.end('<!doctype html><html lang="en"><title>empty</title><main>empty</main></html>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Shows the median, the least and the most of each figure. */
const showAll = (title: string, all: readonly Figures[]) => {
  const texts = Object.keys(all[0] ?? {}).map((name) => {
    const found = all.flatMap((figures) => figures[name] ?? []);
    const told = [median(found), Math.min(...found), Math.max(...found)].map(Math.round);
    return `${name} ${told[0]} (${told[1]} to ${told[2]})`;
  });
  process.stdout.write(`${title}, ${all.length} times: ${texts.join(", ")}\n`);
};

async function timeReportFile(browser: Browser, { db, project }: Source, folder: string): Promise<void> {
  const engine = await openEngine({ path: db, readOnly: true });
  try {
    const file = await timeReport(engine, project, folder);
    const { page, figures } = await openPage(browser, file, FIRST_ROW);
    show("report opens", figures);
    show("its rows", await timeRows(page));
    show("questions about them", await timeQuestions(page));
    await page.context().close();
  } finally {
    await engine.close();
  }
}

async function timeView(browser: Browser, { db, project }: Source, times: number): Promise<void> {
  const empty = await serveEmptyPage();
  const service = await startServer("src/cli/main.ts", [
    "view",
    "--db",
    db,
    "--project",
    project,
    "--port",
    "0",
  ]);
  try {
    const first = await openPage(browser, service.url, FIRST_ROW);
    show("view opens the first time", first.figures);
    show("its requests", await requestTimes(first.page));
    show("its rows", await timeRows(first.page));
    await first.page.context().close();
    const emptyTimes: Figures[] = [];
    const viewTimes: Figures[] = [];
    const requests: Figures[] = [];
    for (let i = 0; i < times; i++) {
      const nothing = await openPage(browser, empty.address, "main");
      emptyTimes.push(nothing.figures);
      await nothing.page.context().close();
      const view = await openPage(browser, service.url, FIRST_ROW);
      viewTimes.push(view.figures);
      requests.push(await requestTimes(view.page));
      await view.page.context().close();
    }
    showAll("an empty page opens", emptyTimes);
    showAll("view opens again", viewTimes);
    showAll("its requests", requests);
  } finally {
    empty.close();
    await service.stop();
  }
}

const busy = busyMachine();
if (busy !== null) process.stdout.write(`Note: ${busy}.\n`);
const folder = await mkdtemp(path.join(tmpdir(), "evalcube-page-"));
const browser = await launchBrowser();
try {
  const source = await sourceOf(folder);
  if (values["no-report"] !== true) await timeReportFile(browser, source, folder);
  if (values["no-view"] !== true) await timeView(browser, source, Number(values.times));
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
