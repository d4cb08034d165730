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
    ["concepts", "Concepts", "what calls must look like, and how trials and rows are found in them"],
    ["logging", "Logging", "running evaluations from your own code: evaluate, loggers, resuming"],
    ["runners", "Runners", "storing what Vitest, vitest-evals and evalite run"],
    ["loading", "Loading", "files, folders, Parquet, Arrow, streams; what happens to a bad record"],
    ["importing", "Importing", "logs of evaluation tools, exports and tables, as they are"],
    ["report", "Reports", "one HTML file that shows and compares evaluations"],
    ["ci", "CI", "what a pull request is told: baselines, gates, what cannot be compared"],
    ["agents", "Agents", "coding agents ask: is it better, on which rows, what was said there"],
    ["weave", "From W&B Weave", "logging with its SDKs into evalcube"],
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
  Comparison: [["comparison", "Comparison", "what other tools do better, and what evalcube does"]],
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
    link: linkOf(text === "Guide" ? "concepts" : (first?.[0] ?? "index")),
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
