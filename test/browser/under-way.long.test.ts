import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const authenticate = () => ({ user: "ann", projects: ["*"] });
const SOON = { timeout: 30_000 };
let engine: Engine;
let service: RunningService;

beforeAll(async () => {
  engine = await openEngine({ user: "ann" });
  service = await serveHttp(createHttpHandler(engine, { authenticate, view: true }), { port: 0 });
});
afterAll(async () => {
  await service.stop();
  await engine.close();
});

const now = () => new Date().toISOString();

/** A trial of the run that is under way. */
function store(id: string, n: number): Promise<unknown> {
  const times = { started_at: now(), ended_at: now() };
  return engine.ingestCalls([trial(`${id}-${n}`, { n }, { ok: true }, { parent_id: id, ...times })]);
}

async function view(project: string): Promise<Page> {
  const { page } = await open({ viewport: { width: 1500, height: 900 } });
  await page.clock.install();
  await page.goto(
    `${service.url}/view/#${new URLSearchParams({ key: "any", project, runs: "all" }).toString()}`,
  );
  await page.getByRole("table", { name: "Runs", exact: true }).waitFor(SOON);
  return page;
}

/** The cells of a column of the runs, from the top. */
async function runs(page: Page, head: string): Promise<string[]> {
  const table = page.getByRole("table", { name: "Runs", exact: true });
  const heads = await table.locator("thead th").allInnerTexts();
  const at = heads.findIndex((text) => text.trim().toLowerCase() === head.toLowerCase());
  const cells = table.locator(`tbody tr > :nth-child(${at + 1})`);
  return (await cells.allInnerTexts()).map((text) => text.trim());
}

describe.skipIf(noBrowser !== null)(`a run under way, on the page${because(noBrowser)}`, () => {
  it("shows its progress and its user without a reload, but while nobody sees the page", async () => {
    await engine.ingestCalls([root("live", { display_name: "live", started_at: now(), inputs: {} })]);
    for (const n of [1, 2]) await store("live", n);
    const page = await view(PROJECT);
    await page.evaluate(() => Reflect.set(globalThis, "isSame", true));
    expect([await runs(page, "User"), await runs(page, "Duration"), await runs(page, "Trials")]).toEqual([
      ["ann"],
      ["running"],
      ["2"],
    ]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await store("live", 3);
    await expect.poll(() => runs(page, "Trials"), SOON).toEqual(["3"]);
    let asked = 0;
    page.on("request", (request) => void (asked += Number(request.url().endsWith("/view"))));
    await page.evaluate(() => Object.defineProperty(document, "hidden", { configurable: true, value: true }));
    await page.waitForLoadState("networkidle");
    asked = 0;
    await page.clock.fastForward(20_000);
    expect(asked).toBe(0);
    await store("live", 4);
    await page.evaluate(() =>
      Object.defineProperty(document, "hidden", { configurable: true, value: false }),
    );
    await expect.poll(() => runs(page, "Trials"), SOON).toEqual(["4"]);
    const ended = root("live", { display_name: "live", started_at: "2026-01-01T00:00:00Z", ended_at: now() });
    await engine.ingestCalls([ended]);
    await expect.poll(async () => (await runs(page, "Duration"))[0], SOON).not.toBe("running");
    await page.waitForLoadState("networkidle");
    asked = 0;
    await page.clock.fastForward(20_000);
    expect(asked).toBe(0);
    expect(await page.evaluate(() => Reflect.get(globalThis, "isSame"))).toBe(true);
  });

  it("stands among the runs of all projects, the newest first", async () => {
    const other = { project_id: "acme/other", display_name: "older", started_at: "2025-12-31T00:00:00Z" };
    await engine.ingestCalls([
      root("older", { ...other, ended_at: other.started_at, exception: "Cancelled" }),
      root("listed", { display_name: "listed", started_at: now() }),
    ]);
    const { page } = await open();
    await page.clock.install();
    await page.goto(`${service.url}/view/#key=any`);
    await expect.poll(() => runs(page, "Project"), SOON).toContain("acme/other");
    const shown = await runs(page, "Evaluation");
    expect([shown[0], shown.at(-1)]).toEqual(["listed", "older"]);
    const [users, states] = [await runs(page, "User"), await runs(page, "Status")];
    expect([users[0], states[0], states.at(-1)]).toEqual(["ann", "running", "cancelled"]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await store("listed", 1);
    await expect.poll(async () => (await runs(page, "Trials"))[0], SOON).toBe("1");
  });
});
