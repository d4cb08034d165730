import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A fenced block of a page. */
export interface Block {
  /** Of its first line, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** What the comment `<!-- not run: … -->` above the block gives as the reason. */
  readonly notRun: string | null;
  /** The `text` block that follows: what the example prints. */
  readonly output: string | null;
}

/** Pages whose examples run. */
export const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/guide", "docs/recipes"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** The fenced blocks of a page in order. */
export function blocksOf(text: string): Block[] {
  const fenced =
    /(?:^<!-- not run: (?<reason>[^>]+?) -->\n+)?^```(?<language>\w*)\n(?<code>.*?)^```\n(?:\n*^```text\n(?<output>.*?)^```\n)?/gms;
  return [...text.matchAll(fenced)].map(({ index, groups }) => ({
    line: text.slice(0, index).split("\n").length,
    language: groups?.["language"] ?? "",
    code: groups?.["code"] ?? "",
    notRun: groups?.["reason"] ?? null,
    output: groups?.["output"] ?? null,
  }));
}

/** The cells of every table whose head has these columns; backticks stay. */
export function tableWith(text: string, head: readonly string[]): string[][] {
  const tables = text.matchAll(/^\|(.*)\|\n\|[-| :]+\|\n((?:\|.*\|\n)+)/gm);
  return [...tables]
    .filter(([, names = ""]) => cells(names).join() === head.join())
    .flatMap(([, , lines = ""]) =>
      lines
        .trimEnd()
        .split("\n")
        .map((line) => cells(line.slice(1, -1))),
    );
}

function cells(line: string): string[] {
  return line.split("|").map((cell) => cell.trim());
}

/** What stands in backticks. */
export function codesIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** Links outside of code: their targets as they are written. */
export function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** The anchors of a page, as GitHub makes them of headings. */
export function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- ]/gu, "")
      .replaceAll(" ", "-"),
  );
}
