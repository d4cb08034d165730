import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContextOptions, Page, Route } from "playwright-core";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey, type KeysFile } from "../../src/http/keys/key-ring.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
let engine: Engine;
let service: RunningService;
let key = "";
let keys: KeysFile;
const ROWS = 1000;

function* calls() {
  for (const [e, id] of ["first", "second"].entries()) {
    yield root(id, { display_name: `model ${id}` });
    for (let i = 0; i < ROWS; i++) {
      const output = { output: `It is ${i * e}.`, scores: { correct: (i * 7 + e * 3) % 10 < 7 } };
      const exception = i === 13 ? "out of memory" : null;
      yield trial(`${id}-${i}`, { question: `What is ${i}?` }, {}, { parent_id: id, output, exception });
    }
  }
}

/** Six rows: 1 was not run in the second evaluation, 2 failed, of 3 one of two trials failed, 4 has a null. */
function* callsWithGaps() {
  for (const [e, id] of ["whole", "gaps"].entries()) {
    yield { ...root(id), project_id: "acme/gaps" };
    for (let at = 0; at < 6 * (1 + e); at++) {
      const i = at % 6;
      if (e === 1 && i === 1) continue;
      const none = e === 1 && (i === 2 || at === 3);
      const scores = none ? {} : { correct: e === 1 && i === 4 ? null : at % 3 > 0 };
      const call = trial(`${id}-${at}`, { question: `What is ${i}?` }, scores, { parent_id: id });
      yield { ...call, project_id: "acme/gaps", exception: none ? "out of memory" : null };
    }
  }
}

function* hostileCalls() {
  for (const id of ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>"]) {
    yield { ...root(id, { display_name: `${id}\u202e` }), project_id: "acme/<b>" };
    for (const [i, text] of hostileTexts.entries())
      yield {
        ...trial(`${id}-${i}`, { [text]: text }, {}, { parent_id: id }),
        project_id: "acme/<b>",
        output: { output: text, scores: { [text]: i, "<i>": i } },
      };
  }
}

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...calls(), ...callsWithGaps(), ...hostileCalls()]);
  const made = generateKey("ann", ["acme/*"], new Date());
  key = made.key;
  keys = { version: 1, keys: [made.entry] };
  service = await serveHttp(createHttpHandler(engine, { keys, view: true }), { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await service.stop();
  await engine.close();
});

async function view(
  state: Readonly<Record<string, string>>,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const { page, faults } = await open(options);
  await page.goto(`${service.url}/view/#${new URLSearchParams({ key, ...state }).toString()}`);
  return { page, faults: faults as string[] };
}

const table = (page: Page) => page.getByRole("table", { name: "Rows", exact: true });
const status = (page: Page) => page.getByRole("status").innerText();
const conclusion = (page: Page) => page.getByRole("region", { name: "Conclusion" });
const isQuery = (url: URL) => url.pathname.endsWith("/query");
/** What is asked when a page opens, and when what it is about changes. */
const isView = (url: URL) => url.pathname.endsWith("/eval_results/view");

/** The browser itself tells of each answer that is no success. */
function expectRefusals(faults: string[]): void {
  expect(faults.filter((fault) => !fault.startsWith("console: Failed to load resource"))).toEqual([]);
  faults.length = 0;
}

describe.skipIf(noBrowser !== null)(`the view in a browser${because(noBrowser)}`, () => {
  it("takes its key out of the address, and shows the project that is asked for", async () => {
    const { page } = await view({ project: PROJECT });
    await conclusion(page).getByText("model second").first().waitFor();
    await expect.poll(() => status(page), SOON).toBe("1,000 of 1,000 rows");
    expect(page.url()).toBe(`${service.url}/view/#project=acme%2Fqa`);
    await page.reload();
    await table(page).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it("asks for a key, and again where it is refused", async () => {
    const { page, faults } = await open();
    await page.goto(`${service.url}/view/`);
    await page.getByLabel("Key").fill("nonsense");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("alert").getByText("does not accept this key").waitFor();
    await page.getByLabel("Key").fill(key);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("link", { name: "acme/<b>" }).waitFor();
    await page.getByRole("link", { name: "acme/qa" }).click();
    await table(page).waitFor();
    expect(page.url()).toContain("project=acme%2Fqa");
    expectRefusals(faults as string[]);
  });

  it("gives its key to a new tab where evalcube view shows it, and elsewhere says where the key is", async () => {
    const own = await serveHttp(createHttpHandler(engine, { keys, view: "own-key" }), { port: 0 });
    const { page, faults } = await open();
    await page.goto(`${own.url}/view/#${new URLSearchParams({ key, project: PROJECT }).toString()}`);
    await table(page).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${own.url}/view/#${new URLSearchParams({ project: PROJECT }).toString()}`);
    await table(tab).waitFor();
    expect(tab.url()).not.toContain(key);
    const { page: other } = await open();
    await other.goto(`${own.url}/view/`);
    await other.getByText("Its key is in the address that it printed; copy that, or run it again.").waitFor();
    expect(await other.getByText("evalcube keys").count()).toBe(0);
    expect(await accessibilityFaults(other)).toEqual([]);
    expect(faults).toEqual([]);
    await own.stop();
  });

  it("copies a link that shows the same page, without the key", async () => {
    const { page } = await view({ project: PROJECT, show: "differ", search: "is 1", baseline: "second" });
    await expect.poll(() => status(page), SOON).toMatch(/ of 1,000 rows$/);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).not.toContain(key);
    const shown = await status(page);
    const tab = await page.context().newPage();
    await tab.goto(link);
    await tab.getByLabel("Key").fill(key);
    await tab.getByRole("button", { name: "Open" }).click();
    await expect.poll(() => status(tab), SOON).toBe(shown);
    expect(await tab.getByRole("combobox", { name: "Baseline" }).inputValue()).toBe("second");
  });

  it("reads the rows that are scrolled to, and one row with everything", async () => {
    const { page } = await view({ project: PROJECT, order: "stored" });
    const height = () =>
      table(page).evaluate((element) => element.closest(".rows-box")?.scrollHeight ?? Number.NaN);
    await table(page).waitFor();
    const before = await height();
    await table(page).evaluate((element) => {
      const box = element.closest(".rows-box");
      box?.scrollTo({ top: box.scrollHeight });
    });
    const { rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["first", "second"],
      include_raw_data_rows: true,
      offset: ROWS - 1,
    });
    const last = (rows[0]?.raw_data_row as { question: string } | undefined)?.question ?? "";
    await table(page).getByRole("row").last().getByText(last, { exact: true }).waitFor();
    expect(await height()).toBe(before);
    await page.getByRole("searchbox", { name: "Search" }).fill("WHAT IS 13?");
    await expect.poll(() => status(page), SOON).toBe("1 of 1,000 rows");
    await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
    const output = page.getByRole("dialog").getByRole("region", { name: "Output of model second" });
    await output.getByText("It is 13.").waitFor();
    expect(await page.getByRole("dialog").getByText("out of memory").count()).toBe(2);
  });

  it.each(["light", "dark"] as const)(
    "has nothing that axe objects to in the dialog of a row, %s",
    async (colorScheme) => {
      const { page } = await view({ project: PROJECT, search: "is 13?" }, { colorScheme });
      await expect.poll(() => status(page), SOON).toBe("1 of 1,000 rows");
      await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
      await page.getByRole("dialog").getByText("out of memory").first().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    },
  );

  it.each([
    ["differ", { direction: "any" }],
    ["better", { baseline: "first", direction: "up" }],
    ["worse", { baseline: "first", direction: "down" }],
  ] as const)("shows the rows that are %s as the library does", async (show, moved) => {
    const { page } = await view({ project: PROJECT, show, baseline: "first" });
    const { total_rows: total } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["first", "second"],
      limit: 0,
      moved: { field: "scores.correct", ...moved },
    });
    expect(total).toBeGreaterThan(0);
    await expect.poll(() => status(page), SOON).toBe(`${total} of 1,000 rows`);
  });

  it("shows the same rows with a value missing as its report, and how many were not run", async () => {
    const { page } = await view({ project: "acme/gaps", show: "missing" });
    await expect.poll(() => status(page), SOON).toBe("3 of 6 rows");
    const missing = page.getByRole("table", { name: "Missing and failed trials" });
    const gaps = missing.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "gaps" }) });
    const counts = () => gaps.getByRole("cell").allInnerTexts();
    await expect.poll(counts, SOON).toEqual(["10", "5", "3", "2", "0", "1"]);
    const inputs = () => table(page).getByRole("row").locator("td:nth-child(2)").allInnerTexts();
    await expect.poll(async () => (await inputs()).length, SOON).toBe(3);
    const shown = await inputs();
    const file = scratchPath("report.html");
    await writeFile(file, await renderReport(engine, "acme/gaps", {}));
    await page.goto(`${pathToFileURL(file).href}#show=missing`);
    await expect.poll(() => status(page), SOON).toBe("3 of 6 rows");
    await expect.poll(inputs, SOON).toEqual(shown);
  });

  it.each(['[{"query":{"$expr":{"$and":[]}}}]', "["])(
    "says at once that the filters of its address are wrong, and waits for nothing: %s",
    async (filters) => {
      const { page, faults } = await view({ project: PROJECT, filters });
      await page.getByRole("alert").waitFor();
      expect(await page.getByText("Reading.").count()).toBe(0);
      expect(await page.getByRole("main").getAttribute("aria-busy")).toBe("false");
      expectRefusals(faults);
    },
  );

  it("filters by a form and by JSON, and keeps the last answer where one is refused", async () => {
    const { page, faults } = await view({ project: PROJECT });
    await table(page).waitFor();
    await page.getByText("Filters", { exact: true }).click();
    const form = page.getByRole("form", { name: "New filter" });
    await form.getByRole("combobox", { name: "Field" }).selectOption("inputs.question");
    await form.getByRole("combobox", { name: "Operator" }).selectOption("contains");
    await form.getByRole("combobox", { name: "Value" }).fill("is 99");
    await form.getByRole("button", { name: "Add filter" }).click();
    await expect.poll(() => status(page), SOON).toBe("11 of 1,000 rows");
    const json = page.getByRole("textbox", { name: "Filters as JSON" });
    expect(JSON.parse(await json.inputValue())).toHaveLength(1);
    await json.fill('[{"query":{"$expr":{"$and":[]}}}]');
    await page.getByRole("alert").getByText("filters[0].query.$expr.$and").waitFor();
    expect(await status(page)).toBe("11 of 1,000 rows");
    await json.fill("[");
    await page.getByRole("alert").getByText("not JSON").waitFor();
    await json.fill(
      '[{"query":{"$expr":{"$contains":{"input":{"$getField":"inputs.question"},"substr":{"$literal":"is 9"}}}}}]',
    );
    await expect.poll(() => status(page), SOON).toBe("111 of 1,000 rows");
    await page.getByRole("button", { name: "Remove filter 1" }).click();
    await expect.poll(() => status(page), SOON).toBe("1,000 of 1,000 rows");
    expectRefusals(faults);
  });

  it.each(["light", "dark"] as const)(
    "keeps everything but the rows where none passes the filters, %s",
    async (colorScheme) => {
      const filters = JSON.stringify([
        { query: { $expr: { $eq: [{ $getField: "inputs.question" }, { $literal: "Why?" }] } } },
        { query: { $expr: { $eq: [{ $getField: "scores.corect" }, { $literal: true }] } } },
      ]);
      const { page } = await view({ project: PROJECT, filters, baseline: "second" }, { colorScheme });
      const alert = page.getByRole("alert");
      await alert.getByText("No row passes the filters.").waitFor();
      expect(await alert.innerText()).toContain("scores.corect");
      await expect.poll(() => status(page), SOON).toBe("0 of 1,000 rows");
      expect(await page.getByRole("banner").innerText()).toContain(
        "2 evaluations · 1,000 rows · 2,000 trials",
      );
      expect(await alert.getByText("inputs.question = Why?").count()).toBe(1);
      expect(await page.getByText("$getField").count()).toBe(0);
      const chosen = (name: string) =>
        page
          .getByRole("combobox", { name, exact: true })
          .evaluate((one: HTMLSelectElement) => [one.selectedOptions[0]?.text, one.options.length]);
      await expect.poll(() => chosen("Score"), SOON).toEqual(["correct", 1]);
      await expect.poll(() => chosen("Baseline"), SOON).toEqual(["model second", 2]);
      await page.getByText("Filters", { exact: true }).click();
      await expect.poll(() => chosen("Field"), SOON).toEqual(["scores.correct", 4]);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Remove filter 2" }).click();
      await page.getByRole("button", { name: "Remove filter 1" }).click();
      await expect.poll(() => status(page), SOON).toBe("1,000 of 1,000 rows");
    },
  );

  it("makes a step of each choice, which Back and Forward restore, and leaves the focus where it was", async () => {
    const { page } = await view({ project: PROJECT });
    await expect.poll(() => status(page), SOON).toBe("1,000 of 1,000 rows");
    const box = (name: string) => page.getByRole("combobox", { name, exact: true });
    await box("Baseline").selectOption("model second");
    await conclusion(page)
      .getByText("than model second")
      .or(conclusion(page).getByText("from model second"))
      .first()
      .waitFor();
    await page.getByRole("searchbox", { name: "Search" }).pressSequentially("is 1", { delay: 200 });
    await expect.poll(() => status(page), SOON).toBe("111 of 1,000 rows");
    await box("Show").selectOption("rows that differ");
    await expect.poll(() => page.url(), SOON).toContain("show=differ");
    await box("Order").selectOption("as stored");
    await box("Order").focus();
    await expect.poll(() => status(page), SOON).not.toBe("111 of 1,000 rows");
    const shown = await status(page);
    await page.goBack();
    await expect.poll(() => box("Order").inputValue(), SOON).toBe("difference");
    expect(await box("Order").evaluate((one) => one === document.activeElement)).toBe(true);
    await page.goBack();
    await expect.poll(() => status(page), SOON).toBe("111 of 1,000 rows");
    await page.goBack();
    await expect.poll(() => box("Baseline").inputValue(), SOON).toBe("first");
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("");
    for (let i = 0; i < 3; i++) await page.goForward();
    await expect.poll(() => box("Order").inputValue(), SOON).toBe("stored");
    await expect.poll(() => status(page), SOON).toBe(shown);
    await expect.poll(() => box("Baseline").inputValue(), SOON).toBe("second");
  });

  it("opens Evaluations and Filters above the page, so that nothing moves, and closes them with Escape", async () => {
    for (const width of [1280, 400]) {
      const { page } = await view({ project: PROJECT }, { viewport: { width, height: 900 } });
      await expect.poll(() => status(page), SOON).toBe("1,000 of 1,000 rows");
      const places = () =>
        page.evaluate(() =>
          [...document.querySelectorAll("section, h1, summary, header select, header button")]
            .map((one) => {
              const { x, y } = one.getBoundingClientRect();
              return [one.closest(".panel") === null, Math.round(x), Math.round(y)];
            })
            .filter(([outside]) => outside),
        );
      const before = await places();
      for (const title of ["Evaluations", "Filters"]) {
        await page.getByText(title, { exact: true }).first().click();
        const inside =
          title === "Filters"
            ? page.getByRole("textbox", { name: "Filters as JSON" })
            : page.getByRole("checkbox", { name: "model second" });
        await inside.waitFor();
        expect(await places()).toEqual(before);
        expect(await accessibilityFaults(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        await page.keyboard.press("Escape");
        await page.locator("details[open].popover").waitFor({ state: "detached" });
      }
    }
  });

  it("is not busy once its filters are wrong while others are asked for", async () => {
    const { page, faults } = await view({ project: PROJECT });
    await expect.poll(() => status(page), SOON).toBe("1,000 of 1,000 rows");
    await page.route(isView, () => undefined);
    await page.getByText("Filters", { exact: true }).click();
    const busy = () => page.evaluate(() => document.querySelectorAll("[aria-busy=true]").length);
    const json = page.getByRole("textbox", { name: "Filters as JSON" });
    await json.fill('[{"query":{"$expr":{"$gt":[{"$getField":"scores.correct"},{"$literal":0}]}}}]');
    await expect.poll(busy, SOON).toBeGreaterThan(0);
    await json.fill("[");
    await expect.poll(busy, SOON).toBe(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    expectRefusals(faults);
  });

  it("copies a request that answers with the rows shown", async () => {
    const { page } = await view({ project: PROJECT, search: "is 12", show: "differ" });
    await expect.poll(() => status(page), SOON).toMatch(/ of 1,000 rows$/);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy request" }).click();
    await page.getByText("Copied.").waitFor();
    const request = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as object;
    const { total_rows: total } = await engine.queryEvalResults(PROJECT, request);
    expect(await status(page)).toBe(`${total} of 1,000 rows`);
  });

  it("chooses evaluations and baseline, says what the address names in vain, and goes on", async () => {
    const { page } = await view({ project: PROJECT, evaluation: "gone", baseline: "second", colour: "red" });
    await page.getByText("members that name nothing").waitFor();
    expect(await page.getByRole("combobox", { name: "Baseline" }).inputValue()).toBe("second");
    await page.getByRole("combobox", { name: "Baseline" }).selectOption("model first");
    await expect.poll(() => page.url(), SOON).toContain("baseline=first");
    await page.getByText("Evaluations", { exact: true }).first().click();
    await page.getByRole("checkbox", { name: "model second" }).uncheck();
    await conclusion(page)
      .getByText(/model first has/)
      .waitFor();
  });

  it("says what failed, keeps what was there, and tries again", async () => {
    const { page, faults } = await view({ project: PROJECT });
    await table(page).waitFor();
    let fails = true;
    await page.route(isQuery, async (route: Route) => {
      await (fails
        ? route.fulfill({ status: 503, json: { reason: "The service rests." } })
        : route.continue());
    });
    await page.getByRole("combobox", { name: "Order" }).selectOption("as stored");
    await page.getByRole("alert").getByText("The service rests.").waitFor();
    expect(await table(page).getByRole("row").count()).toBeGreaterThan(10);
    fails = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    expectRefusals(faults);
  });

  it("shows means and rows while the comparison is under way", async () => {
    const { page } = await open();
    const waiting: (() => void)[] = [];
    const slow: Engine = {
      ...engine,
      compareEvaluations: async (...question) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return engine.compareEvaluations(...question);
      },
    };
    const one = await serveHttp(createHttpHandler(slow, { keys, view: true }), { port: 0 });
    await page.goto(`${one.url}/view/#${new URLSearchParams({ key, project: PROJECT }).toString()}`);
    await table(page).getByRole("button", { name: "Open row 1", exact: true }).waitFor();
    const leaderboard = page.getByRole("table", { name: "Leaderboard", exact: true });
    expect(await leaderboard.getByText("comparing", { exact: true }).count()).toBe(1);
    expect(await conclusion(page).innerText()).toContain("Reading.");
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    await conclusion(page).getByText("model second").first().waitFor();
    await page.getByText("Every trial of every evaluation has a value").waitFor();
    expect(await leaderboard.getByText("comparing").count()).toBe(0);
    await one.stop();
  });

  it("asks once for what it shows first, which is there a frame before all else", async () => {
    const { page } = await open();
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("/v2/") && asked.push(request.url()));
    await page.addInitScript(() => {
      const look = () => {
        if (document.querySelector(".headline") === null) return void requestAnimationFrame(look);
        const rows = document.querySelectorAll("[aria-label^='Open row']").length;
        const missing = document.querySelector(".section.missing")?.textContent;
        Object.assign(globalThis, { first: { rows: rows > 0, missing } });
      };
      look();
    });
    await page.goto(`${service.url}/view/#${new URLSearchParams({ key, project: PROJECT }).toString()}`);
    await page.getByText("Every trial of every evaluation has a value").waitFor();
    expect(await page.evaluate(() => (globalThis as unknown as { first: unknown }).first)).toEqual({
      rows: true,
      missing: expect.stringContaining("Reading.") as unknown,
    });
    expect(asked.map((url) => new URL(url).pathname)).toEqual(["/v2/acme/qa/eval_results/view"]);
  });

  it("shows its frame while a service is slow, and aborts what is no longer wanted", async () => {
    const { page } = await open();
    const waiting: (() => Promise<void>)[] = [];
    const hold = (route: Route) => void waiting.push(() => route.continue().catch(() => undefined));
    await page.route(isView, hold);
    const aborted: string[] = [];
    page.on("requestfailed", (request) => aborted.push(request.url()));
    await page.goto(`${service.url}/view/#${new URLSearchParams({ key, project: PROJECT }).toString()}`);
    await page.getByRole("heading", { name: PROJECT }).waitFor();
    await page.getByRole("region", { name: "Rows" }).waitFor();
    await expect.poll(() => waiting.length, SOON).toBe(1);
    await waiting[0]?.();
    await table(page).waitFor();
    await page.route(isQuery, hold);
    await page.getByRole("combobox", { name: "Order" }).selectOption("as stored");
    await expect.poll(() => waiting.length, SOON).toBe(2);
    await page.getByRole("combobox", { name: "Order" }).selectOption("lowest mean first");
    await expect.poll(() => aborted.length, SOON).toBe(1);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("shows hostile strings as text", async () => {
    const { page } = await view({ project: "acme/<b>" });
    await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
    await page.getByRole("dialog").getByRole("region", { name: "Input" }).waitFor();
    expect(await page.evaluate(() => [document.scripts.length, document.images.length])).toEqual([1, 0]);
  });
});
