import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey, type KeysFile } from "../../src/http/keys/key-ring.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
const END = "and this is its end";
/** 4.8 MB of text; two evaluations differ in its first word. */
const longText = (e: number) => `${["one", "two"][e] ?? ""} ${"word €\n".repeat(480_000)}${END}`;
const chat = (e: number) =>
  Array.from({ length: 2000 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `Turn ${i} of ${e}: ${"said ".repeat(20)}`,
  }));
const IMAGE = "iVBORw0KGgo".repeat(100_000);

let engine: Engine;
let service: RunningService;
let key = "";

beforeAll(async () => {
  engine = await openEngine();
  const trials = ["first", "second"].flatMap((parent_id, e) =>
    [longText(e), chat(e), "short"].map((output, i) =>
      trial(
        `${parent_id}-${i}`,
        { question: `What is ${i}?`, ...(i === 2 ? { image: IMAGE } : {}) },
        {},
        { parent_id, output: { output, scores: { correct: e === 0 } } },
      ),
    ),
  );
  await engine.ingestCalls([
    ...["first", "second"].map((id) => root(id, { display_name: `model ${id}` })),
    ...trials,
  ]);
  const made = generateKey("ann", ["acme/*"], new Date());
  key = made.key;
  const keys: KeysFile = { version: 1, keys: [made.entry] };
  service = await serveHttp(createHttpHandler(engine, { keys, view: true }), { host: "127.0.0.1", port: 0 });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await engine.close();
});

const dialog = (page: Page) => page.getByRole("dialog");
const outputOf = (page: Page, name: string) =>
  dialog(page).getByRole("region", { name: `Output of ${name}` });

/** The dialog of the row with a question, and how many characters each answer about rows had. */
async function openRow(search: string, address: string, options: BrowserContextOptions = {}) {
  const { page, faults } = await open({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  const sizes: number[] = [];
  page.on("response", (response) => {
    if (!response.url().endsWith("/eval_results/query")) return;
    response.text().then(
      (text) => sizes.push(text.length),
      () => undefined,
    );
  });
  await page.goto(`${address}#${new URLSearchParams({ key, project: PROJECT, search }).toString()}`);
  const table = page.getByRole("table", { name: "Rows", exact: true });
  await expect.poll(() => page.getByRole("status").innerText(), SOON).toBe("1 of 3 rows");
  const line = await table.getByRole("row").nth(1).innerText();
  await table.getByRole("button", { name: "Open row 1", exact: true }).click();
  await dialog(page).getByRole("region", { name: "Input" }).waitFor();
  return { page, faults: faults as string[], sizes, line };
}

async function downloaded(page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

describe.skipIf(noBrowser !== null)(`a long output in a view${because(noBrowser)}`, () => {
  it("is read to its start, and shown, copied and downloaded whole where that is asked for", async () => {
    const { page, sizes } = await openRow("What is 0?", `${service.url}/view/`);
    const output = outputOf(page, "model first");
    await output.getByText("This is the start of 4.8 MB.").waitFor();
    const start = await output.innerText();
    expect(start.length).toBeGreaterThan(40_000);
    expect(start.length).toBeLessThan(66_000);
    expect(start).toContain("one word €");
    expect(Math.max(...sizes)).toBeLessThan(200_000);
    expect(await dialog(page).getByText("are too long for this").count()).toBe(1);
    const all = output.getByRole("button", { name: "Show all, 4.8 MB" });
    await all.click();
    await expect.poll(() => all.getAttribute("aria-pressed"), SOON).toBe("true");
    const shown = output.locator("pre");
    await expect.poll(() => shown.evaluate((element) => element.textContent), SOON).toBe(longText(0));
    expect(await all.evaluate((element) => element === document.activeElement)).toBe(true);
    await output.getByRole("button", { name: "Copy" }).click();
    await output.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(longText(0));
    const other = outputOf(page, "model second");
    const file = await downloaded(page, () => other.getByRole("button", { name: "Download" }).click());
    expect(file.name).toMatch(/^row-[\w-]{12}-output-\d-1\.txt$/);
    expect(file.text).toBe(longText(1));
    await all.click();
    await output.getByText("This is the start of 4.8 MB.").waitFor();
    expect((await output.innerText()).length).toBeLessThan(66_000);
  });

  it.each(["light", "dark"] as const)("has nothing that axe objects to, %s", async (colorScheme) => {
    const { page } = await openRow("What is 1?", `${service.url}/view/`, { colorScheme });
    await outputOf(page, "model first").getByText("This is the start of").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it("is a chat of its first messages, then of all of them, in parts", async () => {
    const { page } = await openRow("What is 1?", `${service.url}/view/`);
    const output = outputOf(page, "model first");
    const turns = output.getByRole("list", { name: "Messages of model first" }).getByRole("listitem");
    await output.getByText("This is the start of").waitFor();
    expect(await output.getByText("2,000 messages", { exact: true }).count()).toBe(0);
    await output.getByText(/^\d+ messages$/).click();
    await expect.poll(() => turns.first().innerText(), SOON).toMatch(/Turn \d+ of 0/);
    await output.getByRole("button", { name: /^Show all, \d+ kB$/ }).click();
    await output.getByText("2,000 messages", { exact: true }).waitFor();
    await expect.poll(() => turns.count(), SOON).toBe(200);
    expect(await turns.last().innerText()).toContain("Turn 1999 of 0");
    for (let left = 1800; left > 0; left -= 200) {
      await output
        .getByRole("button", { name: `Show 200 of ${left.toLocaleString("en")} earlier turns` })
        .click();
      await expect.poll(() => turns.count(), SOON).toBe(2200 - left);
    }
    expect(await turns.first().innerText()).toContain("Turn 0 of 0");
    expect(await output.getByRole("button", { name: /earlier/ }).count()).toBe(0);
  });

  it("says what a service refuses, and reads it the next time", async () => {
    const { page, faults } = await openRow("What is 0?", `${service.url}/view/`);
    const output = outputOf(page, "model first");
    await output.getByText("This is the start of").waitFor();
    await page.route("**/eval_results/query", (route) => route.abort(), { times: 1 });
    await output.getByRole("button", { name: "Show all" }).click();
    await output.getByText("The service does not answer.").waitFor();
    expect(faults.splice(0)).toEqual(["console: Failed to load resource: net::ERR_FAILED"]);
    await output.getByRole("button", { name: "Show all" }).click();
    await output.getByText("All of it is shown.").waitFor();
  });
});

describe.skipIf(noBrowser !== null)(`a long input in a view${because(noBrowser)}`, () => {
  it("is a line in the table, a start in the dialog, and a file", async () => {
    const { page, sizes, line } = await openRow("What is 2?", `${service.url}/view/`);
    expect(line).toContain("What is 2?");
    const input = dialog(page).getByRole("region", { name: "Input" });
    await input.getByText("This is the start of 1.1 MB.").waitFor();
    expect(Math.max(...sizes)).toBeLessThan(100_000);
    const file = await downloaded(page, () => input.getByRole("button", { name: "Download" }).click());
    expect(file.name).toMatch(/-input\.json$/);
    expect(JSON.parse(file.text)).toEqual({ question: "What is 2?", image: IMAGE });
  });
});

describe.skipIf(noBrowser !== null)(`a long output in a report${because(noBrowser)}`, () => {
  it("is there to a point, whole on demand, and a file", async () => {
    const report = scratchPath("long.html");
    await writeFile(report, await renderReport(engine, PROJECT, { outputs: "all" }));
    const { page } = await openRow("What is 0?", pathToFileURL(report).href);
    const output = outputOf(page, "model first");
    expect((await output.innerText()).length).toBeLessThan(21_000);
    const file = await downloaded(page, () => output.getByRole("button", { name: "Download" }).click());
    expect(file.text).toBe(longText(0));
    await output.getByRole("button", { name: /^Show all 3,360,0\d\d characters$/ }).click();
    await expect
      .poll(() => output.locator("pre").evaluate((element) => element.textContent), SOON)
      .toBe(longText(0));
  });
});
