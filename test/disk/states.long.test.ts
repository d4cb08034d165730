import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { applyOperation } from "../slow/disk/apply.ts";
import { checkState } from "../slow/disk/check-state.ts";
import { openDisk, type Cut, type Disk } from "../slow/disk/disk.ts";
import { expectedAfterEach } from "../slow/disk/expected.ts";
import { readFolder } from "../slow/disk/folders.ts";
import { operationWriter } from "../slow/disk/operations.ts";
import { buildRecorder, recordedEnvironment, recorderMissing } from "../slow/disk/toolchain.ts";
import { readTrace, type Entry } from "../slow/disk/trace.ts";
import { runOn } from "../support/duckdb.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";

const SEED = Number(process.env["SEED"] ?? 99);

/** Changes files in all ways that the recorder knows. */
const PROGRAM = `
  const fs = require("node:fs");
  const at = (name) => process.argv[1] + "/" + name;
  fs.appendFileSync(at("old"), "more");
  fs.writeFileSync(at("a"), "x".repeat(5000));
  const file = fs.openSync(at("a"), "r+");
  fs.writeSync(file, "inside", 100);
  fs.writevSync(file, [Buffer.from("one"), Buffer.from("two")], 4998);
  fs.fsyncSync(file);
  fs.ftruncateSync(file, 3000);
  fs.closeSync(file);
  fs.copyFileSync(at("a"), at("b"));
  fs.renameSync(at("b"), at("c"));
  fs.linkSync(at("c"), at("d"));
  fs.rmSync(at("a"));
  fs.mkdirSync(at("below"));
  fs.writeFileSync(at("below/e"), "below");
  fs.promises.copyFile(at("c"), at("f")).then(() => fs.writeFileSync(at("f"), "short"));
`;

describe("a recorded process", () => {
  it("leaves the files that its trace tells of", ({ skip }) => {
    const missing = recorderMissing();
    skip(missing !== null, missing ?? "");
    const scratch = realpathSync(scratchFolder());
    const folder = path.join(scratch, "files");
    const trace = path.join(scratch, "trace");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "old"), "old");
    const before = readFolder(folder);
    const env = recordedEnvironment(buildRecorder(scratch), folder, trace);
    expect(spawnSync(process.execPath, ["-e", PROGRAM, folder], { env }).status).toBe(0);
    const disk = openDisk(before);
    for (const entry of readTrace(trace)) disk.apply(entry);
    const found = readFolder(folder);
    expect([...found.keys()].toSorted()).toEqual(["below/e", "c", "d", "f", "old"]);
    expect(disk.afterKill()).toEqual(new Map(Array.from(found, ([name, { bytes }]) => [name, bytes])));
  });
});

const entry = (operation: Entry["operation"], others: Partial<Entry>): Entry => ({
  operation,
  inode: 1,
  offset: 0,
  length: 0,
  name: "a",
  other: "",
  data: Buffer.alloc(0),
  ...others,
});
const write = (offset: number, letter: string, length: number) =>
  entry("write", { offset, data: Buffer.alloc(length, letter) });

/** Files and their contents when the power is cut after these entries. */
const after = (entries: readonly Entry[], cut: Omit<Cut, "seed">, seed = 1) => {
  const disk: Disk = openDisk(new Map());
  for (const one of entries) disk.apply(one);
  const files = disk.afterCut({ ...cut, seed });
  return Object.fromEntries(Array.from(files, ([name, bytes]) => [name, bytes.toString("latin1")]));
};

describe("a power cut", () => {
  const synced = [entry("open", { offset: 1 }), write(0, "s", 1024), entry("sync", {})];
  it("keeps what was synced, and of later writes all, none or the last", () => {
    const entries = [...synced, write(0, "x", 512), write(1024, "y", 512)];
    const [s, x, y] = ["s", "x", "y"].map((letter) => letter.repeat(512));
    expect(after(entries, { writes: "none", names: "none" })).toEqual({ a: `${s}${s}` });
    expect(after(entries, { writes: "all", names: "none" })).toEqual({ a: `${x}${s}${y}` });
    expect(after(entries, { writes: "last", names: "none" })).toEqual({ a: `${s}${s}${y}` });
  });

  it("keeps or loses each sector of a write for itself", () => {
    const seeds = Array.from({ length: 40 }, (_, i) => i);
    const found = seeds.map((seed) =>
      after([...synced, write(0, "x", 1024)], { writes: "half", names: "all" }, seed),
    );
    const sectors = found.map(
      ({ a = "" }) => `${a.slice(0, 512).replace(/^(.)\1*$/, "$1")}${a.slice(512).replace(/^(.)\1*$/, "$1")}`,
    );
    expect(new Set(sectors)).toEqual(new Set(["ss", "sx", "xs", "xx"]));
  });

  it("loses new names that no sync has reached, and keeps those of synced files", () => {
    const renamed = [...synced, entry("rename", { other: "b" })];
    expect(Object.keys(after(renamed, { writes: "all", names: "none" }))).toEqual(["a"]);
    expect(Object.keys(after(renamed, { writes: "all", names: "all" }))).toEqual(["b"]);
    const later = [...renamed, entry("sync-folder", { name: "" })];
    expect(Object.keys(after(later, { writes: "all", names: "none" }))).toEqual(["b"]);
    expect(
      after([entry("open", { offset: 1 }), write(0, "x", 512)], { writes: "all", names: "none" }),
    ).toEqual({});
  });
});

const X = {
  kind: "calls",
  records: [{ id: "x", project_id: "acme/qa", op_name: "step", started_at: "2026-01-01T00:00:00Z" }],
} as const;

describe(`the check of a database (SEED=${SEED})`, () => {
  const operations = operationWriter(seededRandom(SEED))(4, {
    evaluation: 1,
    update: 2,
    late: 2,
    feedback: 1,
  });

  it.each([
    ["a call that is there twice", "INSERT INTO calls FROM calls LIMIT 1", /calls: several records/],
    [
      "a trial that is missing",
      "DELETE FROM trials WHERE trial_key = (SELECT min(trial_key) FROM trials)",
      /scores: trial_key/,
    ],
    [
      "a score that is missing",
      "DELETE FROM scores WHERE rowid = (SELECT min(rowid) FROM scores)",
      /scores: 1 missing/,
    ],
    [
      "an earlier version of a call",
      "UPDATE calls SET record = replace(record, 'step', 'spet') WHERE id = 'x'",
      /call_records: 1/,
    ],
  ])("finds %s", async (_what, statement, problem) => {
    const file = scratchPath();
    const expected = await expectedAfterEach([...operations, X]);
    const engine = await openEngine({ path: file, threads: 1 });
    for (const operation of [...operations, X]) await applyOperation(engine, operation);
    await engine.close();
    await runOn(file, statement);
    const { problems, prefix } = await checkState(file, expected, 5, 5);
    expect(problems.join("\n")).toMatch(problem);
    expect(prefix).toBeNull();
  });

  it("accepts the operations that were acknowledged and the one that was under way, no others", async () => {
    const file = scratchPath();
    const expected = await expectedAfterEach(operations);
    const engine = await openEngine({ path: file, threads: 1 });
    for (const operation of operations.slice(0, 3)) await applyOperation(engine, operation);
    await engine.close();
    expect(await checkState(file, expected, 2, 3)).toEqual({ problems: [], prefix: 3 });
    expect((await checkState(file, expected, 3, 4)).problems).not.toEqual([]);
  });
});
