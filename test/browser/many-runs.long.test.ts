import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const authenticate = () => ({ user: "ann", projects: ["*"] });
const NAME = "support assistant with tools and retrieval, small";
const COMMIT = "e5f607a9c1d2b3e4f5a6b7c8d9e0f1a2b3c4d5f";
const MODEL = "support-assistant-of-the-shop-with-tools-and-retrieval";
const ROWS = 40;
/** Names that end alike; of each two runs, and of the first a third that was cancelled. */
const ENDING = { project: "acme/endings", names: ["brief (greedy)", "long (greedy)"] };
let engine: Engine;
let service: RunningService;

/** Twelve runs of one name, two a day, of which the last loses rows; and one run each of two long names that differ in their middle. */
function* calls() {
  const others = ["large", "tiny!"].map(
    (size) => `support assistant with tools, ${size}, and retrieval of pages`,
  );
  const names = [...Array.from({ length: 12 }, () => NAME), ...others];
  for (const [e, display_name] of names.entries()) {
    const day = `2026-07-${String(1 + Math.floor(e / 2)).padStart(2, "0")}`;
    const at = `${day}T1${e % 2}:04`;
    const attributes = { commit: `${e % 10}${COMMIT}`.slice(0, 40), branch: "main" };
    const inputs = { model: `${MODEL}:v${e}` };
    const times = { started_at: `${at}:00Z`, ended_at: `${at}:40Z` };
    yield root(`run-${e}`, { display_name, attributes, inputs, ...times });
    for (let i = 0; i < ROWS; i++) {
      const correct = e === 11 ? i % 10 < 4 : (i + e) % 10 < 9;
      const output = { output: `It is ${i}.`, scores: { correct } };
      yield trial(`run-${e}-${i}`, { question: `What is ${i}?` }, {}, { parent_id: `run-${e}`, output });
    }
  }
}

function* endingAlike() {
  for (const [n, display_name] of ENDING.names.entries())
    for (const day of n === 0 ? [1, 2, 3] : [1, 2]) {
      const id = `${n}-${day}`;
      const own = { project_id: ENDING.project, trace_id: id };
      const times = { started_at: `2026-07-0${day}T1${n}:00:00Z`, ended_at: `2026-07-0${day}T1${n}:00:40Z` };
      const exception = day === 3 ? "Cancelled" : undefined;
      yield root(id, { ...own, display_name, ...times, exception });
      for (let i = 0; i < 10; i++)
        yield trial(`${id}-${i}`, { i }, { correct: i > day }, { ...own, parent_id: id });
    }
}

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...calls(), ...endingAlike()]);
  service = await serveHttp(createHttpHandler(engine, { authenticate, view: true }), { port: 0 });
});
afterAll(async () => {
  await service.stop();
  await engine.close();
});

async function view(state: Readonly<Record<string, string>> = { runs: "all" }, width = 1300): Promise<Page> {
  const { page } = await open({ viewport: { width, height: 900 } });
  const fragment = new URLSearchParams({ key: "any", project: PROJECT, ...state }).toString();
  await page.goto(`${service.url}/view/#${fragment}`);
  await expect.poll(() => page.getByRole("status").innerText(), SOON).toMatch(/ rows$/);
  await page.getByText("Every trial of every evaluation has a value").waitFor();
  return page;
}

const table = (page: Page, name: string) => page.getByRole("table", { name, exact: true });
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Ends of names, what tells them apart, that are not seen: outside of the page, or of what clips them. */
function unseenMarks(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const marked = /\((?:\d{4}-\d\d-\d\d )?\d\d:\d\d\)$/;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
    const unseen: string[] = [];
    // It runs in the page.
    // oxlint-disable-next-line unicorn/consistent-function-scoping
    const isClipped = (element: Element, box: DOMRect) => {
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(around);
        if (overflowY === "auto" || overflowY === "scroll") return false;
        const outer = around.getBoundingClientRect();
        const hidden = new Set(["hidden", "clip"]);
        if (hidden.has(overflowX) && (box.left < outer.left - 1 || box.right > outer.right + 1)) return true;
        if (hidden.has(overflowY) && (box.top < outer.top - 4 || box.bottom > outer.bottom + 4)) return true;
      }
      return false;
    };
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node as HTMLElement;
      if (element.tagName === "SELECT") {
        const chosen = (element as HTMLSelectElement).selectedOptions[0]?.text ?? "";
        const style = getComputedStyle(element);
        const canvas = document.createElement("canvas").getContext("2d");
        if (canvas === null) throw new Error("no canvas");
        canvas.font = style.font;
        const room =
          element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
        if (marked.test(chosen) && canvas.measureText(chosen).width > room) unseen.push(`select: ${chosen}`);
      }
      if (element.tagName !== "BDI" || !marked.test(element.textContent) || !element.checkVisibility())
        continue;
      const end = document.createRange();
      end.selectNodeContents(element);
      for (const box of end.getClientRects())
        if (isClipped(element, box))
          unseen.push(`${element.parentElement?.className}: ${element.textContent}`);
    }
    return [...new Set(unseen)];
  });
}

describe.skipIf(noBrowser !== null)(`a project of many runs${because(noBrowser)}`, () => {
  it.each([1300, 400])("shows whole what tells its evaluations apart, at %i px", async (width) => {
    const page = await view({ runs: "all" }, width);
    expect(await unseenMarks(page)).toEqual([]);
    const heads = await page
      .getByRole("table", { name: "Rows", exact: true })
      .locator("thead .head-name")
      .allInnerTexts();
    expect(new Set(heads).size).toBe(14);
    await page.getByRole("button", { name: "Open row 1", exact: true }).click();
    const buttons = page
      .getByRole("dialog")
      .getByRole("list", { name: "All evaluations" })
      .getByRole("button");
    await expect.poll(() => buttons.count(), SOON).toBe(14);
    expect(new Set(await buttons.allInnerTexts()).size).toBe(14);
    expect(await unseenMarks(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  it("finds evaluations by their name, the latest first", async () => {
    const page = await view();
    await page.getByText("Evaluations", { exact: true }).first().click();
    const group = page.getByRole("group", { name: "Evaluations" });
    await expect.poll(() => group.getByRole("status").innerText(), SOON).toBe("14 evaluations");
    const labels = () => group.locator("label.check").allInnerTexts();
    expect((await labels())[2]).toBe(`${NAME} (2026-07-06 11:04)`);
    await group.getByRole("checkbox").last().scrollIntoViewIfNeeded();
    await page.getByRole("searchbox", { name: "Search evaluations" }).fill("07-06 1");
    await expect.poll(() => group.getByRole("status").innerText(), SOON).toBe("2 of 14 evaluations");
    expect(await labels()).toEqual([`${NAME} (2026-07-06 11:04)`, `${NAME} (2026-07-06 10:04)`]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("searchbox", { name: "Search evaluations" }).press("Tab");
    await page.keyboard.press("Space");
    // Before, the address names none.
    await expect.poll(() => page.url(), SOON).toContain("evaluation=run-10");
    expect(page.url()).not.toContain("evaluation=run-11");
  });

  it("has axes at the plot of its history, and breaks neither commits nor dates", async () => {
    const page = await view({ runs: "all" }, 400);
    await region(page, "History").waitFor();
    const texts = await region(page, "History").locator("figure text").allTextContents();
    expect(texts.filter((text) => /^\d+%$/.test(text)).length).toBeGreaterThan(1);
    expect(texts.slice(-2)).toEqual(["2026-07-01", "2026-07-06"]);
    await region(page, "Runs").getByText("Details of each run").click();
    const broken = await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        for (const match of (node.textContent ?? "").matchAll(/\d{4}-\d\d-\d\d|\b[\da-f]{7,40}\b/g)) {
          const range = document.createRange();
          range.setStart(node, match.index);
          range.setEnd(node, match.index + match[0].length);
          const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (tops.size > 1) found.push(match[0]);
        }
      return found;
    });
    expect(broken).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
  });

  it("begins with what is concluded of the latest two runs of a name, at first", async () => {
    const { page } = await open({ viewport: { width: 1300, height: 900 } });
    await page.goto(`${service.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}`);
    await region(page, "Conclusion")
      .getByText(`is worse than ${NAME} (2026-07-06 10:04) in correct`)
      .waitFor();
    await region(page, "Conclusion").getByText("One more run shows whether it stays so.").waitFor();
    const [told] = (
      await engine.compareEvaluations(PROJECT, { pairs: [{ baseline: "run-10", candidate: "run-11" }] })
    ).comparisons;
    expect(told?.verdict).toBe("regressed");
    const cells = await table(page, "Latest runs").getByRole("row").allInnerTexts();
    expect(cells.map((text) => text.split("\t").map((cell) => cell.trim().replaceAll(/\s+/g, " ")))).toEqual([
      ["Name", "Latest", "Run before", "Difference", "Verdict", "Changed"],
      [
        NAME,
        "40.0% 2026-07-06 11:04",
        "90.0% 2026-07-06 10:04",
        "−50.0 points",
        "▼ worse",
        expect.stringMatching(/^model support-as.*….*commits 0e5f607\.\.1e5f607$/),
      ],
      [expect.stringContaining("tiny!"), "2026-07-07 11:04", "one run", "–", "–", "–"],
      [expect.stringContaining("large"), "2026-07-07 10:04", "one run", "–", "–", "–"],
    ]);
    const changed = `model ${MODEL}:v10 → ${MODEL}:v11; commits 0e5f607..1e5f607`;
    await table(page, "Latest runs").getByTitle(changed, { exact: true }).waitFor();
    await region(page, "Conclusion").getByText(`Changed: ${changed}.`).waitFor();
    expect(await table(page, "Leaderboard").getByRole("rowheader").count()).toBe(2);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(new URL(page.url()).hash).toBe(`#project=${encodeURIComponent(PROJECT)}`);
  });

  it("shows what is concluded within 3 s, the best of three", async () => {
    const took: number[] = [];
    for (let i = 0; i < 3; i++) {
      const { page } = await open({ viewport: { width: 1300, height: 900 } });
      const from = performance.now();
      await page.goto(`${service.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}`);
      await region(page, "Conclusion").getByText("is worse than").first().waitFor();
      took.push(performance.now() - from);
    }
    expect(Math.min(...took)).toBeLessThan(3000);
  });

  it("cuts what all names end with, everywhere alike, and says what was cancelled", async () => {
    const page = await view({ project: ENDING.project });
    const whole = async (name: string) =>
      (await table(page, name).getByRole("rowheader").allInnerTexts()).map((text) => text.trim());
    expect(await whole("Latest runs")).toEqual(["long", "brief"]);
    expect(await table(page, "Latest runs").getByTitle("brief (greedy)", { exact: true }).count()).toBe(1);
    const options = page.getByRole("combobox", { name: "Name" }).getByRole("option");
    expect(await options.allInnerTexts()).toEqual(["long", "brief"]);
    expect((await whole("Leaderboard")).every((text) => /^long \([\d-]+\)$/.test(text))).toBe(true);
    expect(await region(page, "Conclusion").innerText()).not.toContain("greedy");
    await page.getByRole("combobox", { name: "Name" }).selectOption({ index: 1 });
    const runs = table(page, "Runs").getByRole("row");
    await expect.poll(() => runs.count(), SOON).toBe(4);
    expect(await runs.last().innerText()).toContain("40 s, cancelled");
    expect(await region(page, "Leaderboard").innerText()).toMatch(
      /Left out: brief \(.*\), cancelled, 10 rows\./,
    );
    expect(await page.getByRole("button", { name: "Theme light or dark", exact: true }).count()).toBe(1);
  });

  it("shows other runs, by keyboard, each choice a step back", async () => {
    const page = await view({});
    const group = page.getByRole("radiogroup", { name: "Runs" });
    const chosen = () =>
      group.getByRole("radio", { checked: true }).evaluate((one) => one.parentElement?.textContent);
    const leaders = table(page, "Leaderboard").getByRole("rowheader");
    expect(await chosen()).toBe("Latest two");
    await group.getByRole("radio", { name: "Latest two" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => leaders.count(), SOON).toBe(3);
    expect(await chosen()).toBe("One per name");
    expect(page.url()).toContain("runs=names");
    await group.getByRole("radio", { name: "All" }).check();
    await expect.poll(() => leaders.count(), SOON).toBe(14);
    await page.goBack();
    await expect.poll(() => leaders.count(), SOON).toBe(3);
    await page.goBack();
    await expect.poll(() => leaders.count(), SOON).toBe(2);
    await page.getByRole("combobox", { name: "Name" }).selectOption({ index: 1 });
    await expect.poll(() => leaders.allInnerTexts(), SOON).toEqual([expect.stringContaining("tiny!")]);
    expect(page.url()).toContain("runs=latest&name=support+assistant+with+tools%2C+tiny");
    await page.goBack();
    await expect.poll(() => leaders.count(), SOON).toBe(2);
    await page.getByText("Evaluations", { exact: true }).first().click();
    await page.getByRole("checkbox", { name: /large/ }).check();
    await expect.poll(() => leaders.count(), SOON).toBe(3);
    expect(await chosen()).toBe("Chosen");
    expect(page.url()).toContain("runs=chosen");
  });

  it("opens an address that names evaluations as it is, and compares with another run of the history", async () => {
    const page = await view({ baseline: "run-3" });
    const leaders = table(page, "Leaderboard").getByRole("rowheader");
    await expect.poll(() => leaders.count(), SOON).toBe(14);
    await page.getByRole("radio", { name: "Latest two" }).check();
    await expect.poll(() => leaders.count(), SOON).toBe(2);
    await page.getByRole("button", { name: `Compare with ${NAME} (2026-07-01 10:04)` }).click();
    await expect
      .poll(() => page.getByRole("combobox", { name: "Baseline" }).inputValue(), SOON)
      .toBe("run-0");
    await expect.poll(() => leaders.count(), SOON).toBe(2);
  });
});
