import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { targetOf } from "./links.ts";
import { SECTIONS } from "./pages.ts";

const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));
const GENERATED = path.join(DOCS, "site/.vitepress/cache/generated.json");

/** The text of a page, without what VitePress reads above it. */
export function textOf(page: string): string {
  const generated = JSON.parse(readFileSync(GENERATED, "utf8")) as Readonly<Record<string, string>>;
  const text = generated[page.replace(/\.md$/, "")] ?? readFileSync(path.join(DOCS, page), "utf8");
  return text.replace(/^---\n.*?\n---\n+/s, "");
}

/** The element of a page that names its Markdown. */
export function alternateOf(base: string, page: string) {
  if (page === "404.md") return [];
  return [["link", { rel: "alternate", type: "text/markdown", href: `${base}${page}` }]];
}

/** Markdown links outside of code, with their targets changed. */
function withLinks(text: string, change: (target: string) => string): string {
  return text
    .split(/(^```.*?^```$|`[^`\n]*`)/ms)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replaceAll(
            /(\]\()([^)\s]+)(\))/g,
            (_, a: string, target: string, b: string) => a + change(target) + b,
          ),
    )
    .join("");
}

/** Writes each page as Markdown beside its HTML, and the two files for agents: an index, and all pages in one. */
export async function writeTexts(
  { outDir, pages }: { readonly outDir: string; readonly pages: readonly string[] },
  base: string,
): Promise<void> {
  const listed = Object.values(SECTIONS).flatMap((section) => section.map(([file]) => `${file}.md`));
  const odd = [
    ...pages.filter((page) => !listed.includes(page)),
    ...listed.filter((page) => !pages.includes(page)),
  ];
  if (odd.length > 0) throw new Error(`build/site/pages.ts and the site differ in ${odd.join(", ")}`);
  const texts = new Map(
    listed.map((page) => [page, withLinks(textOf(page), (target) => targetOf(page, target))]),
  );
  for (const [page, text] of texts) {
    await mkdir(path.dirname(path.join(outDir, page)), { recursive: true });
    await writeFile(path.join(outDir, page), text);
  }
  await writeFile(path.join(outDir, "llms.txt"), indexOf(base));
  await writeFile(path.join(outDir, "llms-full.txt"), wholeOf(texts, base));
}

const SENTENCE =
  "Answers questions about evaluations of language models: which is better, on which rows, by how much, and is it more than chance; a TypeScript library, a command and a service on DuckDB and Arrow.";

function indexOf(base: string): string {
  const sections = Object.entries(SECTIONS).map(([name, pages]) => {
    const lines = pages.map(([file, title, holds]) => `- [${title}](${base}${file}.md): ${holds}`);
    return `## ${name}\n\n${lines.join("\n")}\n`;
  });
  return [`# evalcube\n\n> ${SENTENCE}\n`, ...sections].join("\n");
}

/** All pages one after the other; links lead to the Markdown of each. */
function wholeOf(texts: ReadonlyMap<string, string>, base: string): string {
  return [...texts]
    .map(([page, text]) => {
      const absolute = withLinks(text, (target) => {
        if (/^[a-z][a-z+.-]*:/.test(target)) return target;
        const [file = "", anchor] = target.split("#");
        const to = file === "" ? page : path.posix.join(path.posix.dirname(page), file);
        return `${base}${to}${anchor === undefined ? "" : `#${anchor}`}`;
      });
      return `<!-- ${base}${page} -->\n\n${absolute.trim()}\n`;
    })
    .join("\n\n");
}
