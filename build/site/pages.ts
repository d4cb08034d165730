import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));

/** Pages that neither the package nor the site has: notes for who works on evalcube. */
export const LEFT_OUT = ["benchmarks.md", "duckdb-reports.md"];

/** A page: its file below `docs` without the ending, what it is called in lists, and what it holds. */
type Page = readonly [file: string, title: string, holds: string];

/** Pages that are made of what the program itself says. */
export const GENERATED: readonly Page[] = [
  ["reference/library", "Library, every export", "every export of the package and its subpaths, with types"],
  ["reference/command", "Command, every option", "the help of every command, as it prints it"],
  ["reference/http", "HTTP, every endpoint", "every endpoint of the service, from its OpenAPI description"],
  ["reference/views", "SQL, every column", "every view of a project and its columns"],
];

/** All pages, by section, in the order of the site. */
export const SECTIONS: Readonly<Record<string, readonly Page[]>> = {
  Guide: [
    ["index", "evalcube", "what it is, a report, three commands, and four questions with their answers"],
    ["guide/first-day", "The first day", "from nothing to your own results, and the first answer"],
    [
      "guide/second-day",
      "The second day",
      "a score is lower: is it chance, where does it come from, does it last",
    ],
    ["guide/third-day", "The third day", "a job that compares every change with a baseline, and fails"],
    ["what-can-i-do-with", "What can I do with…", "from what somebody has to the command"],
    ["concepts", "Concepts", "what calls must look like, and how trials and rows are found in them"],
    ["logging", "Logging", "running evaluations from your own code: evaluate, loggers, resuming"],
    ["runners", "Runners", "storing what Vitest, vitest-evals and evalite run"],
    ["loading", "Loading", "files, folders, Parquet, Arrow, streams; what happens to a bad record"],
    ["importing", "Importing", "logs of evaluation tools, exports and tables, as they are"],
    ["report", "Reports", "one HTML file that shows and compares evaluations"],
    ["ci", "CI", "what a pull request is told: baselines, gates, what cannot be compared"],
    ["agents-runs", "Runs of agents", "which tool fails, who loops, why it stopped, what a success cost"],
    ["agents", "Agents", "coding agents ask: is it better, on which rows, what was said there"],
    ["weave", "From W&B Weave", "logging with its SDKs into evalcube"],
  ],
  Recipes: [
    ["recipes", "All recipes", "one task each, on one screen"],
    ["recipes/pull-request-gate", "A gate on a pull request", "a job that fails where a score got worse"],
    ["recipes/two-prompts", "Which of two prompts", "two runs over the same rows, compared"],
    ["recipes/nightly-history", "A nightly history", "since when a score is worse, and whether it lasts"],
    ["recipes/ten-attempts", "Ten attempts of an agent", "pass@k and pass^k of several attempts a task"],
    [
      "recipes/judge-against-people",
      "A judge against people",
      "how far a judge agrees, and what corrects it",
    ],
    ["recipes/own-csv", "One's own CSV", "a table with any columns"],
    ["recipes/notebook", "A notebook", "the database from DuckDB and pandas"],
    ["recipes/node-service", "Embedded in a Node service", "the library and its handler in a server"],
    ["recipes/hundred-thousand", "A hundred thousand trials", "loading many trials, asking for a page"],
    ["recipes/several-people", "Several people", "one service, a key for each"],
    ["recipes/from-weave", "From Weave", "programs of W&B Weave's SDKs, and what they logged before"],
    ["recipes/from-promptfoo", "From promptfoo", "its results, imported and compared"],
    ["recipes/from-inspect", "From Inspect", "a folder of its logs, imported"],
    ["recipes/from-lm-eval", "From lm-evaluation-harness", "results with their samples, imported"],
  ],
  Reference: [
    ["requests", "Requests", "every member and operator; scores computed from scores"],
    ["reference", "Library", "every member of the library"],
    ["cli", "Command", "every command, formats, exit statuses"],
    ["service", "Service", "the HTTP endpoints, keys, the model servers behind it"],
    ["sql", "SQL", "one SELECT over the views of a project"],
    ["tables", "Tables", "results as Arrow, Parquet, CSV and JSON"],
    ["other-programs", "From other programs", "the file from Python, DuckDB's client, notebooks"],
    ["errors", "Errors", "every error code, and what to do"],
    ...GENERATED,
  ],
  Statistics: [
    ["statistics", "Statistics", "intervals, comparisons, pass^k, agreement, and when to believe which"],
  ],
  Operations: [
    ["operations", "Operations", "crashes, power cuts, backups, memory, threads, Windows, limits"],
    ["scale-out", "Scale-out", "a database on ClickHouse instead of a file"],
  ],
  Comparison: [
    ["comparison", "Comparison", "what other tools do better, and what evalcube does"],
    [
      "boards",
      "Public boards",
      "published results of agents, with intervals, ranks, and what one more run would change",
    ],
  ],
};

/** Whether a path below `docs` is a page of the site. */
export function isPage(file: string): boolean {
  if (!file.endsWith(".md") || file.startsWith("..") || file.startsWith("site/") || LEFT_OUT.includes(file))
    return false;
  return existsSync(path.join(DOCS, file)) || GENERATED.some(([name]) => `${name}.md` === file);
}

const linkOf = (file: string) => (file === "index" ? "/" : `/${file}.html`);

/** The sections at the top: each leads to its first page. */
export function navigation() {
  return Object.entries(SECTIONS).map(([text, [first]]) => ({
    text,
    link: linkOf(text === "Guide" ? "guide/first-day" : (first?.[0] ?? "index")),
  }));
}

/** All pages, at the side. */
export function sidebar() {
  return Object.entries(SECTIONS).map(([text, pages]) => ({
    text,
    items: pages
      .filter(([file]) => file !== "index")
      .map(([file, title]) => ({ text: title, link: linkOf(file) })),
  }));
}
