import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";

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
