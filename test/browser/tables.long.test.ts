import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { moneyText } from "../../src/words/figures.ts";
import { noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const PRICES = { small: { input: 2, output: 10 } };
const IDS = ["a1", "a2", "b1", "b2"];
const authenticate = () => ({ user: "ann", projects: ["*"] });
let engine: Engine;
let service: RunningService;
let html = "";

/** Two runs of each of two names, with tokens; the second of one name is worse. Rows have tags, trials an attribute. */
function* calls() {
  for (const [e, id] of IDS.entries()) {
    const name = e < 2 ? "support assistant" : "an assistant whose name is rather long";
    const times = { started_at: `2026-07-0${e + 1}T12:00:00Z`, ended_at: `2026-07-0${e + 1}T12:01:00Z` };
    yield root(id, { display_name: name, attributes: { prompt: { version: `v${e}` } }, ...times });
    for (let i = 0; i < 60; i++)
      yield trial(
        `${id}-${i}`,
        { question: `What is ${i}?`, tags: [`t${i % 3}`, "all"] },
        { correct: id === "b2" ? i % 2 === 0 : i % 10 < 8 },
        {
          parent_id: id,
          attributes: { shard: `s${i % 2}` },
          summary: { usage: { small: { prompt_tokens: 100 + e, completion_tokens: i } } },
        },
      );
  }
}

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...calls()]);
  service = await serveHttp(createHttpHandler(engine, { authenticate, view: true }), { port: 0 });
  html = await renderReport(engine, PROJECT, { baseline: "a1", scorers: ["correct"], prices: PRICES });
});
afterAll(async () => {
  await service.stop();
  await engine.close();
});

async function report(options: BrowserContextOptions = {}): Promise<Page> {
  const { page } = await open(options);
  const file = scratchPath("tables.html");
  await writeFile(file, html);
  await page.goto(pathToFileURL(file).href);
  await table(page, "Rows").getByRole("button", { name: "Open row 1", exact: true }).waitFor();
  return page;
}

async function view(state: object): Promise<Page> {
  const { page } = await open();
  const members = new URLSearchParams({ key: "any", project: PROJECT, baseline: "a1", ...state });
  await page.goto(`${service.url}/view/#${members.toString()}`);
  await table(page, "History").waitFor();
  return page;
}

const table = (page: Page, name: string) => page.getByRole("table", { name, exact: true });
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const columns = async (page: Page, name: string, head: string) => {
  const heads = await table(page, name).getByRole("columnheader").allInnerTexts();
  const at = heads.findIndex((one) => one.trim() === head);
  const rows = await table(page, name).getByRole("row").all();
  const cells = await Promise.all(
    rows.slice(1).map(async (row) => [
      await row.getByRole("rowheader").innerText(),
      await row
        .getByRole("cell")
        .nth(at - 1)
        .innerText(),
    ]),
  );
  return Object.fromEntries(cells) as { readonly [evaluation: string]: string };
};

/** What is seen of each: its text, and whether something of it is cut. */
function seen(all: Locator): Promise<(readonly [string, boolean])[]> {
  return all.evaluateAll((elements) =>
    elements.map((one) => {
      const text = one instanceof HTMLElement ? one.innerText : "";
      const over = Math.max(one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight);
      return [text, over > 3] as const;
    }),
  );
}

/** The lightest of the pixels in the last two columns of an element: lighter where no shadow lies on them. */
async function lightest(page: Page, element: Locator): Promise<number> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("the element is not seen");
  const clip = { x: box.x + box.width - 3, y: box.y + 2, width: 2, height: Math.min(200, box.height - 4) };
  const picture = (await page.screenshot({ clip })).toString("base64");
  const other = await page.context().newPage();
  const found = await other.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
    return Math.max(...pixels.filter((_, i) => i % 4 === 0));
  }, picture);
  await other.close();
  return found;
}

describe.skipIf(noBrowser !== null)(`tables of a page${because(noBrowser)}`, () => {
  it.each([
    [1280, ".head-name"],
    [400, ".mark-name"],
  ] as const)("tell namesakes apart in the heads of rows, %i pixels wide", async (width, kind) => {
    const page = await report({ viewport: { width, height: 900 } });
    const names = (await seen(table(page, "Rows").locator(kind))).slice(0, IDS.length);
    expect(names.map(([, cut]) => cut)).toEqual(IDS.map(() => false));
    expect(names.map(([text]) => text).toSorted()).toEqual([
      "an assistant whose name is rather long (2026-07-03)",
      "an assistant whose name is rather long (2026-07-04)",
      "support assistant (2026-07-01)",
      "support assistant (2026-07-02)",
    ]);
    if (width > 400)
      await table(page, "Rows")
        .getByRole("button", { name: "an assistant whose name is rather long (2026-07-03)" })
        .waitFor();
  });

  it("have costs where they are known", async () => {
    const page = await report();
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: IDS,
      include_rows: false,
      include_summary: true,
      include_usage: true,
      prices: PRICES,
    });
    const costs = summary?.evaluations.map(({ usage }) => moneyText(usage?.cost?.mean ?? 0)) ?? [];
    expect(costs[0]).toBe(moneyText((100 * 2 + 29.5 * 10) / 1e6));
    for (const name of ["Leaderboard", "Cost and speed", "Runs"]) {
      const told = await columns(page, name, "Cost");
      expect(Object.values(told).toSorted(), name).toEqual(costs.toSorted());
      expect(told["support assistant (2026-07-01)"], name).toBe(costs[0]);
    }
  });

  it("say in one line what they show, and the rest to who asks", async () => {
    const page = await report();
    const hints = page.getByText("How to read this", { exact: true });
    const count = await hints.count();
    expect(count).toBeGreaterThan(2);
    for (const hint of await hints.all()) {
      const details = hint.locator("..");
      const line = details.locator("..").locator("> p");
      const height = (await line.boundingBox())?.height ?? Infinity;
      expect(height).toBeLessThan(30);
      expect(await details.locator("p").isVisible()).toBe(false);
      await hint.click();
      expect(await details.locator("p").isVisible()).toBe(true);
    }
  });

  it("are explained by keyboard help that is no wider than its text", async () => {
    const page = await report();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard" });
    const blank = await help.evaluate((element) => {
      const range = document.createRange();
      const ends = [...element.querySelectorAll("dd, button")].map((one) => {
        range.selectNodeContents(one);
        return range.getBoundingClientRect().right;
      });
      return element.getBoundingClientRect().right - Math.max(...ends);
    });
    expect(blank).toBeGreaterThan(0);
    expect(blank).toBeLessThan(60);
  });

  it("have a shadow where they go on, and none where they end", async () => {
    const page = await report({ viewport: { width: 400, height: 900 }, colorScheme: "light" });
    const wide = page.getByRole("group", { name: "Leaderboard, scrolls sideways" });
    await wide.scrollIntoViewIfNeeded();
    const before = await lightest(page, wide);
    await wide.evaluate((element) => element.scrollTo({ left: element.scrollWidth }));
    expect(await wide.evaluate((element) => element.scrollLeft)).toBeGreaterThan(20);
    const after = await lightest(page, wide);
    expect(before).toBeLessThan(after);
  });
});

describe.skipIf(noBrowser !== null)(`the candidate of a view${because(noBrowser)}`, () => {
  it("has the history of its own name", async () => {
    const page = await view({ with: "b2", by: "inputs.tags" });
    expect(await region(page, "History").innerText()).toContain(
      "an assistant whose name is rather long (2026-07-04) is worse than",
    );
    await page.getByRole("combobox", { name: "Candidate" }).selectOption("a2");
    await expect
      .poll(() => table(page, "History").getByRole("rowheader").first().innerText(), SOON)
      .toMatch(/^support assistant \(2026-07-01\)/);
  });

  it.each(["inputs.tags", "attributes.shard"])(
    "has slices by %s without buttons, and says why",
    async (by) => {
      const page = await view({ by });
      await region(page, "Slices").getByText("No filter keeps the rows of a value of attributes").waitFor();
      expect(
        await region(page, "Slices")
          .getByRole("button", { name: /^Show rows/ })
          .count(),
      ).toBe(0);
    },
  );

  it("has all attributes of each run among its details", async () => {
    const page = await view({});
    await region(page, "Runs").getByText("Details of each run").click();
    const one = region(page, "Runs").getByRole("region", { name: "support assistant (2026-07-02)" });
    expect(await one.innerText()).toMatch(/attributes\.prompt\.version\s+v1/);
  });
});
