import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler } from "../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const ROWS = 60;
const IDS = ["one", "two", "three"];
const authenticate = () => ({ user: "ann", projects: ["*"] });
let engine: Engine;
let service: RunningService;
let folder = "";
let file = "";

const chat = (answer: string, given: object) => [
  { role: "user", content: "What is <b>it</b>?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c", type: "function", function: { name: "times", arguments: JSON.stringify(given) } },
    ],
  },
  { role: "tool", tool_call_id: "c", content: "<i>2736</i>" },
  { role: "assistant", content: answer },
];

/** Row 1 has chats, row 2 objects, row 3 failed in the second evaluation, row 4 was not run there, row 5 has a long input. */
function* calls() {
  for (const [e, id] of IDS.entries()) {
    yield root(id, { display_name: `model ${id}` });
    for (let i = 0; i < ROWS; i++) {
      if (i === 4 && e === 1) continue;
      const odd = new Map<number, unknown>([
        [1, chat(`It is ${2736 + e}.\nI used a tool.`, { a: 152, b: [18] })],
        [2, { answer: i * e, p: 1 / 7 }],
      ]);
      const question = i === 5 ? "many words ".repeat(30) : `What is ${i}?`;
      yield trial(
        `${id}-${i}`,
        { id: i, ...(i === 6 ? {} : { question }) },
        {},
        {
          parent_id: id,
          exception: i === 3 && e === 1 ? "429 after 3 s\nat line" : null,
          output: {
            output: odd.get(i) ?? `It is ${i + e}.\n=Indeed.`,
            scores: { correct: (i + e) % 3 > 0, judge: { points: (i + e) / 7 } },
          },
        },
      );
    }
  }
}

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...calls()]);
  service = await serveHttp(createHttpHandler(engine, { authenticate, view: true }), { port: 0 });
  folder = await mkdtemp(path.join(tmpdir(), "evalcube-said-"));
  file = path.join(folder, "said.html");
  await writeFile(file, await renderReport(engine, PROJECT, { baseline: "one", scorers: ["correct"] }));
});
afterAll(async () => {
  await service.stop();
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const table = (page: Page) => page.getByRole("table", { name: "Rows", exact: true });
const row = (page: Page, place: number) => table(page).getByRole("row").nth(place);
const cells = async (page: Page, place: number) => row(page, place).getByRole("cell").allInnerTexts();
const dialog = (page: Page) => page.getByRole("dialog");
const hash = (page: Page) => new URL(page.url()).hash;

async function shown(
  where: "report" | "view",
  state: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { page } = await open(options);
  await page.goto(
    where === "report"
      ? `${pathToFileURL(file).href}#${state}`
      : `${service.url}/view/#key=any&project=${encodeURIComponent(PROJECT)}&baseline=one&scorer=correct&${state}`,
  );
  await table(page).getByRole("button", { name: "Open row 1", exact: true }).waitFor();
  return page;
}

async function opened(search: string, state = "", options: BrowserContextOptions = {}): Promise<Page> {
  const page = await shown("report", `search=${encodeURIComponent(search)}&${state}`, options);
  await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
  await dialog(page).getByRole("region", { name: "Input" }).waitFor();
  return page;
}

/** The columns behind the values of the three evaluations, of the row with this input. */
async function said(page: Page, input: string): Promise<string[]> {
  await page.getByRole("searchbox", { name: "Search" }).fill(input);
  await expect.poll(() => page.getByRole("status").innerText(), SOON).toBe(`1 of ${ROWS} rows`);
  await expect.poll(async () => (await cells(page, 1))[1], SOON).toBe(input);
  return (await cells(page, 1)).slice(5);
}

describe.skipIf(noBrowser !== null).each(["report", "view"] as const)(
  `the rows of a %s${because(noBrowser)}`,
  (where) => {
    it("say what baseline and candidate said", async () => {
      const page = await shown(where, "with=two");
      const heads = await table(page).getByRole("columnheader").allInnerTexts();
      expect(heads.slice(5)).toEqual(["Output of model one", "Output of model two"]);
      expect(await said(page, "What is 8?")).toEqual(["It is 8.", "It is 9."]);
      expect(await said(page, "What is 1?")).toEqual(["It is 2736.", "It is 2737."]);
      expect(await said(page, "What is 2?")).toEqual([
        '{"answer":0,"p":0.14285714285714285}',
        '{"answer":2,"p":0.14285714285714285}',
      ]);
      expect(await said(page, "What is 3?")).toEqual(["It is 3.", "Error: 429 after 3 s"]);
      expect(await said(page, "What is 4?")).toEqual(["It is 4.", ""]);
      await page.goto(page.url().replace("with=two", "with=three"));
      await page.reload();
      await table(page).getByRole("columnheader", { name: "Output of model three" }).waitFor();
    });

    it("are no higher than they need, and have no outputs on a page of 899 pixels", async () => {
      const page = await shown(where, "search=What+is+2&order=stored", {
        viewport: { width: 899, height: 800 },
      });
      await expect.poll(() => page.getByRole("status").innerText(), SOON).toBe(`11 of ${ROWS} rows`);
      expect(
        await table(page)
          .getByRole("columnheader", { name: /^Output of/ })
          .count(),
      ).toBe(0);
      const heights = await table(page).evaluate((element) => {
        const box = element.closest(".rows-box");
        return [box?.clientHeight, box?.scrollHeight, element.getBoundingClientRect().height].map((one) =>
          Math.round(one ?? 0),
        );
      });
      expect(new Set(heights).size).toBe(1);
      await page.setViewportSize({ width: 900, height: 800 });
      await table(page).getByRole("columnheader", { name: "Output of model one" }).waitFor();
    });

    it("are downloaded as they are shown, all of them", async () => {
      const page = await shown(where, "show=differ&order=stored");
      const { rows } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: IDS,
        include_raw_data_rows: true,
        moved: { field: "scores.correct", direction: "any" },
      });
      const download = async (name: string) => {
        const [given] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name, exact: true }).click(),
        ]);
        return readFile(await given.path(), "utf8");
      };
      const json = JSON.parse(await download("Download JSON")) as { readonly [name: string]: unknown }[];
      await page.getByText(`Downloaded ${rows.length} rows.`).waitFor();
      expect(json.map((one) => [one["row"], one["inputs"]])).toEqual(
        rows.map((one) => [one.row_digest, one.raw_data_row]),
      );
      expect(json.map((one) => one["model three: output"])).toEqual(
        rows.map(
          ({ evaluations }) =>
            evaluations.find((one) => one.evaluation_call_id === "three")?.trials[0]?.model_output,
        ),
      );
      expect(json.map((one) => one["model two: error"]).filter((one) => one != null)).toEqual([
        "429 after 3 s\nat line",
      ]);
      expect(new Set(json.map((one) => one["model one: correct"]))).toEqual(new Set([0, 1]));
      const heads = (await download("Download CSV")).split("\r\n")[0]?.split(",") ?? [];
      expect(heads.slice(0, 3)).toEqual(["row", "inputs", "model one: correct"]);
      expect(heads.slice(2).toSorted()).toEqual(
        IDS.flatMap((id) => ["correct", "error", "output"].map((one) => `model ${id}: ${one}`)).toSorted(),
      );
      await page.getByText(/^Downloaded /).waitFor();
      await page.getByRole("searchbox", { name: "Search" }).fill("none has this");
      await page.getByText(/^Downloaded /).waitFor({ state: "detached" });
    });
  },
);

describe.skipIf(noBrowser !== null)(`the dialog of a row${because(noBrowser)}`, () => {
  it("is named by place and text, by its digest where there is no text", async () => {
    const page = await shown("report", "order=stored");
    await table(page).getByRole("button", { name: "Open row 3", exact: true }).click();
    const text = (await cells(page, 3))[1] ?? "";
    const { rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: IDS,
      filters: [{ query: { $expr: { $eq: [{ $getField: "inputs.id" }, { $literal: 6 }] } } }],
    });
    const digest = rows[0]?.row_digest ?? "";
    const heading = dialog(page).getByRole("heading", { level: 2 });
    expect(await heading.innerText()).toBe(`Row 3: ${text.startsWith("{") ? digest.slice(0, 12) : text}`);
    await page.goto(`${pathToFileURL(file).href}#row=${digest}`);
    await page.reload();
    await expect
      .poll(() => heading.innerText(), SOON)
      .toMatch(new RegExp(`^Row \\d+: ${digest.slice(0, 12)}$`));
    await page.getByRole("dialog", { name: new RegExp(`: ${digest.slice(0, 12)}$`) }).waitFor();
  });

  it("compares up to three, and keeps whom it compares from row to row and when it closes", async () => {
    const page = await shown("report", "order=stored");
    await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
    const choice = dialog(page).getByRole("list", { name: "All evaluations" });
    const regions = () =>
      dialog(page)
        .getByRole("heading", { name: /^Output of/ })
        .allInnerTexts();
    await expect.poll(async () => (await regions()).length, SOON).toBe(2);
    await choice.getByRole("button", { pressed: false }).click();
    await expect
      .poll(regions, SOON)
      .toEqual(["Output of model one", "Output of model two", "Output of model three"]);
    expect(hash(page).match(/with=/g)).toHaveLength(2);
    await choice.getByRole("button", { name: "model two" }).click();
    await expect.poll(regions, SOON).toEqual(["Output of model one", "Output of model three"]);
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: /^Row 2: / }).waitFor();
    expect(await regions()).toEqual(["Output of model one", "Output of model three"]);
    await dialog(page).getByRole("button", { name: "Next row" }).click();
    await page.getByRole("dialog", { name: /^Row 3: / }).waitFor();
    await dialog(page).getByRole("button", { name: "Previous row" }).click();
    await page.getByRole("dialog", { name: /^Row 2: / }).waitFor();
    expect(await regions()).toEqual(["Output of model one", "Output of model three"]);
    await dialog(page).getByRole("button", { name: "Close" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await expect.poll(() => hash(page), SOON).toBe("#order=stored&with=three");
    await table(page).getByRole("columnheader", { name: "Output of model three" }).waitFor();
    await table(page).getByRole("button", { name: "Open row 5", exact: true }).click();
    await page.getByRole("dialog", { name: /^Row 5: / }).waitFor();
    expect(hash(page)).toContain("with=three");
  });

  it("marks in the baseline what any of the others has not", async () => {
    const page = await opened("What is 8?", "with=two&with=three");
    await expect.poll(() => dialog(page).getByRole("insertion").allInnerTexts(), SOON).toEqual(["9", "10"]);
    expect(await dialog(page).getByRole("deletion").allInnerTexts()).toEqual(["8"]);
  });

  it("shows numbers with four digits, the whole as title and as stored", async () => {
    const page = await opened("What is 2?", "with=two");
    const output = dialog(page).getByRole("region", { name: "Output of model two" });
    expect(await output.innerText()).toContain("p: 0.1429");
    await output.getByRole("button", { name: "As stored" }).click();
    expect(await output.innerText()).toContain(String(1 / 7));
    expect(
      await dialog(page)
        .getByTitle(String(3 / 7), { exact: true })
        .first()
        .innerText(),
    ).toBe("0.4286");
  });

  it.each([
    ["light", 1280],
    ["dark", 400],
  ] as const)("shows a chat as turns, %s, %i pixels wide", async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 900 } };
    const page = await opened("What is 1?", "with=two", options);
    const output = dialog(page).getByRole("region", { name: "Output of model two" });
    expect(await output.getByText("It is 2737.").count()).toBe(1);
    expect(await dialog(page).getByRole("insertion").allInnerTexts()).toEqual(["2737"]);
    expect(await output.getByRole("list").count()).toBe(0);
    await output.getByText("4 messages, 1 tool call", { exact: true }).click();
    const turns = output.getByRole("list", { name: "Messages of model two" }).getByRole("listitem");
    await expect.poll(() => turns.count(), SOON).toBe(3);
    const texts = await turns.allInnerTexts();
    expect(texts.map((text) => text.split(/\s/)[0])).toEqual(["user", "assistant", "assistant"]);
    expect(texts[0]).toContain("What is <b>it</b>?");
    expect(texts[1]).toMatch(/times\s+a: 152\s+b:\s+1: 18\s+result\s+<i>2736<\/i>/);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await output.getByRole("button", { name: "As stored" }).click();
    expect(await output.innerText()).toContain('"tool_call_id":"c"');
  });
});

describe.skipIf(noBrowser !== null)(`rows on a page of 400 pixels${because(noBrowser)}`, () => {
  it.each(["light", "dark"] as const)("have the input above values with names, %s", async (colorScheme) => {
    const page = await shown("report", "order=stored", {
      colorScheme,
      viewport: { width: 400, height: 850 },
    });
    const places = await row(page, 1).evaluate((element) => {
      const at = (name: string) => element.querySelector(`td.${name}`)?.getBoundingClientRect();
      return {
        all: element.getBoundingClientRect().width,
        input: at("input")?.width,
        above: (at("value")?.top ?? 0) - (at("input")?.bottom ?? 0),
      };
    });
    expect(places.input).toBe(places.all);
    expect(places.above).toBeGreaterThanOrEqual(0);
    expect((await cells(page, 1)).join(" ")).toMatch(/model one.*model three.*model two/s);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it("have three lines of a long input, and stay where they are when one is seen", async () => {
    const page = await shown("report", "order=stored", { viewport: { width: 400, height: 850 } });
    await page.keyboard.press("j");
    for (let i = 0; i < ROWS; i++) await page.keyboard.press("j");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel), SOON)
      .toBe(`Open row ${ROWS}`);
    await page.getByRole("searchbox", { name: "Search" }).fill("many words");
    await expect.poll(() => page.getByRole("status").innerText(), SOON).toBe(`1 of ${ROWS} rows`);
    const height = await table(page)
      .getByText("many words")
      .evaluate((element) => element.getBoundingClientRect().height);
    expect(Math.round(height / 21)).toBe(3);
  });
});
