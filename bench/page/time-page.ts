import type { Browser, Page } from "playwright-core";
import { longestFrame } from "../../test/support/longest-frame.ts";

/** Figures by what they are; milliseconds where nothing else is said. */
export type Figures = Readonly<Record<string, number>>;

const PATIENCE = 300_000;

/** What the first row of a table is known by. */
export const FIRST_ROW = "[aria-label^='Open row']";

/** What an opened page says on its console. */
const ALL_THERE = "all there";

/**
 * Opens an address in a context of its own until a selector finds something; answers the moments at which a reader sees
 * what they wait for.
 */
export async function openPage(
  browser: Browser,
  address: string,
  last: string,
): Promise<{ page: Page; figures: Figures }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  // The compiler of this file calls it for functions in functions.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.addInitScript(watchPage, { last, done: ALL_THERE });
  // To ask the page whether it is ready would take its time: the driver's script alone 10 to 30 ms, just when the page's own starts.
  const ready = page.waitForEvent("console", (message) => message.text() === ALL_THERE);
  await Promise.all([ready, page.goto(address, { waitUntil: "commit" })]);
  const figures = await page.evaluate(() => {
    const { seen } = globalThis as unknown as { readonly seen: Record<string, number> };
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const [document] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return {
      "document received": document?.responseEnd ?? 0,
      "first paint": paint?.startTime ?? 0,
      ...seen,
    };
  });
  return { page, figures };
}

/** Notes in the page when what readers wait for is there, and says on its console when all is. */
function watchPage({ last, done }: { readonly last: string; readonly done: string }): void {
  const seen: Record<string, number> = {};
  Object.assign(globalThis, { seen });
  new MutationObserver((_, observer) => {
    if (document.querySelector("main") === null) return;
    seen["shell"] = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
  const look = () => {
    const now = performance.now();
    if (document.querySelector(".headline")) seen["headline"] ??= now;
    if (document.querySelector("select:enabled")) seen["interactive"] ??= now;
    if (document.querySelector("[aria-label^='Open row']")) seen["rows"] ??= now;
    if (document.querySelector(".section.missing table, .section.missing p:not(.hint)"))
      seen["all sections"] ??= now;
    if (document.querySelector(last) === null || document.querySelector("[aria-busy=true]") !== null)
      requestAnimationFrame(look);
    else console.debug(done);
  };
  look();
}

/** From when to when each answer of the service was awaited, from the start of the navigation. */
export function requestTimes(page: Page): Promise<Figures> {
  return page.evaluate(() => {
    const asked = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/v2/"));
    return Object.fromEntries(
      asked.flatMap(({ name, startTime, duration }, i) => {
        const what = `${i + 1} ${name.split("/").at(-1) ?? ""}`;
        return [
          [`${what} from`, startTime],
          ["to", startTime + duration],
        ].map(([label, time], k) => [k === 0 ? label : `${what} to`, time] as const);
      }),
    ) as Record<string, number>;
  });
}

/** What is done with the rows of an open page. */
export async function timeRows(page: Page): Promise<Figures> {
  const table = page.getByRole("table", { name: "Rows", exact: true });
  const idle = await longestFrame(page, () => page.waitForTimeout(1000));
  await table.hover();
  const line = await longestFrame(page, () => wheel(page, 30, 33));
  const screen = await longestFrame(page, () => wheel(page, 30, 700));
  const anywhere = await longestFrame(page, () => wheel(page, 15, 400_000));
  // The page scrolls too where the table cannot, and takes it from under the pointer.
  await table.hover();
  await wheel(page, 15, -400_000);
  await page.getByRole("button", { name: "Open row 1", exact: true }).waitFor();
  const dialog = await until(
    page,
    () => page.getByRole("button", { name: "Open row 1", exact: true }).click(),
    "dialog[open] h2",
  );
  await page.keyboard.press("Escape");
  const memory = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 2 ** 20,
  );
  return {
    "longest frame idle": idle,
    "by a line": line,
    "by a page": screen,
    "to anywhere": anywhere,
    dialog: dialog,
    "heap MiB": memory,
  };
}

async function wheel(page: Page, times: number, pixels: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await page.mouse.wheel(0, pixels);
    await page.waitForTimeout(30);
  }
}

/** What is asked of the rows of an open report; the first search makes ready what the later ones look through. */
export async function timeQuestions(page: Page): Promise<Figures> {
  const show = page.getByRole("combobox", { name: "Show" });
  const search = page.getByRole("searchbox", { name: "Search" });
  const score = page.getByRole("combobox", { name: "Score" });
  const other = await score.locator("option:not(:checked)").first().getAttribute("value");
  return {
    filter: await untilChanged(page, () => show.selectOption("better")),
    "all rows again": await untilChanged(page, () => show.selectOption("all")),
    "first search": await untilChanged(page, () => search.fill("17")),
    "no search": await untilChanged(page, () => search.fill("")),
    "later search": await untilChanged(page, () => search.fill("1728")),
    "all rows at last": await untilChanged(page, () => search.fill("")),
    ...(other === null ? {} : { "another score": await untilChanged(page, () => score.selectOption(other)) }),
  };
}

/** From the event of a control to the first frame that shows other rows. */
async function untilChanged(page: Page, action: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    const rows = document.querySelector(".rows-section");
    const times = { begun: 0, done: 0 };
    const before = rows?.textContent;
    Object.assign(globalThis, { times });
    for (const event of ["input", "change"])
      addEventListener(event, () => (times.begun ||= performance.now()), { capture: true, once: true });
    const look = () => {
      const isBusy = document.querySelector("[aria-busy=true]") !== null;
      if (times.begun > 0 && !isBusy && rows?.textContent !== before) times.done = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await action();
  return timeTaken(page);
}

async function timeTaken(page: Page): Promise<number> {
  await page.waitForFunction(() => (globalThis as unknown as { times: { done: number } }).times.done > 0);
  return page.evaluate(() => {
    const { times } = globalThis as unknown as { times: { begun: number; done: number } };
    return times.done - times.begun;
  });
}

/** From an action to the first frame that shows what a selector finds. */
async function until(page: Page, action: () => Promise<unknown>, selector: string): Promise<number> {
  await page.evaluate((what) => {
    const times = { begun: 0, done: 0 };
    Object.assign(globalThis, { times });
    addEventListener("click", () => (times.begun = performance.now()), { capture: true, once: true });
    const look = () => {
      if (times.begun > 0 && document.querySelector(what)) times.done = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, selector);
  await action();
  return timeTaken(page);
}
