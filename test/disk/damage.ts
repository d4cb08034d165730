import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { openEngine } from "../../src/index.ts";
import { saveBlocks } from "../../src/duckdb/file/saved-blocks.ts";
import { runOn } from "../support/duckdb.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

/** Where the blocks of a file begin, and how long one is. */
export const BLOCKS_START = 12_288;
export const BLOCK_BYTES = 65_536;

export const REQUEST = { evaluation_call_ids: ["e"], include_summary: true };

/** Loads these trials one source after another; answers the path of a file with `logged` of them in its log alone. */
export async function loggedFile(stored: number, logged: number): Promise<string> {
  const live = scratchPath();
  const first = await openEngine({ path: live, threads: 1 });
  await first.ingestCalls([root(), ...Array.from({ length: stored }, (_, i) => numbered(i))]);
  await first.close();
  const engine = await openEngine({ path: live, threads: 1 });
  for (let i = stored; i < stored + logged; i++) await engine.ingestCalls([numbered(i)]);
  const copy = scratchPath();
  copyFileSync(live, copy);
  if (existsSync(`${live}.wal`)) copyFileSync(`${live}.wal`, `${copy}.wal`);
  await engine.close();
  return copy;
}

/** The n-th trial, of a row of its own. */
export function numbered(n: number, score = n / 8) {
  return trial(`t${n}`, { q: n }, { acc: score });
}

/** The ids of the trials that a file answers with, in order. */
export async function trialsOf(file: string): Promise<string[]> {
  const engine = await openEngine({ path: file, threads: 1 });
  try {
    const { rows } = await engine.queryEvalResults(PROJECT, REQUEST);
    const ids = rows.flatMap((row) =>
      row.evaluations.flatMap(({ trials }) => trials.map((one) => one.predict_and_score_call_id)),
    );
    return ids.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  } finally {
    await engine.close();
  }
}

export function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `t${i}`);
}

/** What a checkpoint copies before it begins; answers the numbers of the blocks. */
export async function copyBlocks(file: string): Promise<number[]> {
  const found = await runOn(file, "SELECT block_id::INTEGER FROM pragma_metadata_info()");
  const ids = found.map(([id]) => Number(id));
  const handle = await open(file, "r");
  await saveBlocks(file, handle, ids);
  await handle.close();
  return ids;
}

/** Changes bytes of a file. */
export function overwrite(file: string, start: number, bytes: Uint8Array): void {
  const content = readFileSync(file);
  content.set(bytes, start);
  writeFileSync(file, content);
}
