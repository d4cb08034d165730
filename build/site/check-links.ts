import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { slugOf } from "./anchors.ts";
import { REPOSITORY } from "./links.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The targets of a text, what it loads, and where in it one can lead. */
interface Parsed {
  readonly targets: readonly string[];
  readonly loaded: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

function parsedHtml(text: string): Parsed {
  const shown = text.replaceAll(
    /<script\b[^>]*>.*?<\/script>/gs,
    (script) => /^<script\b[^>]*>/.exec(script)?.[0] ?? "",
  );
  const found = (pattern: RegExp) =>
    Array.from(shown.matchAll(pattern), ([, value = ""]) => value.replaceAll("&amp;", "&"));
  const loaded = [
    /\ssrc="([^"]*)"/g,
    /<link\b(?![^>]*\brel="(?:alternate|canonical)")[^>]*\shref="([^"]*)"/g,
  ];
  return {
    targets: found(/\s(?:href|src)="([^"]*)"/g),
    loaded: loaded.flatMap(found),
    anchors: new Set(found(/\sid="([^"]*)"/g)),
  };
}

function parsedMarkdown(text: string): Parsed {
  const prose = text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "");
  const headings = Array.from(text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm), ([, one = ""]) =>
    slugOf(one),
  );
  return {
    targets: Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target),
    loaded: [],
    anchors: new Set(headings),
  };
}

const parsed = (name: string, text: string) =>
  name.endsWith(".html") ? parsedHtml(text) : parsedMarkdown(text);

/**
 * What leads nowhere in a folder of built pages that lie at `base`: links between pages with their anchors, files, and
 * addresses of files of the repository. Links to other places are not followed; what a page loads from one is told.
 */
export async function deadLinks(folder: string, base: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll(path.sep, "/"));
  const pages = names.filter((name) => /\.(?:html|md|txt)$/.test(name) && name !== "demo-report.html");
  const known = new Map<string, Parsed>();
  for (const name of pages) known.set(name, parsed(name, await readFile(path.join(folder, name), "utf8")));
  const files = new Set(names);
  return [...known].flatMap(([page, { targets, loaded }]) => {
    const dead = targets.filter((target) => isDead(page, target, { base, files, known }));
    return [...dead, ...loaded.filter(isElsewhere)].map((target) => `${page}: ${target}`);
  });
}

/** Whether an address names another host, or another way of asking than the page's. */
const isElsewhere = (target: string) =>
  /^(?:[a-z][a-z+.-]*:|\/\/)/.test(target) && !target.startsWith("data:");

interface Site {
  readonly base: string;
  readonly files: ReadonlySet<string>;
  readonly known: ReadonlyMap<string, Parsed>;
}

function isDead(page: string, target: string, { base, files, known }: Site): boolean {
  const inRepository = new RegExp(`^${REPOSITORY}/(?:blob|tree)/(?:main|v[\\d.]+)/([^#]+)`).exec(target)?.[1];
  if (inRepository !== undefined) return !existsSync(path.join(ROOT, inRepository));
  if (isElsewhere(target) || target.startsWith("data:")) return false;
  const [file = "", anchor] = target.split("#");
  if (file.startsWith("/") && !file.startsWith(base)) return true;
  const name = nameOf(page, file, base);
  if (!files.has(name)) return true;
  if (anchor === undefined || anchor === "") return false;
  return known.get(name)?.anchors.has(decodeURIComponent(anchor)) !== true;
}

function nameOf(page: string, file: string, base: string): string {
  if (file === "") return page;
  const name = file.startsWith("/")
    ? file.slice(base.length)
    : path.posix.join(path.posix.dirname(page), file);
  return name === "" || name.endsWith("/") || name === "." ? path.posix.join(name, "index.html") : name;
}
