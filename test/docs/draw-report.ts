import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { demoCalls } from "../../src/demo/calls.ts";
import { zeroEvalGsm } from "../../src/demo/zeroeval-gsm.ts";
import { openEngine } from "../../src/index.ts";
import type { ReportOptions } from "../../src/view/report-options.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { launchBrowser } from "../support/launch-browser.ts";

/** Photographs the pages that docs/report.md shows. */
const PICTURES: readonly {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  readonly height: number;
  readonly options: ReportOptions;
}[] = [
  { name: "report-light", colorScheme: "light", height: 1000, options: { scorers: ["correct"] } },
  {
    name: "report-dark",
    colorScheme: "dark",
    height: 640,
    options: {
      scorers: ["correct"],
      evaluations: ["gsm-claude-3-5-sonnet-20241022", "gsm-gpt-4o-2024-08-06"],
    },
  },
];

const folder = await mkdtemp(path.join(tmpdir(), "evalcube-pictures-"));
const engine = await openEngine();
await engine.ingestCalls(demoCalls());
const browser = await launchBrowser();
for (const picture of PICTURES) await photograph(browser, picture);
await browser.close();
await engine.close();
await rm(folder, { recursive: true });

async function photograph(
  on: Browser,
  { name, colorScheme, height, options }: (typeof PICTURES)[number],
): Promise<void> {
  const file = path.join(folder, `${name}.html`);
  await writeFile(
    file,
    await renderReport(engine, zeroEvalGsm.project, { ...options, title: "ZeroEval GSM" }),
  );
  const page = await on.newPage({ viewport: { width: 1100, height }, colorScheme });
  await page.goto(pathToFileURL(file).href);
  await page.getByRole("button", { name: "Theme", disabled: false }).waitFor();
  await page.screenshot({ path: fileURLToPath(new URL(`../../docs/pictures/${name}.png`, import.meta.url)) });
  await page.close();
}
