import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { openEngine, type Engine, type EngineOptions } from "../../src/index.ts";

/** A new folder that goes with the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "evalcube-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A path for a database that is not there yet, in a folder that goes with the test. */
export function scratchPath(name = "evals.duckdb"): string {
  return path.join(scratchFolder(), name);
}

/** An engine that closes with the test. */
export async function scratchEngine(options: EngineOptions = {}): Promise<Engine> {
  const engine = await openEngine({ threads: 1, ...options });
  onTestFinished(() => engine.close());
  return engine;
}
