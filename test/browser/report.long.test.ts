import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
let folder = "";
const files = new Map<string, string>();

/** Three evaluations of 40 rows, with two trials a row, and a few failures and gaps. */
function* plainCalls() {
  for (const [e, id] of ["first", "second", "third"].entries()) {
    yield root(id, { display_name: `model ${id}` });
    for (let i = 0; i < 80; i++) {
      const good = (i * 7 + e * 13) % 10 < 7 - 2 * e;
      const scores = { correct: good, judge: { points: (i % 9) + e } };
      yield trial(`${id}-${i}`, { question: `what is ${i % 40}?` }, i % 30 === 29 ? {} : scores, {
        parent_id: id,
      });
    }
  }
}

const manyScores = (good: boolean) =>
  Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`score ${i}`, good || i % 2 === 0]));

/** Two evaluations of two rows with 1,000 dimensions. */
function* wideCalls() {
  for (const id of ["left", "right"]) {
    yield root(id);
    for (const i of [0, 1])
      yield trial(`${id}-${i}`, { question: `what is ${i}?` }, manyScores(i === 0), { parent_id: id });
  }
}

const LONG = "𝒳".repeat(3000);

function* hostileCalls() {
  for (const [e, id] of ["a", "b"].entries()) {
    yield root(id, { display_name: `<img src=x onerror=alert(${e})>\u202e\u200b</script><b>` });
    for (const [i, text] of hostileTexts.entries())
      yield trial(
        `${id}-${i}`,
        { question: text, [text]: "<script>alert(1)</script>" },
        { [text]: i % 3 === e },
        {
          parent_id: id,
          output: {
            output: `</script><script>alert(2)</script>${text}`,
            scores: { "<b>": i % 3 === e, [LONG]: true },
          },
        },
      );
  }
}

async function save(name: string, calls: Iterable<object>): Promise<void> {
  const engine = await openEngine();
  await engine.ingestCalls(Array.from(calls));
  const file = path.join(folder, `${name}.html`);
  await writeFile(file, await renderReport(engine, PROJECT, {}));
  await engine.close();
  files.set(name, pathToFileURL(file).href);
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "evalcube-report-"));
  await save("plain", plainCalls());
  await save("hostile", hostileCalls());
  await save("wide", wideCalls());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fileOf = (name: string) => files.get(name) ?? "";

describe.skipIf(noBrowser !== null)(`a report in a browser${because(noBrowser)}`, () => {
  it("shows the whole page with scripts off, and no control that does nothing", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await page.goto(fileOf("plain"));
    for (const name of [
      "Conclusion",
      "Leaderboard",
      "Several trials",
      "All scores",
      "Missing and failed trials",
    ])
      await page.getByRole("region", { name, exact: true }).waitFor();
    expect(await page.getByRole("table", { name: "Leaderboard", exact: true }).getByRole("row").count()).toBe(
      4,
    );
    expect(await page.getByRole("button", { name: "Theme" }).isVisible()).toBe(false);
  });

  it("turns to another score, and sorts its leaderboard", async () => {
    const { page } = await open();
    await page.goto(fileOf("plain"));
    await page.getByRole("combobox", { name: "Score" }).selectOption("judge.points");
    await page
      .getByRole("heading", { name: "Distribution of judge.points" })
      .or(page.getByText("in judge.points"))
      .first()
      .waitFor();
    const table = page.getByRole("table", { name: "Leaderboard", exact: true });
    const names = () => table.getByRole("rowheader").allInnerTexts();
    await table.getByRole("button", { name: "Evaluation" }).click();
    expect(await names()).toEqual(["model first", "model second", "model third"]);
    await table.getByRole("button", { name: "Evaluation" }).click();
    expect(await names()).toEqual(["model third", "model second", "model first"]);
    const sorted = table.getByRole("columnheader", { name: "Evaluation" });
    expect(await sorted.getAttribute("aria-sort")).toBe("descending");
  });

  it("tells the shares and the numbers of trials beside the curves of several trials", async () => {
    const { page } = await open();
    await page.goto(fileOf("plain"));
    const figure = page.getByRole("region", { name: "Several trials" }).getByRole("figure").first();
    for (const tick of ["0%", "50%", "100%", "1", "2"]) {
      const label = figure.getByText(tick, { exact: true });
      expect(await label.isVisible()).toBe(true);
      const [inner, outer] = [await label.boundingBox(), await figure.boundingBox()];
      expect(inner?.x).toBeGreaterThanOrEqual(outer?.x ?? 0);
      expect((inner?.y ?? 0) + (inner?.height ?? 0)).toBeLessThanOrEqual(
        (outer?.y ?? 0) + (outer?.height ?? 0),
      );
    }
  });

  it("turns from light to dark by its button", async () => {
    const { page } = await open({ colorScheme: "light" });
    await page.goto(fileOf("plain"));
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: "Theme" }).click();
    expect(await ground()).not.toBe(light);
    await page.getByRole("button", { name: "Theme" }).click();
    expect(await ground()).toBe(light);
  });

  it.each(["light", "dark"] as const)("has nothing that axe objects to, %s", async (colorScheme) => {
    const { page } = await open({ colorScheme });
    await page.goto(fileOf("plain"));
    await page.getByRole("button", { name: "Theme" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it.each([false, true])(
    "shows 30 of 1,000 scores, and finds the others, scripts %s",
    async (javaScriptEnabled) => {
      const { page } = await open({ javaScriptEnabled });
      await page.goto(fileOf("wide"));
      const scores = page.getByRole("region", { name: "All scores", exact: true });
      await scores.getByText("30 of 1,000 scores").waitFor();
      const heads = scores.getByRole("table", { name: "All scores" }).getByRole("columnheader");
      expect(await heads.count()).toBe(31);
      if (!javaScriptEnabled) return;
      await page.getByRole("button", { name: "Theme" }).waitFor();
      await scores.getByRole("searchbox", { name: "Find a score" }).fill("SCORE 99");
      await expect.poll(() => heads.count()).toBe(12);
      expect(await heads.nth(1).innerText()).toBe("score 99");
      await scores.getByText("11 of 1,000 scores").waitFor();
    },
  );

  it("fits on 320 pixels, and prints", async () => {
    const { page } = await open({ viewport: { width: 320, height: 700 } });
    await page.goto(fileOf("plain"));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("combobox", { name: "Score" }).isVisible()).toBe(false);
  });

  it("shows hostile names as text, and frames what cannot be seen", async () => {
    const { page } = await open();
    await page.goto(fileOf("hostile"));
    await page.getByRole("button", { name: "Theme" }).waitFor();
    expect(await page.getByRole("img", { name: /alert/ }).count()).toBe(0);
    expect(await page.getByText("U+202E").count()).toBeGreaterThan(0);
    expect(await page.getByText("<img src=x onerror=alert").count()).toBeGreaterThan(0);
    expect(await page.evaluate(() => document.scripts.length)).toBe(3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
  });
});

it.skipIf(noBrowser !== null)("finds an image from elsewhere, which the policy refuses", async () => {
  const { page, faults } = await open();
  await page.goto(fileOf("plain"));
  await page.evaluate(() => {
    const image = document.createElement("img");
    image.src = "https://example.com/x.png";
    document.body.append(image);
  });
  await expect.poll(() => faults.length).toBeGreaterThan(0);
  (faults as string[]).length = 0;
});
