import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler } from "../../src/http/handler.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { agentCalls, type Attempt } from "../steps/agent-calls.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { PROJECT } from "../support/records.ts";
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
  await engine.ingestCalls(agentCalls([...attempts()]));
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

    it("say where failing attempts leave passing ones", async () => {
      const page = await shown(where);
      const told = await engine.steps(PROJECT, { evaluation_call_ids: ["first"], view: "diff" });
      const totals = "totals" in told ? told.totals : null;
      expect(totals?.instead).toHaveLength(1);
      const [head, line] = await linesOf(page, "First difference");
      expect(head?.slice(0, 3)).toEqual(["Failing attempt", "Passing attempt", "Trials first"]);
      expect(line?.slice(0, 3)).toEqual(["search", "open", String(totals?.instead[0]?.trials)]);
      expect(await region(page).innerText()).toContain(
        "first: 27 failing attempts on 27 rows leave the passing attempt",
      );
    });
  },
);

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
