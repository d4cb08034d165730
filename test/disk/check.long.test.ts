import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openEngine, type CheckResult } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { runOn } from "../support/duckdb.ts";
import { call, PROJECT, root } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { BLOCK_BYTES, BLOCKS_START, loggedFile, numbered, overwrite } from "./damage.ts";

afterEach(() => void vi.unstubAllEnvs());

/** A file with something in the tables that belong together. */
async function makeFile(): Promise<string> {
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1 });
  const trials = Array.from({ length: 300 }, (_, i) => numbered(i));
  await engine.ingestCalls([root(), ...trials, call("other"), call("unread", { output: { a: [1] } })]);
  await engine.deleteCalls(PROJECT, ["t7"]);
  const feedback = {
    project_id: PROJECT,
    svc_ref: `svc:///${PROJECT}/call/t1`,
    feedback_type: "note",
    payload: {},
  };
  await engine.feedback.create(feedback, { userId: "user" });
  await engine.close();
  return file;
}

async function checked(file: string): Promise<CheckResult> {
  const engine = await openEngine({ path: file, threads: 1, readOnly: true });
  try {
    return await engine.check();
  } finally {
    await engine.close();
  }
}

it("a whole database has no problem, and every record is counted", async () => {
  const { tables, problems } = await checked(await makeFile());
  expect(problems).toEqual([]);
  const counts = Object.fromEntries(tables.map(({ name, records }) => [name, records]));
  expect(counts).toMatchObject({ calls: 303, trials: 299, scores: 299, rows: 300, feedback: 1 });
});

it.each([
  ["doubled", "calls", "INSERT INTO calls FROM calls WHERE id = 't1'"],
  ["doubled", "trials", "INSERT INTO trials FROM trials WHERE id = 't1'"],
  ["doubled", "scores", "INSERT INTO scores FROM scores WHERE trial_key = 2"],
  ["doubled", "feedback", "INSERT INTO feedback FROM feedback"],
  ["doubled", "rows", "UPDATE rows SET digest = (SELECT min(digest) FROM rows) WHERE row_key = 3"],
  ["missing", "trials", "DELETE FROM trials WHERE id = 't1'"],
  ["superfluous", "trials", "UPDATE calls SET hidden = true WHERE id = 't1'"],
  ["lost_reference", "scores", "DELETE FROM trials WHERE id = 't1'"],
  ["lost_reference", "scores", "UPDATE trials SET row_key = row_key + 1 WHERE id = 't1'"],
  ["lost_reference", "trials", "DELETE FROM calls WHERE id = 't1'"],
  ["lost_reference", "trials", "DELETE FROM evaluations"],
  ["lost_reference", "scores", "DELETE FROM score_paths"],
  ["lost_reference", "rows", "UPDATE rows SET project_key = 9 WHERE row_key = 3"],
])("%s: a record of %s after %s", async (kind, table, statement) => {
  const file = await makeFile();
  await runOn(file, statement);
  const { problems } = await checked(file);
  expect(problems).toContainEqual(expect.objectContaining({ kind, table }));
});

it("a call that the kept filters lack is found", async () => {
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls(Array.from({ length: 40_000 }, (_, i) => call(`c${i}`)));
  await engine.close();
  expect((await checked(file)).problems).toEqual([]);
  await runOn(file, "UPDATE calls SET id_hash = 12345 WHERE id = 'c7'");
  expect((await checked(file)).problems).toMatchObject([
    { kind: "missing", table: "hash_layers", records: 1 },
  ]);
});

it("a byte that changed in a block is found, by the command too, which changes nothing", async () => {
  const file = await makeFile();
  const [[block] = []] = await runOn(
    file,
    "SELECT min(block_id)::INTEGER FROM pragma_storage_info('trials') WHERE column_name = 'output' AND segment_type = 'VARCHAR'",
  );
  const start = BLOCKS_START + Number(block) * BLOCK_BYTES;
  const byte = readFileSync(file)[start + 5000] ?? 0;
  expect(await evalcubeHere(["check", "--db", file])).toMatchObject({ status: 0, stdout: "" });
  overwrite(file, start + 5000, Uint8Array.of(byte ^ 1));
  const damaged = readFileSync(file);
  const { problems } = await checked(file);
  expect(problems).toContainEqual(expect.objectContaining({ kind: "unreadable", table: "trials" }));
  const { status, stdout, stderr } = await evalcubeHere(["check", "--db", file]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/trials.*damaged/);
  expect(stderr).toMatch(/\d problems? found; restore a backup/);
  expect(readFileSync(file).equals(damaged)).toBe(true);
});

it("a log that is not whole is told by the command, and not cut", async () => {
  const file = await loggedFile(2, 1);
  const log = readFileSync(`${file}.wal`);
  writeFileSync(`${file}.wal`, log.fill(0, log.length - 100));
  const { status, stderr } = await evalcubeHere(["check", "--db", file]);
  expect(status).toBe(1);
  expect(stderr).toMatch(/a process or the machine stopped while it wrote here/);
  expect(readFileSync(`${file}.wal`).equals(log)).toBe(true);
});

async function largeFile(): Promise<string> {
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls(
    Array.from({ length: 4000 }, (_, i) => call(`c${i}`, { output: "x".repeat(i * 5) })),
  );
  await engine.close();
  return file;
}

describe("where memory is too little", () => {
  it("says of what nothing is known, and calls nothing damaged", async () => {
    const file = await largeFile();
    for (const memoryLimit of ["6MiB", "10MiB", "16MiB", "24MiB"]) {
      const engine = await openEngine({ path: file, threads: 1, readOnly: true, memoryLimit });
      const { problems, unknown } = await engine.check();
      await engine.close();
      expect(problems).toEqual([]);
      for (const one of unknown) {
        expect(one.code).toBe("out_of_memory");
        expect(one.message).toMatch(/nothing is known of it: .*memoryLimit/);
      }
    }
  });

  it("ends with a status of its own, and speaks of no backup", async () => {
    const file = await largeFile();
    vi.stubEnv("EVALCUBE_MEMORY_LIMIT", "6MiB");
    const { status, stderr } = await evalcubeHere(["check", "--db", file]);
    expect(status).toBe(4);
    expect(stderr).toMatch(/memory.*nothing is known of/s);
    expect(stderr).not.toMatch(/damaged|backup/);
  });
});
