import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
/** What no checkout has. */
const OTHERS = new Set(["node_modules", ".git", "dist", "coverage"]);

/** Files and folders of the repository, with forward slashes. */
function namesBelow(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !OTHERS.has(name))
    .flatMap((entry) => {
      const name = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? [name, ...namesBelow(name)] : [name];
    });
}

/** Why a path cannot be checked out on Windows; null where it can. */
function fault(name: string): string | null {
  if (name.length > 180) return "is too long";
  const parts = name.split("/");
  if (parts.some((part) => /[<>:"\\|?*]/.test(part))) return "has a character that Windows refuses";
  if (parts.some((part) => /[. ]$/.test(part))) return "ends in a dot or a blank";
  return parts.some((part) => /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(part)) ? "is reserved" : null;
}

/** Pairs of names that are one on systems which do not tell case. */
function alike(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  return names.filter((name) => {
    const key = name.toLowerCase();
    const isAlike = seen.has(key) && seen.get(key) !== name;
    seen.set(key, name);
    return isAlike;
  });
}

it("every file of the repository has a name that all systems take", () => {
  const names = namesBelow(".");
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter((name) => fault(name) !== null)).toEqual([]);
  expect(alike(names)).toEqual([]);
});

it.each([
  ["a:b", "has a character that Windows refuses"],
  ["a/b?", "has a character that Windows refuses"],
  ["a./b", "ends in a dot or a blank"],
  ["a/b ", "ends in a dot or a blank"],
  ["a/NUL.txt", "is reserved"],
  ["con", "is reserved"],
  ["a".repeat(181), "is too long"],
  ["console.ts", null],
])("a checker of names knows %s", (name, expected) => {
  expect(fault(name)).toBe(expected);
});

it("a checker of names tells those that differ in case alone", () => {
  expect(alike(["a/B", "a/b", "c"])).toEqual(["a/b"]);
});
