import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const EVALUATIONS = 200;
const ROWS = 8;
const authenticate = () => ({ user: "ann", projects: ["*"] });
let engine: Engine;
let service: RunningService;

function* calls() {
  for (let e = 0; e < EVALUATIONS; e++) {
    const id = `run-${e}`;
    // One name is long: the lists that it stands in stay beside each other.
    yield root(id, { display_name: e === 5 ? "model 5, ".repeat(30) : `model ${e}` });
    for (let i = 0; i < ROWS; i++)
      yield trial(
        `${id}-${i}`,
        { question: `What is ${i}?` },
        { correct: (e * 7 + i * 3) % 10 < 6 },
        { parent_id: id },
      );
  }
}

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...calls()]);
  service = await serveHttp(createHttpHandler(engine, { authenticate, view: true }), { port: 0 });
});
afterAll(async () => {
  await service.stop();
  await engine.close();
});

const table = (page: Page) => page.getByRole("table", { name: "Rows", exact: true });

async function view(): Promise<Page> {
  const { page } = await open();
  await page.goto(`${service.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}`);
  await expect.poll(() => page.getByRole("status").innerText(), SOON).toBe(`${ROWS} of ${ROWS} rows`);
  await page.getByText("Every trial of every evaluation has a value").waitFor();
  return page;
}

describe.skipIf(noBrowser !== null)(`the view of ${EVALUATIONS} evaluations${because(noBrowser)}`, () => {
  it("has a line for each, and rows that scroll sideways while their inputs stay", async () => {
    const page = await view();
    const leaders = page.getByRole("table", { name: "Leaderboard", exact: true }).getByRole("rowheader");
    await expect.poll(() => leaders.count(), SOON).toBe(EVALUATIONS);
    await expect.poll(() => table(page).getByRole("columnheader").count(), SOON).toBe(EVALUATIONS + 2);
    const places = () =>
      table(page).evaluate((element) => {
        const cells = [...(element.querySelector("tbody tr")?.children ?? [])];
        const lefts = cells.map((cell) => Math.round(cell.getBoundingClientRect().left));
        return {
          input: lefts[1],
          last: lefts.at(-1),
          page: document.documentElement.scrollWidth,
        };
      });
    const before = await places();
    await table(page).evaluate((element) => element.closest(".rows-box")?.scrollTo({ left: 1e6 }));
    await expect.poll(async () => (await places()).last, SOON).toBeLessThan(1280);
    const after = await places();
    expect(after.input).toBe(before.input);
    expect(before.last).toBeGreaterThan(1280);
    expect(after.page).toBeLessThanOrEqual(1280);
  });

  it("goes from all to a few and to another baseline without a click for each of the others", async () => {
    const page = await view();
    const lines = ["Score", "Baseline", "Group by"].map(async (name) => {
      const box = await page.getByRole("combobox", { name, exact: true }).boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    });
    expect(new Set(await Promise.all(lines)).size).toBe(1);
    await page.getByText("Evaluations", { exact: true }).first().click();
    const group = page.getByRole("group", { name: "Evaluations" });
    const box = await group.boundingBox();
    expect(box?.height).toBeLessThan(500);
    await page.getByRole("button", { name: "Only the baseline" }).click();
    await page.getByRole("checkbox", { name: "model 17", exact: true }).check();
    await page.getByRole("checkbox", { name: "model 199", exact: true }).check();
    await page.getByRole("combobox", { name: "Baseline" }).selectOption("model 199");
    await expect.poll(() => table(page).getByRole("columnheader").count(), SOON).toBe(7);
    await expect.poll(() => page.url(), SOON).toContain("baseline=run-199");
    await page.getByRole("button", { name: "All evaluations" }).click();
    await expect.poll(() => table(page).getByRole("columnheader").count(), SOON).toBe(EVALUATIONS + 2);
    expect(page.url()).not.toContain("evaluation=");
  });
});
