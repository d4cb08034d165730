import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FORMATS } from "../../src/ingest/sources/formats.ts";

const root = new URL("../../", import.meta.url);

function pages(): string {
  const docs = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"));
  const files = ["README.md", ...docs.map((name) => `docs/${name}`)];
  return files.map((file) => readFileSync(new URL(file, root), "utf8")).join("\n");
}

it.each(FORMATS.flatMap(({ name, endings }) => endings.map((ending) => [name, ending] as const)))(
  "the documentation names the ending of %s files %s",
  (_name, ending) => {
    expect(pages()).toContain(`\`${/\.(?:gz|zst)$/.exec(ending)?.[0] ?? ending}\``);
  },
);
