import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HALF_CHANGES } from "./half-changes.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const copy = mkdtempSync(path.join(tmpdir(), "evalcube-halves-"));
const at = (file: string) => path.join(copy, "src", file);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The lines of what the compiler says, all changes made at once: they meet in no file but descriptions of replies. */
let said: readonly string[] = [];

beforeAll(() => {
  cpSync(path.join(ROOT, "src"), path.join(copy, "src"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json"]) cpSync(path.join(ROOT, name), path.join(copy, name));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  for (const { file, find, replace, name } of HALF_CHANGES) {
    const text = readFileSync(at(file), "utf8");
    if (text.split(find).length !== 2) throw new Error(`${file} has not one place for ${name}`);
    writeFileSync(at(file), text.replace(find, replace));
  }
  const own = { extends: "./tsconfig.json", include: ["src"] };
  writeFileSync(path.join(copy, "own.json"), JSON.stringify(own));
  const program = path.join(ROOT, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(program, ["-p", "own.json", "--pretty", "false"], {
    cwd: copy,
    encoding: "utf8",
  });
  said = stdout.split("\n");
});

describe("half of a change is an error of the compiler, where the other half is missing", () => {
  it.each(HALF_CHANGES)("$name", ({ noticed, says }) => {
    for (const file of noticed)
      expect(said.filter((line) => line.startsWith(`src/${file}(`) && line.includes(says))).not.toEqual([]);
  });

  it("of a tree as it is none is told", () => {
    const planted = new Set(
      HALF_CHANGES.flatMap(({ file, noticed, also = [] }) => [file, ...noticed, ...also]),
    );
    const others = said.filter(
      (line) => line.startsWith("src/") && ![...planted].some((one) => line.startsWith(`src/${one}(`)),
    );
    expect(others).toEqual([]);
  });
});
