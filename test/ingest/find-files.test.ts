import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { findFiles } from "../../src/ingest/sources/find-files.ts";
import { scratchFolder } from "../support/scratch.ts";

/** Files below a folder of their own, and links: a name to where it leads. */
function folderWith(files: readonly string[], links: Readonly<Record<string, string>> = {}): string {
  const folder = scratchFolder();
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), "");
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(folder, name));
  return folder;
}

async function found(folder: string, pattern: string): Promise<string[]> {
  const files = await findFiles(path.join(folder, pattern));
  return files.map((file) => path.relative(folder, file));
}

it.each([
  ["*", ["a.ndjson"]],
  ["*.ndjson", ["a.ndjson"]],
  ["*/*.ndjson", ["b/c.ndjson"]],
  ["b/?.ndjson", ["b/c.ndjson"]],
  ["b/[!d].ndjson", ["b/c.ndjson"]],
  ["**", ["a.ndjson", "b/c.ndjson", "b/d/e.ndjson"]],
  ["**/*.ndjson", ["a.ndjson", "b/c.ndjson", "b/d/e.ndjson"]],
  ["**/d/*", ["b/d/e.ndjson"]],
  ["**/**/e.*", ["b/d/e.ndjson"]],
])("%s finds %j, by names", async (pattern, expected) => {
  const folder = folderWith([
    "b/d/e.ndjson",
    "b/c.ndjson",
    "a.ndjson",
    "_notes/x.ndjson",
    "b/.y.ndjson",
    "node_modules/p/z.ndjson",
  ]);
  expect(await found(folder, pattern)).toEqual(expected);
});

it.each([
  ["a[x!]b.ndjson", ["a!b.ndjson", "axb.ndjson"]],
  ["a[!x]b.ndjson", ["a!b.ndjson", "a]b.ndjson", "a^b.ndjson"]],
  ["a[!]b.ndjson", ["a!b.ndjson"]],
  ["a[]]b.ndjson", ["a]b.ndjson"]],
  ["a[x^]b.ndjson", ["a^b.ndjson", "axb.ndjson"]],
])("%s takes a set of characters letter by letter", async (pattern, expected) => {
  const folder = folderWith(["a!b.ndjson", "a^b.ndjson", "a]b.ndjson", "axb.ndjson"]);
  expect(await found(folder, pattern)).toEqual(expected);
});

it("a set whose range is in the wrong order is refused in words", async () => {
  await expect(findFiles(path.join(folderWith([]), "a[z-a]"))).rejects.toMatchObject({
    code: "no_source",
    message: "a[z-a]: a set has a range in the wrong order, or does not end",
  });
});

it("pipes are left out, and links to nothing do not keep a folder's files from being found", async () => {
  const folder = folderWith(["a.ndjson"], { "old-run": "/nowhere", self: "self" });
  execFileSync("mkfifo", [path.join(folder, "pipe.ndjson")]);
  expect(await found(folder, ".")).toEqual(["a.ndjson"]);
});

it("a folder's files stand where the folder's name does", async () => {
  const folder = folderWith(["a/z.ndjson", "a.ndjson", "a-b.ndjson"]);
  expect(await found(folder, ".")).toEqual(["a/z.ndjson", "a-b.ndjson", "a.ndjson"]);
});

it("a link that leads back to a folder above it is not followed", async () => {
  const folder = folderWith(["a/b.ndjson"], { "a/up": "..", "a/self": "." });
  expect(await found(folder, ".")).toEqual(["a/b.ndjson"]);
  expect(await found(folder, "**/b.ndjson")).toEqual(["a/b.ndjson"]);
});

it("a pattern does not look into folders that hold no match", async () => {
  const folder = folderWith(["a/b.ndjson", "c/d.ndjson"], { "c/e": "e" });
  expect(await found(folder, "a/*.ndjson")).toEqual(["a/b.ndjson"]);
  expect(await found(folder, "*/b*")).toEqual(["a/b.ndjson"]);
});
