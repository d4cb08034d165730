import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { createHttpHandler, openEngine, serveHttp, type Engine } from "../../src/index.ts";
import { viewFiles } from "../../src/view-files.ts";
import { makeReport } from "../../src/view/make-report.ts";
import { launchBrowser } from "../../test/support/launch-browser.ts";
import { busyMachine } from "../report/machine.ts";
import { openPage, timeRows, type Figures } from "./time-page.ts";

/*
 * The page in a real browser: a report of a project from its file, and the view of it over the service. Times are in
 * milliseconds from the start of what is named.
 */

const { values } = parseArgs({
  options: { db: { type: "string" }, project: { type: "string" }, "no-report": { type: "boolean" } },
});
if (values.db === undefined || values.project === undefined)
  throw new Error("npx tsx bench/page/main.ts --db PATH --project ENTITY/PROJECT [--no-report]");

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
  const { html, rows } = await makeReport(engine, project, {});
  show("report", {
    "made ms": performance.now() - began,
    bytes: Buffer.byteLength(html),
    "script and style, gzip bytes": gzipSync(script.text).length + gzipSync(style.text).length,
    "memory grown MiB": (process.memoryUsage().rss - before) / 2 ** 20,
    rows: rows.rows,
    "rows with outputs": rows.withOutputs,
  });
  const file = path.join(folder, "report.html");
  await writeFile(file, html);
  return `file://${file}`;
}

const busy = busyMachine();
if (busy !== null) process.stdout.write(`Note: ${busy}.\n`);
const folder = await mkdtemp(path.join(tmpdir(), "evalcube-page-"));
const engine = await openEngine({ path: values.db, readOnly: true });
const browser = await launchBrowser();
try {
  if (values["no-report"] !== true) {
    const { page, figures } = await openPage(browser, await timeReport(engine, values.project, folder));
    show("report opens", figures);
    show("its rows", await timeRows(page));
    await page.context().close();
  }
  const handler = createHttpHandler(engine, {
    authenticate: () => ({ user: "bench", projects: ["*"] }),
    view: true,
  });
  const service = await serveHttp(handler, { port: 0 });
  const address = `${service.url}/view/#key=bench&project=${encodeURIComponent(values.project)}`;
  for (const title of ["view opens the first time", "view opens again"]) {
    const { page, figures } = await openPage(browser, address);
    show(title, figures);
    show("its rows", await timeRows(page));
    await page.context().close();
  }
  await service.stop();
} finally {
  await browser.close();
  await engine.close();
  await rm(folder, { recursive: true });
}
