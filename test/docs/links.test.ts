import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsOf, linksIn, ROOT } from "./pages.ts";

const FOLDERS = ["docs", "skills", "src", "bench", "test", "sql"];

/** Every Markdown file of the repository. */
const FILES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !/^site|\[page\]/.test(name))
      .map((name) => join(folder, name)),
  ),
];

/** Files that the package does not have are linked by their address. */
const OWN_ADDRESS =
  /^https:\/\/(?:github\.com\/evalcube\/evalcube\/(?:blob|tree)|raw\.githubusercontent\.com\/evalcube\/evalcube)\/main\/(.+)$/;

/** What is wrong with a link, or null. */
function fault(file: string, target: string): string | null {
  const inRepository = OWN_ADDRESS.exec(target)?.[1];
  if (inRepository === undefined && /^[a-z]+:/.test(target)) return null;
  const [name = "", anchor] = (inRepository ?? target).split("#");
  const folder = inRepository === undefined ? dirname(file) : "";
  const found = name === "" ? join(ROOT, file) : join(ROOT, folder, name);
  if (relative(ROOT, found).startsWith("..") || !existsSync(found)) return `${target}: no such file`;
  if (anchor === undefined || statSync(found).isDirectory()) return null;
  return anchorsOf(readFileSync(found, "utf8")).includes(anchor) ? null : `${target}: no such heading`;
}

describe("links", () => {
  it.each(FILES)("of %s lead somewhere", (file) => {
    const faults = linksIn(readFileSync(join(ROOT, file), "utf8")).map((target) => fault(file, target));
    expect(faults.filter((one) => one !== null)).toEqual([]);
  });
});

describe("files in backticks", () => {
  const PATH = /`((?:src|docs|bench|sql|test)\/[\w./-]+)`/g;
  it.each(FILES)("of %s are there", (file) => {
    const named = [...readFileSync(join(ROOT, file), "utf8").matchAll(PATH)].map(([, path = ""]) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
