import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { accessibilityFaults, noBrowser, useBrowser } from "../support/browser.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const open = useBrowser();
const SOON = { timeout: 20_000 };
let folder = "";
let engine: Engine;
const ROWS = 300;
const LONG = "word ".repeat(5000);

/** Three evaluations of 300 rows, two trials a row in the third; row 7 has long outputs, row 9 was not run in the second. */
function* calls() {
  for (const [e, id] of ["first", "second", "third"].entries()) {
    yield root(id, { display_name: `model ${id}` });
    for (let i = 0; i < ROWS; i++) {
      if (i === 9 && e === 1) continue;
      for (let k = 0; k <= (e === 2 ? 1 : 0); k++) {
        const correct = (i * 7 + e * 13 + k * i) % 10 < 7 - 2 * e;
        const answer = `The question is ${i}. The answer is ${i * e}.`;
        const output = i === 7 ? { text: LONG, e } : answer;
        yield trial(
          `${id}-${i}-${k}`,
          { id: i, question: `What is ${i}?` },
          {},
          {
            parent_id: id,
            output: { output, scores: i === 11 ? {} : { correct, judge: { points: i % 9 } } },
          },
        );
      }
    }
  }
}

function* hostileCalls() {
  for (const [e, id] of ["a", "b", "c"].entries()) {
    yield root(id, { display_name: `<img src=x onerror=alert(${e})>\u202e` });
    for (const [i, text] of hostileTexts.entries())
      yield trial(
        `${id}-${i}`,
        { question: text, [text]: "<script>alert(1)</script>" },
        {},
        {
          parent_id: id,
          exception: text === "" ? null : text,
          output: {
            output: { [text]: `</script><script>alert(2)</script>${text}` },
            scores: { "<b>": i % 3 === e, [`t${text}`]: text },
          },
        },
      );
  }
}

async function save(name: string, records: Iterable<object>, options: object): Promise<Engine> {
  const made = await openEngine();
  await made.ingestCalls(Array.from(records));
  await writeFile(path.join(folder, name), await renderReport(made, PROJECT, options));
  return made;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "evalcube-rows-"));
  engine = await save("plain.html", calls(), { scorers: ["correct", "judge"], baseline: "first" });
  await (await save("hostile.html", hostileCalls(), {})).close();
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

async function report(
  fragment = "",
  name = "plain.html",
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { page } = await open(options);
  await page.goto(`${pathToFileURL(path.join(folder, name)).href}${fragment}`);
  await page.getByRole("table", { name: "Rows", exact: true }).waitFor();
  return page;
}

const table = (page: Page) => page.getByRole("table", { name: "Rows", exact: true });
const status = (page: Page) => page.getByRole("status").innerText();
const firstInputs = async (page: Page) =>
  (await table(page).getByRole("row").nth(1).getByRole("cell").nth(1).innerText()).trim();

/** Digests in the order of a request. */
async function asked(request: object): Promise<{ readonly inputs: string[]; readonly total: number }> {
  const { rows, total_rows: total } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["first", "second", "third"],
    include_raw_data_rows: true,
    ...request,
  });
  const inputs = rows.map(({ raw_data_row: row }) => (row as { question: string }).question);
  return { inputs, total };
}

describe.skipIf(noBrowser !== null)(`the rows of a report${because(noBrowser)}`, () => {
  it("come in the order of the library, and have their places", async () => {
    const page = await report();
    const { inputs } = await asked({
      sort_by: [
        { field: "scores.correct", mode: "difference", direction: "desc" },
        { field: "scores.correct" },
      ],
    });
    expect(await table(page).getAttribute("aria-rowcount")).toBe(String(ROWS + 1));
    const rows = table(page).getByRole("row");
    expect(await rows.count()).toBeLessThan(80);
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [row.ariaRowIndex, row.children[1]?.textContent]),
    );
    expect(shown.slice(1)).toEqual(
      inputs.slice(0, shown.length - 1).map((input, i) => [String(i + 2), input]),
    );
    expect(await status(page)).toBe(`${ROWS} of ${ROWS} rows`);
  });

  it("say of every cell what the library says", async () => {
    const page = await report("#order=stored");
    const { rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["first", "second", "third"],
      limit: 20,
    });
    const expected = rows.map(({ evaluations }) =>
      ["first", "second", "third"].map((id) => {
        const trials = evaluations.find((one) => one.evaluation_call_id === id)?.trials;
        if (trials === undefined) return "not run";
        const values = trials.flatMap(({ scores }) => scores["correct"] ?? []);
        if (values.length === 0) return "no value";
        const share = values.filter((value) => value === true).length / values.length;
        return share === 1 ? "pass" : share === 0 ? "fail" : "50.0%";
      }),
    );
    const cells = await table(page)
      .getByRole("row")
      .evaluateAll((all) =>
        all
          .slice(1, 21)
          .map((row) =>
            [...row.children]
              .slice(2, 5)
              .map((cell) => cell.firstElementChild?.ariaLabel ?? cell.textContent),
          ),
      );
    expect(cells).toEqual(expected);
  });

  it("are those that are searched and shown, and are told in the address", async () => {
    const page = await report();
    await page.getByRole("searchbox", { name: "Search" }).fill("ANSWER is 12");
    const says12 = Array.from({ length: ROWS }, (_, i) => i).filter(
      (i) => i !== 7 && [i * 2, ...(i === 9 ? [] : [i])].some((said) => String(said).startsWith("12")),
    );
    await expect.poll(() => status(page), SOON).toBe(`${says12.length} of ${ROWS} rows`);
    await page.getByRole("searchbox", { name: "Search" }).fill("");
    await expect.poll(() => status(page), SOON).toBe(`${ROWS} of ${ROWS} rows`);
    for (const [value, direction] of [
      ["rows where one is better than the baseline", "up"],
      ["rows where one is worse than the baseline", "down"],
      ["rows that differ", "any"],
    ] as const) {
      await page.getByRole("combobox", { name: "Show" }).selectOption(value);
      const { total } = await asked({
        moved: { field: "scores.correct", ...(direction === "any" ? {} : { baseline: "first" }), direction },
      });
      await expect.poll(() => status(page), SOON).toBe(`${total} of ${ROWS} rows`);
    }
    await page.getByRole("combobox", { name: "Show" }).selectOption("rows with a value missing");
    await expect.poll(() => status(page), SOON).toBe(`2 of ${ROWS} rows`);
    await page.getByRole("combobox", { name: "Order" }).selectOption("lowest mean first");
    expect(new URL(page.url()).hash).toBe("#show=missing&order=mean");
    await page.reload();
    await expect.poll(() => status(page), SOON).toBe(`2 of ${ROWS} rows`);
    expect(await page.getByRole("combobox", { name: "Order" }).inputValue()).toBe("mean");
  });

  it("are sorted by the head of a column", async () => {
    const page = await report();
    const head = table(page).getByRole("columnheader", { name: /^model second/ });
    for (const [sort, direction] of [
      ["descending", "desc"],
      ["ascending", "asc"],
    ] as const) {
      await head.getByRole("button").click();
      await expect.poll(() => head.getAttribute("aria-sort"), SOON).toBe(sort);
      const { inputs } = await asked({
        sort_by: [{ field: "scores.correct", direction, evaluation_call_id: "second" }],
      });
      await expect.poll(() => firstInputs(page), SOON).toBe(inputs[0]);
    }
  });

  it("are reached by the keyboard, and opened; Back closes", async () => {
    const page = await report();
    await page.keyboard.press("j");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await expect.poll(focused, SOON).toBe("Open row 1");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused, SOON).toBe("Open row 3");
    await page.keyboard.press("k");
    await expect.poll(focused, SOON).toBe("Open row 2");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Row / });
    await dialog.waitFor();
    await page.keyboard.press("n");
    await expect.poll(() => new URL(page.url()).hash, SOON).toMatch(/^#row=/);
    await page.keyboard.press("p");
    await page.keyboard.press("n");
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(focused, SOON).toBe("Open row 3");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("jk?");
    await expect.poll(() => status(page), SOON).toBe(`0 of ${ROWS} rows`);
  });

  it("scroll to the last one with a few elements", async () => {
    const page = await report("#order=stored");
    await table(page).evaluate((element) => {
      const box = element.closest(".rows-box");
      box?.scrollTo({ top: box.scrollHeight });
    });
    await table(page)
      .getByRole("button", { name: `Open row ${ROWS}`, exact: true })
      .waitFor();
    expect(await table(page).getByRole("row").count()).toBeLessThan(80);
    const { inputs } = await asked({ limit: 1, offset: ROWS - 1 });
    expect(await table(page).getByRole("row").last().getByRole("cell").nth(1).innerText()).toBe(inputs[0]);
  });
});

async function opened(search: string): Promise<Page> {
  const page = await report(`#search=${encodeURIComponent(search)}`);
  await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
  await page.getByRole("dialog").getByRole("region", { name: "Input" }).waitFor();
  return page;
}

describe.skipIf(noBrowser !== null)(`one row of a report${because(noBrowser)}`, () => {
  it("has its input, all evaluations, and two answers with their differences marked", async () => {
    const page = await opened("what is 12?");
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("region", { name: "Input" }).innerText()).toContain(
      "question: What is 12?",
    );
    await dialog
      .getByRole("list", { name: "All evaluations" })
      .getByRole("button", { name: "model second" })
      .click();
    const right = dialog.getByRole("region", { name: "Output of model second" });
    expect(await right.getByRole("insertion").allInnerTexts()).toEqual(["12"]);
    expect(await dialog.getByRole("deletion").allInnerTexts()).toEqual(["0"]);
    expect(new URL(page.url()).hash).toContain("with=second");
    await page.keyboard.press("d");
    expect(await dialog.getByRole("insertion").count()).toBe(0);
    expect(await dialog.getByRole("checkbox", { name: "Mark differences of the outputs" }).isChecked()).toBe(
      false,
    );
  });

  it("has the trials of an evaluation one by one", async () => {
    const page = await opened("what is 13?");
    const dialog = page.getByRole("dialog");
    await dialog
      .getByRole("list", { name: "All evaluations" })
      .getByRole("button", { name: "model third" })
      .click();
    const trials = dialog.getByRole("group", { name: "Trials" });
    expect(await trials.getByRole("button").allInnerTexts()).toEqual(["Trial 1", "Trial 2"]);
    await trials.getByRole("button", { name: "Trial 2" }).click();
    expect(await trials.getByRole("button", { name: "Trial 2" }).getAttribute("aria-pressed")).toBe("true");
  });

  it("shows long texts to a point, and a value as it is stored", async () => {
    const page = await opened("what is 7?");
    const output = page.getByRole("region", { name: "Output of model first" });
    expect((await output.innerText()).length).toBeLessThan(21_000);
    await output.getByRole("button", { name: /^Show all 25,\d+ characters$/ }).click();
    expect((await output.innerText()).length).toBeGreaterThan(24_000);
    const input = page.getByRole("region", { name: "Input" });
    await input.getByRole("button", { name: "As stored" }).click();
    expect(await input.innerText()).toContain('{"id":7,"question":"What is 7?"}');
  });

  it.each(["light", "dark"] as const)(
    "is found by its address, and has nothing that axe objects to, %s",
    async (colorScheme) => {
      const page = await opened("what is 14?");
      const address = `${new URL(page.url()).hash}&with=third`;
      const again = await report(address, "plain.html", { colorScheme });
      const dialog = again.getByRole("dialog");
      await dialog.getByRole("region", { name: "Input" }).getByText("What is 14?").waitFor();
      await dialog.getByRole("insertion").first().waitFor();
      await dialog.getByRole("heading", { name: "Input", level: 3 }).waitFor();
      expect(await accessibilityFaults(again)).toEqual([]);
    },
  );
});

describe.skipIf(noBrowser !== null)(`an address that names nothing${because(noBrowser)}`, () => {
  it("shows what it would without, and says so", async () => {
    const page = await report("#scorer=gone&order=evaluation:nope&row=abc&with=nobody");
    await page.getByText("The address names a row that is not here.").waitFor();
    await page.getByText("members that name nothing here: nope, nobody, gone.").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.getByRole("combobox", { name: "Order" }).inputValue()).toBe("difference");
    await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
    await page.getByRole("dialog").getByRole("region", { name: "Input" }).waitFor();
  });
});

describe.skipIf(noBrowser !== null)(`an address that asks for another report${because(noBrowser)}`, () => {
  it("shows the report there is, and says what only a view can show", async () => {
    const page = await report("#project=acme%2Fother&evaluation=nobody&baseline=nobody&filters=%5B%5D");
    await page.getByText("which only a view can show: project, evaluation, baseline.").waitFor();
    expect(await page.getByRole("status").innerText()).toMatch(/^([\d,]+) of \1 rows$/);
  });
});

describe.skipIf(noBrowser !== null)(`rows of hostile strings${because(noBrowser)}`, () => {
  it("are text, in the table and in the dialog of each", async () => {
    const page = await report("", "hostile.html");
    await table(page).getByRole("button", { name: "Open row 1", exact: true }).click();
    for (let i = 0; i < hostileTexts.length - 1; i++) {
      await page.getByRole("dialog").getByRole("region", { name: "Input" }).waitFor();
      await page.keyboard.press("n");
    }
    expect(await page.evaluate(() => [document.scripts.length, document.images.length])).toEqual([3, 0]);
  });
});
