import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { scratchPath } from "../support/scratch.ts";
import { blocksOf, codesIn, linksIn, readPage, ROOT, tableWith } from "./pages.ts";

const RECIPES = [
  "pull-request-gate",
  "two-prompts",
  "nightly-history",
  "ten-attempts",
  "judge-against-people",
  "own-csv",
  "notebook",
  "node-service",
  "hundred-thousand",
  "several-people",
  "from-weave",
  "from-promptfoo",
  "from-inspect",
  "from-lm-eval",
];

it("the page of recipes lists each of them, in the order in which people ask", () => {
  const listed = tableWith(readPage("docs/recipes.md"), ["recipe", "what it does"]).flatMap(([cell = ""]) =>
    linksIn(cell),
  );
  expect(listed).toEqual(RECIPES.map((name) => `recipes/${name}.md`));
  const files = readdirSync(join(ROOT, "docs/recipes")).map((name) => name.replace(/\.md$/, ""));
  expect(files.toSorted()).toEqual(RECIPES.toSorted());
});

it.each(RECIPES)("the recipe %s is one screen, is tried, and leads on", (name) => {
  const text = readPage(`docs/recipes/${name}.md`);
  expect(text.split("\n").length - 1).toBeLessThanOrEqual(60);
  expect(text.match(/^# /gm)).toHaveLength(1);
  const tried = blocksOf(text).filter(({ notRun, language }) => notRun === null && language !== "text");
  expect(tried.length).toBeGreaterThan(0);
  expect(linksIn(text).length).toBeGreaterThan(0);
});

/** Without Python: what the statement of the notebook answers has the means of the table below it. */
it("the notebook's statement gives the table that it shows", async () => {
  const path = scratchPath();
  const engine = await openEngine({ path });
  await engine.ingestCalls(join(ROOT, "docs/examples/calls.ndjson"));
  await engine.close();
  const blocks = blocksOf(readPage("docs/recipes/notebook.md"));
  const { code = "", output } = blocks.find(({ language }) => language === "python") ?? {};
  const [, statement = ""] = /con\.sql\("""([^]*?)"""\)/.exec(code) ?? [];
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(
    `select question, evaluation, avg(correct::int) as mean from (${statement}) where correct is not null group by all`,
  );
  const means = read
    .getRowObjects()
    .map(({ question, evaluation, mean }) => `${String(question)} ${String(evaluation)} ${String(mean)}`);
  connection.closeSync();
  instance.closeSync();
  const [head = "", , ...lines] = output?.trimEnd().split("\n") ?? [];
  const [, ...evaluations] = head.split(/ {2,}/);
  const shown = lines.flatMap((line) => {
    const [question = "", ...figures] = line.split(/ {2,}/);
    return figures.map((figure, at) => `${question} ${evaluations[at] ?? ""} ${Number(figure)}`);
  });
  expect(shown.length).toBeGreaterThan(4);
  expect(means.toSorted()).toEqual(shown.toSorted());
});

it("the page of what one has says each of the ways in and out", () => {
  const lines = tableWith(readPage("docs/what-can-i-do-with.md"), ["I have", "command", "more"]);
  const commands = lines.flatMap(([, cell = ""]) => codesIn(cell)).join("\n");
  for (const name of ["demo", "import", "run", "serve", "compare", "leaderboard", "agreement", "plan", "ci"])
    expect(commands).toContain(`npx evalcube ${name}`);
  for (const [, , more = ""] of lines) expect(linksIn(more)).toHaveLength(1);
});
