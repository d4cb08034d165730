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

/** Where a picture of a page lies: the package has none, so its pages name those of the repository by their address. */
export function pictureOf(page: string, source: string): string {
  const name = /^https:\/\/raw\.githubusercontent\.com\/evalcube\/evalcube\/main\/docs\/(.+)$/.exec(
    source,
  )?.[1];
  if (name === undefined) return source;
  if (!existsSync(path.join(ROOT, "docs", name)))
    throw new Error(`docs/${page}: there is no picture ${name}`);
  const way = path.posix.relative(path.posix.dirname(page), name);
  return way.startsWith(".") ? way : `./${way}`;
}

/** What is used here of a token of markdown-it. */
interface Token {
  readonly type: string;
  tag: string;
  readonly content: string;
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

/**
 * Adds to markdown-it: links to what is no page, pictures of the repository, tables that can be scrolled with the keyboard,
 * and no heading where one has no text.
 */
export function linkRule(md: Markdown): void {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const page = env.relativePath ?? "index.md";
    for (const token of tokens.flatMap((one) => one.children ?? [])) {
      change(token, "link_open", "href", (target) => targetOf(page, target));
      change(token, "image", "src", (source) => pictureOf(page, source));
    }
    for (const [at, token] of tokens.entries()) {
      if (token.type === "table_open") token.attrSet("tabindex", "0");
      if (token.type === "th_open" && tokens[at + 1]?.content === "")
        for (const one of [token, tokens[at + 2]]) if (one !== undefined) one.tag = "td";
    }
  });
}

function change(token: Token, type: string, name: string, to: (value: string) => string): void {
  const value = token.type === type ? token.attrGet(name) : null;
  if (value !== null) token.attrSet(name, to(value));
}
