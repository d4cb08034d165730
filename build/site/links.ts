import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isPage } from "./pages.ts";

const ROOT = path.join(import.meta.dirname, "../..");
export const REPOSITORY = "https://github.com/evalcube/evalcube";

/** The tag of this version. */
function tag(): string {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    version: string;
  };
  return `v${version}`;
}

/**
 * Where a link of a page leads on the site: as it is to another page, and for what is no page to the file in the
 * repository, at the tag. Throws where there is no such file.
 */
export function targetOf(page: string, target: string): string {
  if (/^(?:#|[a-z][a-z+.-]*:)/.test(target)) return target;
  const [file = "", anchor] = target.split("#");
  const inDocs = path.posix.join(path.posix.dirname(page), decodeURIComponent(file));
  if (isPage(inDocs)) return target;
  const inRepository = path.posix.join("docs", inDocs);
  if (inRepository.startsWith("..") || !existsSync(path.join(ROOT, inRepository)))
    throw new Error(`docs/${page}: ${target} leads nowhere`);
  return `${REPOSITORY}/blob/${tag()}/${inRepository}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** What is used here of a token of markdown-it. */
interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface State {
  readonly tokens: readonly Token[];
  readonly env: { readonly relativePath?: string };
}

interface Markdown {
  readonly core: { readonly ruler: { push(name: string, rule: (state: State) => void): void } };
}

/** Adds to markdown-it: links to what is no page, and what scrolls can be reached with the keyboard. */
export function linkRule(md: Markdown): void {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    for (const token of tokens.flatMap((one) => one.children ?? [])) {
      const target = token.type === "link_open" ? token.attrGet("href") : null;
      if (target !== null) token.attrSet("href", targetOf(env.relativePath ?? "index.md", target));
    }
    for (const token of tokens) if (token.type === "table_open") token.attrSet("tabindex", "0");
  });
}
