import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openEngine, StoreError, type StoreWarning } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { refusal } from "../support/refusal.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";
import { PROJECT } from "../support/records.ts";
import {
  BLOCK_BYTES,
  BLOCKS_START,
  copyBlocks,
  loggedFile,
  names,
  numbered,
  overwrite,
  trialsOf,
} from "./damage.ts";

/** Names and bytes of everything beside a file, it too. */
function contents(file: string): Record<string, string> {
  const folder = path.dirname(file);
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "base64")]),
  );
}

async function refusedUntouched(file: string, readOnly = false) {
  const before = contents(file);
  const error = await refusal(openEngine({ path: file, readOnly }));
  expect(error).toBeInstanceOf(StoreError);
  expect(contents(file)).toEqual(before);
  return error;
}

const half = new Uint8Array(BLOCK_BYTES / 2).fill(0xa5);

/** Tears every block that a checkpoint could have been writing. */
function tear(file: string, ids: readonly number[]): void {
  for (const id of ids) overwrite(file, BLOCKS_START + id * BLOCK_BYTES + BLOCK_BYTES / 2, half);
}

describe("a checkpoint that a power cut tore", () => {
  it("is undone on opening, and the log brings what it had", async () => {
    const file = await loggedFile(3, 2);
    const log = readFileSync(`${file}.wal`);
    renameSync(`${file}.wal`, `${file}.kept`);
    const ids = await copyBlocks(file);
    writeFileSync(`${file}.wal`, log);
    expect(ids.length).toBeGreaterThan(0);
    tear(file, ids);
    expect(await trialsOf(file)).toEqual(names(5));
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual(["evals.duckdb", "evals.duckdb.kept"]);
  });

  it("is undone where it tore a header", async () => {
    const file = await loggedFile(3, 0);
    await copyBlocks(file);
    overwrite(file, 4096 + 8, new Uint8Array(512).fill(0xff));
    overwrite(file, 8192 + 8, new Uint8Array(512).fill(0xff));
    expect(await trialsOf(file)).toEqual(names(3));
  });

  it("is not undone for a reader, who learns what to do", async () => {
    const file = await loggedFile(3, 0);
    tear(file, await copyBlocks(file));
    const error = await refusedUntouched(file, true);
    expect(error).toMatchObject({ code: "needs_recovery" });
    expect(error.message).toMatch(/open it once without readOnly/);
  });

  it.each([0, 100, 5000])("is undone beside a lock of which a power cut left %i bytes", async (length) => {
    const file = await loggedFile(3, 0);
    tear(file, await copyBlocks(file));
    writeFileSync(`${file}.recovery`, readFileSync(file).subarray(0, length));
    expect(await trialsOf(file)).toEqual(names(3));
    expect(readdirSync(path.dirname(file))).toEqual(["evals.duckdb"]);
  });

  it("cannot be undone without the copies: the file is damaged, not locked", async () => {
    const file = await loggedFile(3, 0);
    const ids = await copyBlocks(file);
    tear(file, ids);
    renameSync(`${file}.blocks`, path.join(scratchFolder(), "blocks"));
    const error = await refusedUntouched(file);
    expect(error).toMatchObject({ code: "damaged_database" });
    expect(error.message).toMatch(/block at location \d+/);
  });

  it("leaves copies that are of no use once it has ended", async () => {
    const file = await loggedFile(3, 0);
    await copyBlocks(file);
    const copies = readFileSync(`${file}.blocks`);
    const engine = await openEngine({ path: file, threads: 1 });
    await engine.ingestCalls([numbered(3)]);
    await engine.close();
    writeFileSync(`${file}.blocks`, copies);
    expect(await trialsOf(file)).toEqual(names(4));
    expect(existsSync(`${file}.blocks`)).toBe(false);
  });

  it.each([0, 10, 5000])("does not begin before its copies are whole (%i bytes of them)", async (length) => {
    const file = await loggedFile(3, 0);
    await copyBlocks(file);
    writeFileSync(`${file}.blocks`, readFileSync(`${file}.blocks`).subarray(0, length));
    expect(await trialsOf(file)).toEqual(names(3));
    expect(existsSync(`${file}.blocks`)).toBe(false);
  });
});

describe("a log whose last transaction was not written as a whole", () => {
  const SECTOR = 512;

  /** How a power cut may leave the last transaction. */
  const damages: [string, (log: Buffer, start: number) => Buffer][] = [
    ["its first sector is missing", (log, start) => log.fill(0, start + 16, start + 16 + SECTOR)],
    [
      "its middle is missing",
      (log, start) => log.fill(0, (start + log.length) >> 1, ((start + log.length) >> 1) + SECTOR),
    ],
    ["its end is missing", (log) => log.fill(0, log.length - 100)],
    ["its end was cut off", (log) => log.subarray(0, log.length - 30)],
    ["zeros follow", (log) => Buffer.concat([log, Buffer.alloc(3 * SECTOR)])],
  ];

  it.each(damages)("is read up to there: %s", async (name, damage) => {
    const file = await loggedFile(2, 2);
    const before = readFileSync(`${file}.wal`);
    const start = before.lastIndexOf(Buffer.from("640064ffff", "hex"), before.length - 30) + 5;
    const damaged = damage(Buffer.from(before), start);
    writeFileSync(`${file}.wal`, damaged);
    const warnings: StoreWarning[] = [];
    const engine = await openEngine({ path: file, threads: 1, onWarning: (one) => void warnings.push(one) });
    await engine.close();
    expect(await trialsOf(file)).toEqual(names(name === "zeros follow" ? 4 : 3));
    const kept = readdirSync(path.dirname(file)).filter((one) => one.includes(".wal.damaged-"));
    // DuckDB leaves out a log's end that is shorter than it says, without a word.
    const silent = name === "its end was cut off";
    const said: unknown = expect.stringMatching(/its \d+ bytes were left out/);
    expect(warnings).toEqual(silent ? [] : [{ code: "log_cut", message: said }]);
    expect(kept.map((one) => readFileSync(path.join(path.dirname(file), one)).equals(damaged))).toEqual(
      silent ? [] : [true],
    );
  });

  it("is not cut for a reader, who learns what to do", async () => {
    const file = await loggedFile(2, 1);
    const log = readFileSync(`${file}.wal`);
    writeFileSync(`${file}.wal`, log.fill(0, log.length - 100));
    const error = await refusedUntouched(file, true);
    expect(error).toMatchObject({ code: "needs_recovery" });
  });
});

it("a log that lost its beginning is left as it is where transactions follow, else kept beside and left out", async () => {
  const whole = await loggedFile(2, 3);
  overwrite(`${whole}.wal`, 0, new Uint8Array(512));
  expect(await refusedUntouched(whole)).toMatchObject({ code: "damaged_database" });

  const first = await loggedFile(2, 1);
  overwrite(`${first}.wal`, 0, new Uint8Array(512));
  expect(await trialsOf(first)).toEqual(names(2));
  expect(readdirSync(path.dirname(first)).some((name) => name.includes(".wal.damaged-"))).toBe(true);
});

it("a log that is damaged before whole transactions is left as it is: they would be lost", async () => {
  const file = await loggedFile(2, 3);
  const log = readFileSync(`${file}.wal`);
  const first = log.indexOf(Buffer.from("640064ffff", "hex"));
  overwrite(`${file}.wal`, first - 600, new Uint8Array(64));
  const error = await refusedUntouched(file);
  expect(error).toMatchObject({ code: "damaged_database" });
});

describe("a file that is made", () => {
  it("has no other name when it is there", async () => {
    const file = scratchPath();
    expect(await trialsOf(file)).toEqual([]);
    expect(readdirSync(path.dirname(file))).toEqual(["evals.duckdb"]);
  });

  it("takes the place of an empty one", async () => {
    const file = scratchPath();
    writeFileSync(file, "");
    expect(await trialsOf(file)).toEqual([]);
  });

  it("is refused where there is a folder", async () => {
    const file = scratchPath();
    mkdirSync(file);
    const error = await refusal(openEngine({ path: file }));
    expect(error).toMatchObject({ code: "foreign_database" });
    expect(error.message).toMatch(/name a file/);
  });

  it("has one index of DuckDB's, which is made anew where a log was replayed", async () => {
    const file = await loggedFile(1, 0);
    expect(await runOn(file, "SELECT table_name FROM duckdb_indexes()")).toEqual([["trials"]]);
  });
});

it("a byte that changed is told when it is read, with the place", async () => {
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls(Array.from({ length: 3000 }, (_, i) => numbered(i)));
  await engine.close();
  const [[block] = []] = await runOn(
    file,
    "SELECT min(block_id)::INTEGER FROM pragma_storage_info('trials') WHERE column_name = 'output' AND segment_type = 'VARCHAR'",
  );
  overwrite(file, BLOCKS_START + Number(block) * BLOCK_BYTES + 5000, Uint8Array.of(0x5a, 0xa5));
  const opened = await openEngine({ path: file, threads: 1 });
  const error = await refusal(opened.queryEvalResults(PROJECT, { evaluation_call_ids: ["e"] }));
  await opened.close();
  expect(error).toMatchObject({ code: "damaged_database" });
  expect(error.message).toMatch(/block at location \d+/);
});
