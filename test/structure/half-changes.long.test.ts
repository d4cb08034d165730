import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HALF_CHANGES, type HalfChange, TESTED_HALVES } from "./half-changes.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const copies: string[] = [];

afterAll(() => copies.forEach((copy) => rmSync(copy, { recursive: true, force: true })));

/** A copy of these files and folders of the repository in which changes were made. */
function planted(
  names: readonly string[],
  changes: readonly Pick<HalfChange, "name" | "file" | "find" | "replace">[],
): string {
  const copy = mkdtempSync(path.join(tmpdir(), "evalcube-halves-"));
  copies.push(copy);
  for (const name of names) cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  for (const { file, find, replace, name } of changes) {
    const text = readFileSync(path.join(copy, file), "utf8");
    if (text.split(find).length !== 2) throw new Error(`${file} has not one place for ${name}`);
    writeFileSync(
      path.join(copy, file),
      text.replace(find, () => replace),
    );
  }
  return copy;
}

/** The compiler takes half a minute of a processor that others may want. */
const PATIENCE_MS = 600_000;
const CONFIGURED = ["package.json", "tsconfig.json"];
const program = (name: string) => path.join(ROOT, "node_modules/.bin", name);

describe("half of a change is an error of the compiler, where the other half is missing", () => {
  /** The lines of what the compiler says, all changes made at once: they meet in no file but descriptions of replies. */
  let said: readonly string[] = [];

  beforeAll(() => {
    const changes = HALF_CHANGES.map((one) => ({ ...one, file: `src/${one.file}` }));
    const copy = planted(["src", ...CONFIGURED], changes);
    writeFileSync(
      path.join(copy, "own.json"),
      JSON.stringify({ extends: "./tsconfig.json", include: ["src"] }),
    );
    const { stdout } = spawnSync(program("tsc"), ["-p", "own.json", "--pretty", "false"], {
      cwd: copy,
      encoding: "utf8",
    });
    said = stdout.split("\n");
  }, PATIENCE_MS);

  it.each(HALF_CHANGES)("$name", ({ noticed, says }) => {
    for (const file of noticed)
      expect(said.filter((line) => line.startsWith(`src/${file}(`) && line.includes(says))).not.toEqual([]);
  });

  it("of a tree as it is none is told", () => {
    const touched = new Set(
      HALF_CHANGES.flatMap(({ file, noticed, also = [] }) => [file, ...noticed, ...also]),
    );
    const others = said.filter(
      (line) => line.startsWith("src/") && ![...touched].some((one) => line.startsWith(`src/${one}(`)),
    );
    expect(others).toEqual([]);
  });
});

/** What Vitest reports of a file, in JSON. */
interface Reported {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const FOLDERS = ["src", "test", "docs", "sql", "build"];
const PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const CONFIG = "export default { test: { testTimeout: 120_000, hookTimeout: 120_000, isolate: false } };\n";

describe("half of a change fails a test, where the other half is missing", () => {
  /** The names of tests by file, with whether they failed, all changes made at once. */
  const results = new Map<string, ReadonlyMap<string, boolean>>();

  beforeAll(() => {
    const copy = planted([...FOLDERS, ...PAGES, ...CONFIGURED], TESTED_HALVES);
    writeFileSync(path.join(copy, "own.config.mjs"), CONFIG);
    const files = [...new Set(TESTED_HALVES.map(({ test: [file] }) => file))];
    const report = path.join(copy, "report.json");
    const told = ["--reporter=json", `--outputFile=${report}`, "--config", "own.config.mjs"];
    spawnSync(program("vitest"), ["run", "--root", copy, ...told, ...files], {
      cwd: copy,
      env: { ...process.env, CI: "true" },
    });
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Reported;
    for (const { name, assertionResults } of testResults)
      results.set(
        path.relative(copy, name),
        new Map(assertionResults.map(({ fullName, status }) => [fullName, status === "failed"])),
      );
  }, PATIENCE_MS);

  it.each(TESTED_HALVES)("$name", ({ test: [file, name] }) => {
    const found = [...(results.get(file) ?? [])].filter(([full]) => full.startsWith(name));
    expect(found.map(([, hasFailed]) => hasFailed)).toEqual([true]);
  });

  it("and others pass in the copy", () => {
    const failed = [...results.values()].flatMap((tests) => [...tests.values()]);
    expect(failed.filter((hasFailed) => !hasFailed).length).toBeGreaterThan(failed.length / 2);
  });
});
