import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECTIONS } from "../../build/site/pages.ts";
import { ROOT } from "../docs/pages.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { because } from "../support/skipped.ts";
import { serveFolder, type Served } from "./serve-folder.ts";

const DIST = path.join(ROOT, "docs/site/dist");
const BASE = "/evalcube/";
const PAGES = Object.values(SECTIONS).flatMap((pages) => pages.map(([file]) => file));

/** Of each kind of page: the first one, guides, recipes, long tables, pictures, code, generated pages. */
const LOOKED_AT = [
  "index",
  "guide/second-day",
  "what-can-i-do-with",
  "recipes",
  "recipes/judge-against-people",
  "statistics",
  "report",
  "comparison",
  "reference/http",
  "reference/views",
];
const IN_THE_DARK = ["index", "guide/second-day", "comparison"];

const open = useBrowser();
let site: Served;

beforeAll(async () => {
  const script = path.join(ROOT, "build/site/main.ts");
  const tsx = path.join(ROOT, "node_modules/tsx/dist/cli.mjs");
  await promisify(execFile)(process.execPath, [tsx, script], { cwd: ROOT, maxBuffer: 2 ** 26 });
  site = await serveFolder(DIST, BASE);
}, 300_000);
afterAll(() => site.close());

const addressOf = (file: string) => `${site.address}${file}.html`;

/** Opens a page of the site, and waits until its scripts have taken it over. */
async function show(page: Page, file: string): Promise<void> {
  await page.goto(addressOf(file));
  await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}));
}

/** Where the links of a page lead on the site itself, with their anchors. */
function linksOn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const links = [...document.querySelectorAll("a[href]")].map((one) => (one as HTMLAnchorElement).href);
    return links.filter((href) => href.startsWith(location.origin));
  });
}

/** Those of some links that the site does not serve, or whose anchor is not on their page. */
async function deadOf(links: readonly string[]): Promise<string[]> {
  const texts = new Map<string, string | null>();
  const dead: string[] = [];
  for (const link of links) {
    const [address = "", anchor = ""] = link.split("#");
    if (!texts.has(address)) {
      const answer = await fetch(address);
      texts.set(address, answer.ok ? await answer.text() : null);
    }
    const text = texts.get(address) ?? null;
    if (text?.includes(anchor === "" ? "" : ` id="${decodeURIComponent(anchor)}"`) !== true) dead.push(link);
  }
  return dead;
}

describe("the site, built", () => {
  it("has each page as HTML and as Markdown, and the two files for agents", async () => {
    const files = (await readdir(DIST, { recursive: true })).map((name) => name.replaceAll(path.sep, "/"));
    const expected = PAGES.flatMap((file) => [`${file}.html`, `${file}.md`]);
    expect(files).toEqual(
      expect.arrayContaining([...expected, "llms.txt", "llms-full.txt", "demo-report.html"]),
    );
    const index = await readFile(path.join(DIST, "llms.txt"), "utf8");
    expect(index).toMatch(/^# evalcube\n\n> .+\n\n## Guide\n\n- \[evalcube\]\(\/evalcube\/index\.md\): /);
    for (const file of PAGES) expect(index).toContain(`](${BASE}${file}.md): `);
  });

  it("names the Markdown of each page in its head", async () => {
    for (const file of PAGES) {
      const html = await readFile(path.join(DIST, `${file}.html`), "utf8");
      expect(html).toContain(`<link rel="alternate" type="text/markdown" href="${BASE}${file}.md">`);
    }
  });
});

describe(`the site in a browser${because(noBrowser)}`, { skip: noBrowser !== null }, () => {
  it("shows the report of the demo on its first page, which sends less than 400 kB without it", async () => {
    site.sent.clear();
    const { page } = await open();
    await show(page, "index");
    const report = page.frameLocator("iframe.report");
    await page.locator("iframe.report").scrollIntoViewIfNeeded();
    await report.getByText("support (2026-06-29) is worse than support (2026-06-22)").first().waitFor();
    const sent = [...site.sent].filter(([name]) => !name.endsWith("/demo-report.html"));
    expect(sent.length).toBeGreaterThan(3);
    expect(sent.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(400_000);
  });

  const looks = [
    ...LOOKED_AT.map((file) => [file, "light"] as const),
    ...IN_THE_DARK.map((file) => [file, "dark"] as const),
  ];
  it.each(looks)("axe finds nothing on %s, %s", async (file, colorScheme) => {
    const { page } = await open({ colorScheme });
    await show(page, file);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it.each(LOOKED_AT)("%s fits into 400 pixels", async (file) => {
    const { page } = await open({ viewport: { width: 400, height: 800 } });
    await show(page, file);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(400);
  });

  it("opens every page from its list without an error, a dead link or a request to another host", async () => {
    const { page } = await open();
    const answers: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) answers.push(`${response.status()} ${response.url()}`);
    });
    const links = new Set<string>();
    for (const file of PAGES) {
      await show(page, file);
      expect(await page.locator("main h1").count()).toBe(1);
      for (const link of await linksOn(page)) links.add(link);
    }
    expect(answers).toEqual([]);
    expect(links.size).toBeGreaterThan(PAGES.length);
    expect(await deadOf([...links])).toEqual([]);
  });

  it("finds words in its pages without a service", async () => {
    const { page } = await open();
    await show(page, "index");
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill("certificate of a judge");
    await page.getByRole("option").first().click();
    await page.locator("main").getByText("certificate").first().waitFor();
    expect(page.url()).toMatch(/\/(?:statistics|cli)\.html#/);
  });
});
