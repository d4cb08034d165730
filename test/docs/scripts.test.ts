import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PAGES, readPage, ROOT } from "./pages.ts";

const PAGES_WITH_SCRIPTS = [...PAGES, "bench/README.md"];

it.each(PAGES_WITH_SCRIPTS)("%s names only scripts that there are", (page) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const named = [...readPage(page).matchAll(/npm (?:(test)\b|run (?:--silent )?([a-z:]+))/g)];
  const missing = named
    .map(([, test, run]) => test ?? run ?? "")
    .filter((name) => !Object.hasOwn(scripts, name));
  expect(missing).toEqual([]);
});
