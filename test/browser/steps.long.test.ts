import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler } from "../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { agentCalls, type Attempt } from "../steps/agent-calls.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { call, PROJECT, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const HOSTILE = `<b>drop</b>\u202e"${"x".repeat(80)}`;
const authenticate = () => ({ user: "ann", projects: ["*"] });
let engine: Engine;
let service: RunningService;
let folder = "";
let file = "";

/** Each row has an attempt in which `search` fails and the trial too, and one in which all goes well. */
function* attempts(): Generator<Attempt> {
  for (const of of ["first", "second"])
    for (let row = 0; row < 30; row++) {
      const isWorse = of === "second" && row % 3 === 0;
      yield {
        id: `${of}-${row}-a`,
        of,
        row,
        passed: !isWorse,
        tools: [
          ["search", "a"],
          ["open", "b"],
        ],
      };
      yield {
        id: `${of}-${row}-b`,
        of,
        row,
        passed: row % 10 === 0,
        tools: [
          ["search", "a"],
          ["search", "c", "Timeout"],
          [HOSTILE, "d"],
        ],
      };
    }
}

beforeAll(async () => {
  engine = await openEngine();
  // Attempts that fail say why they stopped.
  const reasons = agentCalls([...attempts()]).map((one) =>
    "id" in one && /^\w+-[1-9]-b$/.test(String(one.id))
      ? { ...one, attributes: { evalcube: { stop_reason: "limit:<i>turns" } } }
      : one,
  );
  await engine.ingestCalls(reasons);
  service = await serveHttp(createHttpHandler(engine, { authenticate, view: true }), { port: 0 });
  folder = await mkdtemp(path.join(tmpdir(), "evalcube-steps-"));
  file = path.join(folder, "steps.html");
  await writeFile(file, await renderReport(engine, PROJECT, { baseline: "first" }));
});
afterAll(async () => {
  await service.stop();
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const region = (page: Page) => page.getByRole("region", { name: "Steps", exact: true });
const table = (page: Page, name: string) => region(page).getByRole("table", { name, exact: true });

async function shown(where: string, state = "", options: BrowserContextOptions = {}): Promise<Page> {
  const { page } = await open(options);
  await page.goto(
    where === "report"
      ? `${pathToFileURL(file).href}#${state}`
      : `${service.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}&baseline=first&${state}`,
  );
  await page.getByRole("button", { name: "Open row 1", exact: true }).waitFor();
  await region(page).waitFor();
  return page;
}

/** The lines of a table, each with its cells. */
const linesOf = async (page: Page, name: string): Promise<string[][]> =>
  (await table(page, name).getByRole("row").all()).reduce<Promise<string[][]>>(
    async (lines, row) => [...(await lines), await row.locator("th, td").allInnerTexts()],
    Promise.resolve([]),
  );

describe.skipIf(noBrowser !== null).each(["report", "view"])(
  `the steps of agents in a %s${because(noBrowser)}`,
  (where) => {
    it("say which tools fail, and what goes with it, for baseline and candidate", async () => {
      const page = await shown(where);
      const told = await engine.steps(PROJECT, { evaluation_call_ids: ["first", "second"] });
      const of = "evaluations" in told ? told.evaluations : [];
      const [head, ...lines] = await linesOf(page, "Tools");
      expect(head?.slice(0, 5)).toEqual([
        "Tool",
        "Calls first",
        "Calls second",
        "Errors first",
        "Errors second",
      ]);
      expect(lines.map(([tool]) => tool?.slice(0, 6))).toEqual(["search", "<b>dro", "open"]);
      const own = of.map(({ tools }) => tools.find(({ name }) => name === "search"));
      expect(lines[0]?.slice(1, 5)).toEqual([
        ...own.map((one) => String(one?.calls)),
        ...own.map((one) => String(one?.errors)),
      ]);
      const text = await region(page).innerText();
      expect(text).toContain(
        "first: An error of search goes with less success: 3 of 30 trials with one passed, 30 of 30 without (−90.0 points).",
      );
      expect(text).toContain("second: An error of search goes with less success: 3 of 30 trials");
      expect(text).toContain("Harder rows can have both");
      expect(text).not.toMatch(/because|causes|leads to/);
      expect(lines[0]?.at(-1)).toBe("goes with less success");
      await region(page)
        .getByTitle(/<b>drop<\/b>\[U\+202E\]"x+$/)
        .first()
        .waitFor();
    });

    it("say why trials stopped", async () => {
      const page = await shown(where);
      const [head, line, none] = await linesOf(page, "Stop reasons");
      expect(head?.slice(0, 5)).toEqual([
        "Reason",
        "Trials first",
        "Trials second",
        "Passed first",
        "Passed second",
      ]);
      expect(line?.slice(0, 9)).toEqual(["limit:<i>turns", "9", "9", "0", "0", "9", "9", "0", "0"]);
      expect(none?.slice(0, 3)).toEqual(["(none told)", "51", "51"]);
    });

    it("say where failing attempts leave passing ones", async () => {
      const page = await shown(where);
      const told = await engine.steps(PROJECT, { evaluation_call_ids: ["first"], view: "diff" });
      const totals = "totals" in told ? told.totals : null;
      expect(totals?.instead).toHaveLength(1);
      const [head, line] = await linesOf(page, "First difference");
      expect(head?.slice(0, 3)).toEqual(["Failing attempt", "Passing attempt", "Trials first"]);
      expect(line?.slice(0, 3)).toEqual(["search", "open", String(totals?.instead[0]?.trials)]);
      const [calls, ...at] = await linesOf(page, "Call of the first difference");
      expect(calls).toEqual(["Call", "Trials first", "Trials second", "Rows first", "Rows second"]);
      const of = async (id: string) => {
        const own = await engine.steps(PROJECT, { evaluation_call_ids: [id], view: "diff" });
        return "totals" in own ? own.totals.at : [];
      };
      const [first, second] = [await of("first"), await of("second")];
      const indexes = [...new Set([...first, ...second].map(({ index }) => index))].toSorted((a, b) => a - b);
      const figure = (all: typeof first, index: number, member: "trials" | "rows") =>
        String(all.find((one) => one.index === index)?.[member] ?? 0);
      expect(at).toEqual(
        indexes.map((index) => [
          String(index),
          ...(["trials", "rows"] as const).flatMap((member) =>
            [first, second].map((all) => figure(all, index, member)),
          ),
        ]),
      );
      expect(await region(page).innerText()).toContain(
        "first: 27 failing attempts on 27 rows leave the passing attempt",
      );
    });
  },
);

describe.skipIf(noBrowser !== null)(`a view of agents${because(noBrowser)}`, () => {
  it("shows the rows of a stop reason", async () => {
    const page = await shown("view");
    await region(page)
      .getByRole("button", { name: "Show rows stopped by limit:<i>turns", exact: true })
      .press("Enter");
    await page.getByRole("banner").getByText("stop_reason = limit:<i>turns").waitFor();
    await page.getByRole("status").filter({ hasText: "9 of 30 rows" }).waitFor();
    expect(page.url()).toContain("stop_reason");
    await page.goBack();
    await page.getByRole("status").filter({ hasText: "30 of 30 rows" }).waitFor();
  });

  it("filters rows by what was done", async () => {
    const page = await shown("view");
    await page.getByText("Filters", { exact: true }).click();
    const form = page.getByRole("form", { name: "New filter" });
    const fields = await form.getByRole("combobox", { name: "Field" }).locator("option").allInnerTexts();
    expect(fields).toEqual(
      expect.arrayContaining(["steps.count", "steps.first_error", "steps.tool.search.errors", "stop_reason"]),
    );
    await form.getByRole("combobox", { name: "Field" }).selectOption("steps.tool_errors");
    await form.getByRole("combobox", { name: "Operator" }).selectOption("≥");
    await form.getByRole("combobox", { name: "Value" }).fill("2");
    await form.getByRole("button", { name: "Add filter" }).click();
    // Each attempt that fails has one failed call.
    await page.getByRole("alert").filter({ hasText: "No row passes the filters." }).waitFor();
    expect(page.url()).toContain("steps.tool_errors");
  });

  it("says what a success cost, failed trials included", async () => {
    const page = await shown("view");
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["first", "second"],
      include_rows: false,
      include_summary: true,
      include_usage: true,
    });
    const known = summary?.evaluations.map((one) => one.usage?.per_success?.latency_seconds.value);
    expect(known?.every((value) => value !== null)).toBe(true);
    const costs = page.getByRole("table", { name: "Cost of a success", exact: true });
    expect(await costs.getByRole("rowheader").allInnerTexts()).toEqual(["first", "second"]);
    expect(await costs.innerText()).toContain("dominated by first");
  });
});

describe.skipIf(noBrowser !== null)(`the region of steps${because(noBrowser)}`, () => {
  it.each([
    ["light", 1280],
    ["dark", 400],
  ] as const)(
    "has nothing that axe objects to, and scrolls nothing sideways: %s, %i px",
    async (colorScheme, width) => {
      const page = await shown("view", "", { colorScheme, viewport: { width, height: 900 } });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    },
  );

  it("is in a report with scripts off", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await page.goto(pathToFileURL(file).href);
    await region(page).waitFor();
    await expect.poll(() => table(page, "Tools").count(), SOON).toBe(1);
  });
});

describe.skipIf(noBrowser !== null).each(["report", "view"])(
  `the scores of agents in a %s${because(noBrowser)}`,
  (where) => {
    it("have numbers of steps beside them, whose means and rows are shown when they are chosen", async () => {
      const page = await shown(where);
      const score = page.getByRole("combobox", { name: "Score", exact: true });
      const offered = await score.locator("option").allInnerTexts();
      expect(offered.toSorted()).toEqual(["solved", "steps.count", "steps.repeats", "steps.tool_errors"]);
      expect(await score.inputValue()).toBe("solved");
      await score.selectOption("steps.count");
      const board = page.getByRole("region", { name: "Leaderboard", exact: true });
      // Attempts have four steps and six.
      await expect
        .poll(() => board.getByRole("row", { name: /^first / }).innerText(), SOON)
        .toMatch(/\b5\.00\b/);
      await page.getByRole("table", { name: "Rows" }).getByText("5", { exact: true }).first().waitFor();
      expect(page.url()).toContain("scorer=steps.count");
      expect(await page.getByText("name nothing here").count()).toBe(0);
      const differences = page.getByRole("region", { name: /^Differences from / });
      await expect.poll(() => differences.count(), SOON).toBe(where === "view" ? 1 : 0);
      await score.selectOption("solved");
      await expect
        .poll(() => board.getByRole("row", { name: /^first / }).innerText(), SOON)
        .toContain("55.0%");
    });
  },
);

/** The strips of rows, by their names. */
const strips = (page: Page) =>
  page.getByRole("table", { name: "Rows" }).getByRole("img", { name: / steps?, / });

describe.skipIf(noBrowser !== null).each(["report", "view"])(
  `the rows of agents in a %s${because(noBrowser)}`,
  (where) => {
    it("have a strip of the steps of the first attempt of the candidate", async () => {
      const page = await shown(where, "order=stored");
      const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["second"], limit: 3 });
      for (const [i, row] of rows.entries()) {
        const trials = [row.evaluations[0]?.trials[0]?.predict_and_score_call_id ?? ""];
        const told = await engine.steps(PROJECT, { view: "trial", trials });
        const { chats = 0, tools = 0, errors = 0 } = "counts" in told ? told.counts : {};
        const said = `${(chats ?? 0) + (tools ?? 0)} steps, ${tools} tool calls, ${errors} error${errors === 1 ? "" : "s"}`;
        const line = page
          .getByRole("row")
          .filter({ has: page.getByRole("button", { name: `Open row ${i + 1}` }) });
        const name = await line
          .getByRole("img", { name: / steps?, / })
          .first()
          .getAttribute("aria-label");
        expect(name?.startsWith(said)).toBe(true);
      }
    });

    it("have none where a row has fewer than 900 pixels", async () => {
      const page = await shown(where, "", { viewport: { width: 880, height: 900 } });
      expect(await strips(page).count()).toBe(0);
    });
  },
);

const dialog = (page: Page) => page.getByRole("dialog");
const stepsOf = (page: Page, name: string) =>
  dialog(page).getByRole("list", { name: `Steps of ${name}`, exact: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

async function openedRow(where: string, state = "", options: BrowserContextOptions = {}): Promise<Page> {
  const page = await shown(where, state, options);
  await page.getByRole("button", { name: "Open row 1", exact: true }).click();
  await stepsOf(page, "second").getByRole("listitem").first().waitFor();
  return page;
}

describe.skipIf(noBrowser !== null).each(["report", "view"])(
  `the steps of a trial in a %s${because(noBrowser)}`,
  (where) => {
    it("stand instead of a null output, one item a step, and keys lead through them", async () => {
      const page = await openedRow(where);
      expect(
        await dialog(page)
          .getByRole("heading", { name: /^Output of/ })
          .count(),
      ).toBe(0);
      await dialog(page)
        .getByRole("group", { name: "Trials" })
        .nth(1)
        .getByRole("button", { name: "Trial 2" })
        .click();
      const items = stepsOf(page, "second").getByRole("listitem");
      await expect.poll(() => items.count(), SOON).toBe(6);
      const texts = (await items.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
      expect(texts.slice(0, 4)).toEqual(
        [
          "1 agent-1 do 0 1 s 110 tokens",
          'search {"argument":"a"} 1 s',
          "3 agent-1 do 1 1 s 110 tokens",
          'search error: Timeout {"argument":"c"} 1 s',
        ].map((text, i) => (text.startsWith("search") ? `${i + 1} ${text}` : text)),
      );
      expect(await dialog(page).innerText()).toContain("6 steps, 3 tool calls, 1 error");
      await items.first().getByRole("button").focus();
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => focused(page), SOON).toContain('search {"argument":"a"}');
      await page.keyboard.press("e");
      await expect.poll(() => focused(page), SOON).toContain("error: Timeout");
      await dialog(page).getByRole("status").filter({ hasText: "Step 4, error: Timeout" }).waitFor();
      await page.keyboard.press("e");
      await dialog(page).getByRole("status").filter({ hasText: "No further error." }).waitFor();
      await page.keyboard.press("End");
      await expect.poll(() => focused(page), SOON).toContain("<b>drop</b>U+202E");
      await page.keyboard.press("Home");
      await expect.poll(() => focused(page), SOON).toContain("do 0");
      await page.keyboard.press("Enter");
      const opened = dialog(page).getByRole("region", { name: "Step 1: agent-1, of second", exact: true });
      await opened.getByRole("region", { name: "Input of the step" }).waitFor();
      expect(await opened.innerText()).toContain("I call search");
      await page.keyboard.press("Enter");
      await opened.waitFor({ state: "detached" });
    });

    it.each([
      ["light", 1280],
      ["dark", 400],
    ] as const)(
      "have nothing that axe objects to, and scroll nothing sideways: %s, %i px",
      async (colorScheme, width) => {
        const page = await openedRow(where, "", { colorScheme, viewport: { width, height: 900 } });
        await stepsOf(page, "second").getByRole("button").first().click();
        await dialog(page).getByRole("region", { name: "Input of the step" }).waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
        expect(await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      },
    );
  },
);

const textsOf = async (items: Locator) =>
  (await items.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
const beside = (page: Page) => dialog(page).getByRole("region", { name: "Beside", exact: true });
const attempt = (page: Page, of: string, name: string) =>
  beside(page)
    .getByRole("group", { name: `Attempts of ${of}`, exact: true })
    .getByRole("button", { name, exact: true });
const linesBeside = (page: Page, name: string) =>
  beside(page)
    .getByRole("list", { name: `Steps of ${name}`, exact: true })
    .getByRole("listitem");
const pressed = (page: Page) => beside(page).getByRole("button", { pressed: true }).allInnerTexts();

describe.skipIf(noBrowser !== null).each(["report", "view"])(
  `the attempts at a row in a %s${because(noBrowser)}`,
  (where) => {
    // The rows that differ come first, of which a report holds the steps.
    const openedAt = async (row: number, options: BrowserContextOptions = {}) => {
      const { rows } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: ["second"],
        filters: [{ query: { $expr: { $eq: [{ $getField: "inputs.row" }, { $literal: row }] } } }],
      });
      const page = await shown(where, `with=second&row=${rows[0]?.row_digest}`, options);
      await linesBeside(page, "Attempt 1 of second").first().waitFor();
      return page;
    };

    it("stand beside each other, a failing one with the passing one that it follows longest", async () => {
      const page = await openedAt(0);
      await expect.poll(() => pressed(page), SOON).toEqual(["Attempt 1: failed", "Attempt 2: passed"]);
      const lists = [1, 2].map((number) => linesBeside(page, `Attempt ${number} of second`));
      await expect
        .poll(async () => Promise.all(lists.map(textsOf)), SOON)
        .toEqual([
          ['2 search {"argument":"a"} 1 s', '4 open First difference {"argument":"b"} 1 s', "–", "–"],
          [
            '2 search {"argument":"a"} 1 s',
            "– First difference",
            '4 search error: Timeout {"argument":"c"} 1 s',
            expect.stringMatching(/^6 <b>drop/),
          ],
        ]);
      await lists[1]?.last().getByRole("button").focus();
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("d");
      await expect.poll(() => focused(page), SOON).toContain("First difference");
      await page.keyboard.press("Enter");
      await dialog(page).getByRole("region", { name: "Step 4: open, of second", exact: true }).waitFor();
      await page.keyboard.press("Home");
      await expect.poll(() => focused(page), SOON).toContain("search");
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press("?");
      await page
        .getByRole("dialog", { name: "Keyboard" })
        .getByText("where attempts beside each other first differ")
        .waitFor();
    });

    it("are chosen by buttons, up to three, which the address and Back know", async () => {
      const page = await openedAt(0);
      await attempt(page, "first", "Attempt 1: passed").press("Enter");
      await linesBeside(page, "Attempt 1 of first").first().waitFor();
      expect(await beside(page).getByRole("list").count()).toBe(3);
      expect(page.url()).toContain("attempt=first%3A1");
      await page.goBack();
      await expect.poll(() => beside(page).getByRole("list").count(), SOON).toBe(2);
      expect(page.url()).not.toContain("attempt=");
      await page.goForward();
      await expect.poll(() => beside(page).getByRole("list").count(), SOON).toBe(3);
    });

    it("end with their row: closing goes back to where it was opened, whatever was chosen since", async () => {
      const page = await shown(where, "with=second");
      await page
        .getByRole("row")
        .filter({ hasText: '{"row":3}' })
        .getByRole("button", { name: /^Open row/ })
        .click();
      // Of the baseline one attempt passed and one failed, so these stand there; of the other both failed.
      await attempt(page, "second", "Attempt 1: failed").click();
      await linesBeside(page, "Attempt 1 of second").first().waitFor();
      expect(await pressed(page)).toEqual(["Attempt 1: passed", "Attempt 2: failed", "Attempt 1: failed"]);
      await page.keyboard.press("n");
      await expect.poll(() => page.url(), SOON).not.toContain("attempt=");
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
      expect(page.url()).not.toMatch(/attempt=|row=/);
      await page.goForward();
      await dialog(page).waitFor();
    });

    it("stand under each other on a narrow page, each step with its side", async () => {
      const page = await openedAt(0, { viewport: { width: 400, height: 900 } });
      const own = linesBeside(page, "Attempt 2 of second");
      await own.first().waitFor();
      for (const text of await own.allInnerTexts()) expect(text).toContain("Attempt 2 of second");
      const [above, below] = await Promise.all(
        [linesBeside(page, "Attempt 1 of second"), own].map(async (one) => one.first().boundingBox()),
      );
      expect(above?.x).toBe(below?.x);
      expect(above?.y ?? 0).toBeLessThan(below?.y ?? 0);
      expect(await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      for (const text of await stepsOf(page, "second").getByRole("listitem").allInnerTexts())
        expect(text).toContain("second");
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  },
);

describe.skipIf(noBrowser !== null)(`the steps of long and nested trials${because(noBrowser)}`, () => {
  const TOOLS = 5000;
  let deep: Engine;
  let deepService: RunningService;

  beforeAll(async () => {
    deep = await openEngine();
    const tools = Array.from({ length: TOOLS }, (_, i) =>
      i === TOOLS - 2 ? (["search", `${i}`, "Timeout"] as const) : (["search", `${i}`] as const),
    );
    await deep.ingestCalls(agentCalls([{ id: "long", of: "run", row: 1, passed: true, tools }]));
    const agent = {
      attributes: { gen_ai: { operation: { name: "invoke_agent" }, agent: { name: "planner" } } },
    };
    const tool = { attributes: { gen_ai: { operation: { name: "execute_tool" }, tool: { name: "look" } } } };
    await deep.ingestCalls([
      trial(
        "nested",
        { row: 2 },
        { solved: false },
        { parent_id: "run", output: { output: "An answer.", scores: { solved: false } } },
      ),
      call("planner", { parent_id: "nested", ...agent }),
      call("inside", { parent_id: "planner", inputs: { at: 1 }, ...tool }),
      call("behind", { parent_id: "nested", started_at: "2026-01-01T00:00:09Z", inputs: { at: 1 }, ...tool }),
    ]);
    deepService = await serveHttp(createHttpHandler(deep, { authenticate, view: true }), { port: 0 });
  });
  afterAll(async () => {
    await deepService.stop();
    await deep.close();
  });

  async function openedTrial(text: string): Promise<Page> {
    const { page } = await open();
    await page.goto(`${deepService.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}&order=stored`);
    await region(page).waitFor();
    await page
      .getByRole("row")
      .filter({ hasText: text })
      .getByRole("button", { name: /^Open row/ })
      .click();
    await dialog(page).waitFor();
    return page;
  }

  it("draw 10,000 steps as they scroll", async () => {
    const page = await openedTrial('{"row":1}');
    const items = stepsOf(page, "run").getByRole("listitem");
    await items.first().waitFor();
    expect(await items.first().getAttribute("aria-setsize")).toBe(String(2 * TOOLS));
    expect(await items.count()).toBeLessThan(80);
    await items.first().getByRole("button").focus();
    await page.keyboard.press("e");
    await expect.poll(() => focused(page), SOON).toContain("error: Timeout");
    await page.keyboard.press("End");
    await expect.poll(() => focused(page), SOON).toMatch(/^10,000 search/);
    expect(await items.count()).toBeLessThan(80);
  });

  it("are a strip of 60 cells in a row, and a number of those beyond", async () => {
    const { page } = await open();
    await page.goto(`${deepService.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}&order=stored`);
    const strip = page.getByRole("img", { name: "10,000 steps, 5,000 tool calls, 1 error", exact: true });
    await strip.waitFor();
    expect(await strip.innerText()).toBe("+9,940");
    // Frames are no steps.
    await page.getByRole("img", { name: "2 steps, 2 tool calls, 0 errors", exact: true }).waitFor();
  });

  it("stand below an output; those of an agent are a group, and what repeats says what", async () => {
    const page = await openedTrial('{"row":2}');
    const list = stepsOf(page, "run");
    const group = list.getByRole("group", { name: "agent planner", exact: true });
    await group.waitFor();
    expect((await group.getByRole("listitem").allInnerTexts()).join(" ")).toMatch(/^1\s+look/);
    expect(await list.getByRole("listitem").last().innerText()).toMatch(/2\s+look\s+repeats step 1/);
    const places = [dialog(page).getByRole("region", { name: "Output of run" }), list].map(
      async (one) => (await one.boundingBox())?.y ?? 0,
    );
    const [above = 0, below = 0] = await Promise.all(places);
    expect(above).toBeLessThan(below);
  });
});
