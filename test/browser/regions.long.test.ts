import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const TOPICS = ["law", "maths", "history", "physics"];
let engine: Engine;
let service: RunningService;
let key = "";

/** Three runs of one name over 60 rows; the last fails all of law, and four trials with one text of error. */
function* calls() {
  for (const [e, id] of ["run-a", "run-b", "run-c"].entries()) {
    const attributes = { commit: `${e}e5f607a9c1d2b3e4f5a6b7c8d9e0f1a2b3c4d5f`, branch: "main" };
    const day = `2026-07-0${e + 1}`;
    const times = { started_at: `${day}T12:04:00Z`, ended_at: `${day}T12:09:05Z` };
    yield root(id, { display_name: "sums", attributes, ...times });
    for (let i = 0; i < 60; i++) {
      const topic = TOPICS[i % 4] ?? "";
      const correct = e === 2 && topic === "law" ? false : i % 10 < 8;
      const exception = e === 2 && i % 17 === 5 ? `Error: 429 after ${i * 7} ms` : null;
      const output = { output: `It is ${i}.`, scores: { correct } };
      yield trial(
        `${id}-${i}`,
        { question: `What is ${i}?`, topic },
        {},
        { parent_id: id, output, exception },
      );
    }
  }
}

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...calls()]);
  const made = generateKey("ann", ["acme/*"], new Date());
  key = made.key;
  const keys = { version: 1 as const, keys: [made.entry] };
  service = await serveHttp(createHttpHandler(engine, { keys, view: true }), { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await service.stop();
  await engine.close();
});

const AT_FIRST = { project: PROJECT, baseline: "run-a", with: "run-c" };

async function view(state: object = {}, options: BrowserContextOptions = {}): Promise<Page> {
  const { page } = await open(options);
  await page.goto(`${service.url}/view/#${new URLSearchParams({ key, ...AT_FIRST, ...state }).toString()}`);
  await page.getByRole("table", { name: "History", exact: true }).waitFor();
  return page;
}

const status = (page: Page) => page.getByRole("status").innerText();
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const table = (page: Page, name: string) => page.getByRole("table", { name, exact: true });
const heads = (page: Page, name: string) => table(page, name).getByRole("rowheader").allInnerTexts();
const box = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
const FROM_LAW = "Most of it comes from inputs.topic = law: −80.0 points on 15 rows, 0.0 on the 45 others";

describe.skipIf(noBrowser !== null)(`the regions of a page${because(noBrowser)}`, () => {
  it("say where a difference comes from, and lead to the rows of a slice", async () => {
    const page = await view();
    expect(await region(page, "Slices").innerText()).toContain(FROM_LAW);
    expect((await heads(page, "Slices"))[0]).toBe("law");
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: "run-a",
      candidates: ["run-b", "run-c"],
      by: "inputs.topic",
    });
    const slices = comparisons.find(({ candidate }) => candidate === "run-c")?.slices ?? [];
    expect(await table(page, "Slices").getByRole("row").count()).toBe(1 + slices.length);
    await box(page, "Candidate").selectOption({ index: 0 });
    await expect.poll(() => region(page, "Slices").innerText(), SOON).not.toContain(FROM_LAW);
    await page.goBack();
    await expect.poll(() => region(page, "Slices").innerText(), SOON).toContain(FROM_LAW);
    await region(page, "Slices").getByRole("button", { name: "Show rows of law" }).click();
    await expect.poll(() => status(page), SOON).toBe("15 of 60 rows");
    await page.getByRole("banner").getByText("inputs.topic = law").waitFor();
    await page.goBack();
    await expect.poll(() => status(page), SOON).toBe("60 of 60 rows");
  });

  it("slice by what is chosen, or not at all", async () => {
    const page = await view();
    await expect
      .poll(() => box(page, "Group by").locator("option").allInnerTexts(), SOON)
      .toEqual(["automatic", "nothing", "inputs.question", "inputs.topic"]);
    await box(page, "Group by").selectOption("nothing");
    await region(page, "Slices").waitFor({ state: "detached" });
    expect(page.url()).toContain("by=nothing");
    await box(page, "Group by").selectOption("inputs.topic");
    await expect.poll(() => region(page, "Slices").innerText(), SOON).toContain(`${FROM_LAW}.`);
  });

  it("offer the values of a field", async () => {
    const page = await view();
    await page.getByText("Filters", { exact: true }).click();
    const form = page.getByRole("form", { name: "New filter" });
    await form.getByRole("combobox", { name: "Field" }).selectOption("inputs.topic");
    const options = form.locator("datalist option");
    const offered = () => options.evaluateAll((all) => all.map((one) => one.getAttribute("value") ?? ""));
    await expect.poll(async () => (await offered()).toSorted(), SOON).toEqual(TOPICS.toSorted());
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole("combobox", { name: "Value" }).fill("maths");
    await form.getByRole("button", { name: "Add filter" }).click();
    await expect.poll(() => status(page), SOON).toBe("15 of 60 rows");
  });

  it("say since when runs are worse, and compare with another one", async () => {
    const page = await view();
    expect(await region(page, "History").innerText()).toContain(
      "sums (2026-07-03) is worse than sums (2026-07-01): 60.0% against 80.0%. One more run shows whether it stays so.",
    );
    expect(await heads(page, "History")).toHaveLength(3);
    const picture = region(page, "History").getByRole("img").first();
    expect(await picture.getAttribute("aria-label")).toContain("sums (2026-07-03): 60.0%");
    await page.getByRole("button", { name: "Compare with sums (2026-07-02)" }).click();
    await expect.poll(() => box(page, "Baseline").inputValue(), SOON).toBe("run-b");
  });

  it("gather errors by text, and lead to their rows", async () => {
    const page = await view();
    expect(await heads(page, "Errors")).toEqual(["Error: 429 after # ms"]);
    await page.getByRole("button", { name: "Show rows of error 1" }).click();
    await expect.poll(() => status(page), SOON).toBe("4 of 60 rows");
    await page.getByRole("banner").getByText("error = Error: 429 after # ms").waitFor();
  });

  it("list the runs in the order in which they began", async () => {
    const page = await view();
    const cells = table(page, "Runs").getByRole("row").nth(1).getByRole("cell");
    expect(await cells.allInnerTexts()).toEqual([
      "–",
      "2026-07-01 12:04:00",
      "5 min 5 s",
      expect.stringMatching(/^60 rows \([0-9a-f]{6}\)$/),
      "0e5f607",
      "main",
      "60",
      "0",
    ]);
    await region(page, "Runs").getByText("Details of each run").click();
    expect(await region(page, "Runs").innerText()).toContain("2026-07-01T12:09:05");
  });

  it("show evaluations in the order of the leaderboard, whatever the section", async () => {
    const page = await view({ baseline: "run-c" });
    const order = await heads(page, "Leaderboard");
    expect(await heads(page, "All scores")).toEqual(order);
    const columns = await table(page, "Rows").getByRole("columnheader").allInnerTexts();
    expect(columns.slice(2, 5)).toEqual(order);
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 400],
    ["dark", 400],
  ] as const)(
    "have nothing that axe objects to, and scroll nothing sideways: %s, %i px",
    async (colorScheme, width) => {
      const page = await view({}, { colorScheme, viewport: { width, height: 900 } });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    },
  );

  it("are in a report too, with scripts off", async () => {
    const file = scratchPath("regions.html");
    await writeFile(file, await renderReport(engine, PROJECT, { baseline: "run-a" }));
    const { page } = await open({ javaScriptEnabled: false });
    await page.goto(pathToFileURL(file).href);
    for (const name of ["Slices", "History", "Runs"]) await region(page, name).waitFor();
    expect(await heads(page, "Errors")).toEqual(["Error: 429 after # ms"]);
    expect(await page.getByRole("button", { name: "Show rows of error 1" }).count()).toBe(0);
  });
});
