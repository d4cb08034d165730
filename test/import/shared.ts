import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT } from "./imports.ts";

/** An engine for the tests of a file; it closes after them. */
export async function sharedEngine(): Promise<Engine> {
  const engine = await openEngine();
  afterAll(() => engine.close());
  return engine;
}

/** Makes new folders for the tests of a file; they go after them. */
export function newFolders(): () => string {
  const base = mkdtempSync(path.join(tmpdir(), "evalcube-import-"));
  afterAll(() => rmSync(base, { recursive: true }));
  return () => mkdtempSync(path.join(base, "run-"));
}

/** Imports a folder, and a copy of it from elsewhere, which changes nothing; answers what the first import did. */
export async function importedTwice(engine: Engine, folder: string, copy: string) {
  const first = await engine.importEvaluations(folder, { project: PROJECT });
  cpSync(folder, copy, { recursive: true });
  const again = await engine.importEvaluations(copy, { project: PROJECT });
  expect(again.map(({ stored, unchanged }) => [stored, unchanged])).toEqual(
    first.map(({ received }) => [0, received]),
  );
  return first;
}
