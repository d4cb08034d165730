import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { openEngine, type Engine } from "../../../src/index.ts";
import { createHttpHandler } from "../../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../../src/http/node/serve.ts";
import { noBrowser, useBrowser } from "../../support/browser.ts";
import { longestFrame } from "../../support/longest-frame.ts";
import { PROJECT, root, trial } from "../../support/records.ts";
import { because } from "../../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 60_000 };
const ROWS = 100_000;
const IDS = ["first", "second"];
const MIB = 2 ** 20;
const authenticate = () => ({ user: "ann", projects: ["*"] });
let engine: Engine;
let service: RunningService;

function* calls(id: string, e: number) {
  yield root(id, { display_name: `model ${id}` });
  for (let i = 0; i < ROWS; i++) {
    const output = { output: `It is ${i}.`, scores: { correct: (i * 7 + e * 3) % 10 < 7 } };
    yield trial(`${id}-${i}`, { question: `What is ${i}?` }, {}, { parent_id: id, output });
  }
}

beforeAll(async () => {
  engine = await openEngine();
  for (const [e, id] of IDS.entries()) await engine.ingestCalls(calls(id, e));
  service = await serveHttp(createHttpHandler(engine, { authenticate, view: true }), { port: 0 });
}, 600_000);
afterAll(async () => {
  await service.stop();
  await engine.close();
});

const table = (page: Page) => page.getByRole("table", { name: "Rows", exact: true });

async function view(): Promise<Page> {
  const { page } = await open();
  await page.goto(`${service.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}&order=stored`);
  await expect.poll(() => page.getByRole("status").innerText(), SOON).toBe("100,000 of 100,000 rows");
  await page.getByText("Every trial of every evaluation has a value").waitFor(SOON);
  return page;
}

/** How far the middle of the rows in the document is from a share of the whole. */
async function offBy(page: Page, share: number): Promise<number> {
  const places = (await shown(page)).map(({ place }) => place);
  return Math.abs((Math.min(...places) + places.length / 2) / ROWS - share);
}

/** Scrolls to a share of the whole, and waits until every row in the document has come. */
async function scrollTo(page: Page, share: number): Promise<void> {
  await table(page).evaluate((element, part) => {
    const box = element.closest(".rows-box");
    box?.scrollTo({ top: part * (box.scrollHeight - box.clientHeight) });
  }, share);
  await expect.poll(() => offBy(page, share), SOON).toBeLessThan(0.001);
  await expect.poll(() => table(page).locator("tr[aria-busy]").count(), SOON).toBe(0);
}

/** Place and input of the rows in the document. */
async function shown(page: Page): Promise<{ readonly place: number; readonly input: string }[]> {
  return table(page)
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => ({
        place: Number(row.getAttribute("aria-rowindex")) - 2,
        input: row.children[1]?.textContent ?? "",
      })),
    );
}

/** Bytes that the tab holds after a collection. */
async function heldBytes(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  await client.detach();
  return usedSize;
}

describe.skipIf(noBrowser !== null)(`the view of ${ROWS} rows${because(noBrowser)}`, () => {
  it("says how many there are, and shows the right ones wherever one jumps", async () => {
    const page = await view();
    expect(await table(page).getAttribute("aria-rowcount")).toBe(String(ROWS + 1));
    for (const share of [0.5, 1, 0.123, 0]) {
      await scrollTo(page, share);
      const rows = await shown(page);
      const offset = Math.min(...rows.map(({ place }) => place));
      const answer = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: IDS,
        include_raw_data_rows: true,
        offset,
        limit: rows.length,
      });
      const expected = answer.rows.map(({ raw_data_row: row }) => (row as { question: string }).question);
      expect(rows.toSorted((a, b) => a.place - b.place).map(({ input }) => input)).toEqual(expected);
    }
  });

  it("holds no more after scrolling through all of them, and scrolls without a halt", async () => {
    const page = await view();
    await scrollTo(page, 0.01);
    const before = await heldBytes(page);
    const idle = await longestFrame(page, () => page.waitForTimeout(1000));
    const frames: number[] = [];
    for (let i = 0; i <= 120; i++) {
      frames.push(await longestFrame(page, () => scrollTo(page, i / 120)));
    }
    const after = await heldBytes(page);
    expect(after).toBeLessThan(150 * MIB);
    expect(after - before).toBeLessThan(20 * MIB);
    const ordered = frames.toSorted((a, b) => a - b);
    // Frames of a busy machine are long at rest too.
    expect(ordered[Math.floor(0.9 * ordered.length)]).toBeLessThan(Math.max(50, 3 * idle));
    process.stdout.write(
      `tab ${(before / MIB).toFixed(1)} to ${(after / MIB).toFixed(1)} MiB, frames at rest ${idle.toFixed(0)} ms, ` +
        `jumping median ${(ordered[60] ?? 0).toFixed(0)}, longest ${(ordered.at(-1) ?? 0).toFixed(0)}\n`,
    );
  });
});
