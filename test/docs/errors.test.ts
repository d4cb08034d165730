import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codesIn, readPage, ROOT, tableWith } from "./pages.ts";

const page = readPage("docs/errors.md");
const sourceOf = (folder: string) =>
  readdirSync(join(ROOT, "src", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(ROOT, "src", folder, name), "utf8"))
    .join("\n");

const ofLibrary = codesOf(["code", "class", "when", "what to do"]);
const ofService = codesOf(["code", "status", "when", "what to do"]);

function codesOf(head: readonly string[]): string[] {
  return tableWith(page, head).flatMap(([cell = ""]) => codesIn(cell));
}

function found(text: string, ...patterns: readonly RegExp[]): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, code = ""]) => code));
}

it("the page of errors names every code that the library throws", () => {
  const thrown = found(
    sourceOf(""),
    /new (?:EvalcubeError|StoreError)\(\s*"(\w+)"/g,
    /extends (?:EvalcubeError|StoreError) \{[^}]*super\(\s*"(\w+)"/g,
    /\bend\("(\w+)"/g,
  );
  const ofDuckdb = found(sourceOf("duckdb"), /\bcode: "(\w+)",\n\s+advice:/g);
  const told = [...thrown, ...ofDuckdb].filter((code) => !ofLibrary.includes(code));
  expect(told).toEqual([]);
  expect(thrown.length).toBeGreaterThan(30);
  expect(ofDuckdb.length).toBeGreaterThan(5);
});

it("the page of errors names every code that the service answers", () => {
  const answered = found(
    ["http", "inference"].map(sourceOf).join("\n"),
    /new HttpError\(\s*\d+,\s*"(\w+)"/g,
    /super\(\s*\d+,\s*"(\w+)"/g,
    /\bcode: "(\w+)"/g,
  );
  expect(answered.filter((code) => !ofService.includes(code))).toEqual([]);
  expect(answered.length).toBeGreaterThan(15);
});

it("the page of errors names no code that is nowhere in the sources", () => {
  const all = sourceOf("");
  expect([...ofLibrary, ...ofService].filter((code) => !all.includes(`"${code}"`))).toEqual([]);
});
