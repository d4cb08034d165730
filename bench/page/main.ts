import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { createHttpHandler, openEngine, serveHttp, type Engine } from "../../src/index.ts";
import { PAGE_HEADERS } from "../../src/http/view/page-headers.ts";
import { viewFiles } from "../../src/view-files.ts";
import { makeReport } from "../../src/view/make-report.ts";
import { launchBrowser } from "../../test/support/launch-browser.ts";
import { busyMachine } from "../report/machine.ts";
import { liveWhile } from "./live-memory.ts";
import { FIRST_ROW, openPage, requestTimes, timeQuestions, timeRows, type Figures } from "./time-page.ts";

/*
 * The page in a real browser: a report of a project from its file, and the view of it over the service. Times are in
 * milliseconds from the start of the navigation, as the browser counts it, which includes the request for the document and
 * the way of its bytes, up to the first frame in which what is named is in the document. `shell` is the moment at which the frame of the page
 * is in the document, painted or not.
 * A document of one empty element with the same headers, from a server that does nothing else, is opened before: its times are the
 * browser's own.
 */

const { values } = parseArgs({
  options: {
    db: { type: "string" },
    project: { type: "string" },
    "no-report": { type: "boolean" },
    "no-view": { type: "boolean" },
  },
});
if (values.db === undefined || values.project === undefined)
  throw new Error("npx tsx bench/page/main.ts --db PATH --project ENTITY/PROJECT [--no-report] [--no-view]");

const show = (title: string, figures: Figures) => {
  const texts = Object.entries(figures).map(
    ([name, figure]) => `${name} ${Math.round(figure).toLocaleString("en")}`,
  );
  process.stdout.write(`${title}: ${texts.join(", ")}\n`);
};

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
  // A second time, since the collections take longer than the report.
  show("report made again", {
    "most alive MiB": await liveWhile(() => makeReport(engine, project, {})),
    "most alive while the engine reads its rows alone, MiB": await liveWhile(async () => {
      for (const question of asked) for await (const part of engine.queryColumns(...question)) void part;
    }),
  });
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

const busy = busyMachine();
if (busy !== null) process.stdout.write(`Note: ${busy}.\n`);
const folder = await mkdtemp(path.join(tmpdir(), "evalcube-page-"));
const engine = await openEngine({ path: values.db, readOnly: true });
const browser = await launchBrowser();
try {
  if (values["no-report"] !== true) {
    const { page, figures } = await openPage(
      browser,
      await timeReport(engine, values.project, folder),
      FIRST_ROW,
    );
    show("report opens", figures);
    show("its rows", await timeRows(page));
    show("questions about them", await timeQuestions(page));
    await page.context().close();
  }
  if (values["no-view"] !== true) await timeView(values.project);
} finally {
  await browser.close();
  await engine.close();
  await rm(folder, { recursive: true });
}

async function timeView(project: string): Promise<void> {
  // An installed package has the script of the page; a checkout bundles it when it is first asked for.
  await viewFiles();
  const empty = await serveEmptyPage();
  for (const title of ["an empty page opens", "an empty page opens again"]) {
    const { page, figures } = await openPage(browser, empty.address, "main");
    show(title, figures);
    await page.context().close();
  }
  empty.close();
  const handler = createHttpHandler(engine, {
    authenticate: () => ({ user: "bench", projects: ["*"] }),
    view: true,
  });
  const service = await serveHttp(handler, { port: 0 });
  const address = `${service.url}/view/#key=bench&project=${encodeURIComponent(project)}`;
  for (const title of ["view opens the first time", "view opens again"]) {
    const { page, figures } = await openPage(browser, address, FIRST_ROW);
    show(title, figures);
    show("its requests", await requestTimes(page));
    show("its rows", await timeRows(page));
    await page.context().close();
  }
  await service.stop();
}
