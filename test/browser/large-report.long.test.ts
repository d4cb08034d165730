import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { makeReport } from "../../src/view/make-report.ts";
import { noBrowser, useBrowser } from "../support/browser.ts";
import { encodeObjects, type RowObject } from "../support/payload-rows.ts";
import { root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const PROJECT = "acme/large";
const ROWS = 100_000;
let folder = "";
const files = { rows: "", evaluations: "" };

const IDS = ["first", "second"];
const good = (row: number, e: number) => (row * 7 + e * 13) % 10 < 7 - 2 * e;
const points = (row: number, e: number) => ((row * 31 + e * 17) % 1000) / 8;
const digestOf = (row: number) => createHash("md5").update(String(row)).digest("hex");

function* small() {
  for (const [e, id] of IDS.entries()) {
    yield root(id, { project_id: PROJECT });
    for (let row = 0; row < 20; row++)
      yield trial(
        `${id}-${row}`,
        { question: `row ${row}` },
        { good: good(row, e), points: points(row, e) },
        { project_id: PROJECT, parent_id: id },
      );
  }
}

const rowOf = (row: number): RowObject => ({
  digest: digestOf(row),
  input: { question: `row ${row}` },
  trials: IDS.map((_, e) => [
    { scores: [good(row, e), points(row, e)], latency: row / 1000, tokens: null, error: null },
  ]),
});

/** The report of a small project with 100,000 rows in the place of its own. */
async function largeReport(): Promise<string> {
  const engine = await openEngine();
  await engine.ingestCalls([...small()]);
  const { html } = await makeReport(engine, PROJECT, { score: "good" });
  await engine.close();
  const text = await encodeObjects({
    evaluations: IDS,
    dimensions: ["good", "points"],
    rows: Array.from({ length: ROWS }, (_, row) => rowOf(row)),
    left: { outputs: "none", inputs: "whole", rowsNotHere: 250_000 },
  });
  return html.replace(/(id="evalcube-rows">)[^<]*/, `$1${text}`);
}

async function reportOf200(): Promise<string> {
  const engine = await openEngine();
  const ids = Array.from({ length: 200 }, (_, i) => `run-${i}`);
  await engine.ingestCalls(
    ids.flatMap((id, i) => [
      root(id, { display_name: `model ${i}` }),
      ...[0, 1, 2].map((row) =>
        trial(`${id}-${row}`, { question: `row ${row}` }, { good: (row + i) % 3 > 0 }, { parent_id: id }),
      ),
    ]),
  );
  const { html } = await makeReport(engine, "acme/qa", {});
  await engine.close();
  return html;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "evalcube-large-"));
  for (const [name, html] of Object.entries({
    rows: await largeReport(),
    evaluations: await reportOf200(),
  })) {
    const file = path.join(folder, `${name}.html`);
    await writeFile(file, html);
    files[name as keyof typeof files] = pathToFileURL(file).href;
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const table = (page: Page) => page.getByRole("table", { name: "Rows", exact: true });
const status = (page: Page) => page.getByRole("status").innerText();

/** The first input of the table. */
const shown = async (page: Page) =>
  (await table(page).getByRole("row").nth(1).getByRole("cell").nth(1).innerText()).trim();

type Key = readonly (number | string)[];

function isBefore(a: Key, b: Key): boolean {
  const i = a.findIndex((value, at) => value !== b[at]);
  return (a[i] ?? 0) < (b[i] ?? 0);
}

function firstBy(keyOf: (row: number) => Key): number {
  const keys = Array.from({ length: ROWS }, (_, row) => ({ row, key: [...keyOf(row), digestOf(row)] }));
  return keys.reduce((least, one) => (isBefore(one.key, least.key) ? one : least)).row;
}

describe.skipIf(noBrowser !== null)(`a report of 100,000 rows${because(noBrowser)}`, () => {
  it("has them in its order, few at a time, and says how many are not here", async () => {
    const { page } = await open();
    await page.goto(files.rows);
    await table(page).waitFor();
    await expect.poll(() => status(page), SOON).toBe("100,000 of 100,000 rows");
    expect(await table(page).getAttribute("aria-rowcount")).toBe(String(ROWS + 1));
    expect(await table(page).getByRole("row").count()).toBeLessThan(80);
    const worst = firstBy((row) => [-Math.abs(+good(row, 0) - +good(row, 1)), +good(row, 0) + +good(row, 1)]);
    await expect.poll(() => shown(page), SOON).toBe(`row ${worst}`);
    await page.getByText("250,000").first().waitFor();
  });

  it("scrolls to its end, finds a row, leaves rows out, and turns to another score", async () => {
    const { page } = await open();
    await page.goto(`${files.rows}#order=stored`);
    await table(page).waitFor();
    await table(page).hover();
    await page.mouse.wheel(0, 1e8);
    await page.getByRole("button", { name: `Open row ${ROWS}`, exact: true }).waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("row 4711");
    // And ten rows 47110 to 47119.
    await expect.poll(() => status(page), SOON).toBe("11 of 100,000 rows");
    await page.getByRole("searchbox", { name: "Search" }).fill("");
    await page.getByRole("combobox", { name: "Show" }).selectOption("worse");
    const worse = Array.from({ length: ROWS }, (_, row) => row).filter((row) => good(row, 1) < good(row, 0));
    await expect.poll(() => status(page), SOON).toBe(`${worse.length.toLocaleString("en")} of 100,000 rows`);
    await page.getByRole("combobox", { name: "Show" }).selectOption("all");
    await page.getByRole("combobox", { name: "Score" }).selectOption("points");
    await page.getByRole("combobox", { name: "Order" }).selectOption("mean");
    const least = firstBy((row) => [points(row, 0) + points(row, 1)]);
    await expect.poll(() => shown(page), SOON).toBe(`row ${least}`);
  });
});

describe.skipIf(noBrowser !== null)(`a report of 200 evaluations${because(noBrowser)}`, () => {
  it("has a column for each, and scrolls sideways within its table alone", async () => {
    const { page } = await open();
    await page.goto(files.evaluations);
    await table(page).waitFor();
    const leaders = page.getByRole("table", { name: "Leaderboard", exact: true });
    expect(await leaders.getByRole("row").count()).toBe(201);
    expect(await table(page).getByRole("row").nth(1).getByRole("img").count()).toBe(200);
    const last = table(page).getByRole("row").nth(1).getByRole("img").last();
    await last.scrollIntoViewIfNeeded();
    const first = table(page).getByRole("row").nth(1).getByRole("cell").nth(1);
    expect((await first.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
    await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
    const choices = page.getByRole("dialog").getByRole("list", { name: "All evaluations" });
    await choices.waitFor();
    expect(await choices.getByRole("button").count()).toBe(200);
  });
});
