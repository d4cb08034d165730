import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

/** Titles of the pages of the package that a client can read, by the end of their address. */
const PAGES = {
  agents: "Agents: connecting, and what they can read",
  concepts: "Concepts: evaluations, rows, trials, scores",
  requests: "Requests: filters, sort keys, summaries",
  statistics: "Statistics: intervals, tests, and when to believe which",
  sql: "SQL: the views and their columns",
  skill: "Skill: which tool for which question",
};

const SKILL = "docs/agents/SKILL.md";

const BASE = "evalcube://docs/";
const MARKDOWN = "text/markdown";

export function listDocuments() {
  return Object.entries(PAGES).map(([name, title]) => ({
    uri: `${BASE}${name}`,
    name,
    title,
    mimeType: MARKDOWN,
  }));
}

/** The text of a page; null where the address is none of them. */
export async function readDocument(uri: string): Promise<string | null> {
  const name = Object.keys(PAGES).find((one) => uri === `${BASE}${one}`);
  if (name === undefined) return null;
  return await readFile(path.join(packageRoot(), name === "skill" ? SKILL : `docs/${name}.md`), "utf8");
}

/** The folder of the package: the nearest one above this file that has the pages. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, SKILL))) {
    const above = path.dirname(folder);
    if (above === folder) throw new Error("the pages of the package are not beside it");
    folder = above;
  }
  return folder;
}
