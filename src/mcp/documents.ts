import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

/** Pages of the package that a client can read, by the end of their address. */
const PAGES = {
  agents: { file: "docs/agents.md", title: "Agents: connecting, and what they can read" },
  concepts: { file: "docs/concepts.md", title: "Concepts: evaluations, rows, trials, scores" },
  requests: { file: "docs/requests.md", title: "Requests: filters, sort keys, summaries" },
  statistics: {
    file: "docs/statistics.md",
    title: "Statistics: intervals, tests, and when to believe which",
  },
  sql: { file: "docs/sql.md", title: "SQL: the views and their columns" },
  skill: { file: "docs/agents/SKILL.md", title: "Skill: which tool for which question" },
} as const;

const BASE = "evalcube://docs/";
const MARKDOWN = "text/markdown";

export function listDocuments() {
  return Object.entries(PAGES).map(([name, { title }]) => ({
    uri: `${BASE}${name}`,
    name,
    title,
    mimeType: MARKDOWN,
  }));
}

/** The text of a page; null where the address is none of them. */
export async function readDocument(uri: string): Promise<string | null> {
  const page = Object.entries(PAGES).find(([name]) => uri === `${BASE}${name}`)?.[1];
  return page === undefined ? null : await readFile(path.join(packageRoot(), page.file), "utf8");
}

/** The folder of the package: the nearest one above this file that has the pages. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, PAGES.skill.file))) {
    const above = path.dirname(folder);
    if (above === folder) throw new Error("the pages of the package are not beside it");
    folder = above;
  }
  return folder;
}
