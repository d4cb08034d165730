import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { PROJECT } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchFolder, scratchPath } from "../support/scratch.ts";
import { loggedFile, names, numbered, REQUEST, trialsOf } from "./damage.ts";

it("a copy has what was committed when it began, while others read and write", async () => {
  const file = await loggedFile(3000, 0);
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls([numbered(3000)]);
  const copy = path.join(scratchFolder(), "copy.duckdb");
  let written = 3001;
  const backup = engine.backup(copy);
  while (!existsSync(copy)) {
    await engine.ingestCalls([numbered(written++)]);
    expect((await engine.queryEvalResults(PROJECT, { ...REQUEST, limit: 1 })).total_rows).toBe(written);
  }
  await backup;
  await engine.close();
  const ids = await trialsOf(copy);
  expect(ids.length).toBeGreaterThanOrEqual(3001);
  expect(ids).toEqual(names(ids.length));
  expect(await trialsOf(file)).toEqual(names(written));
  const checked = await evalcubeHere(["check", "--db", copy]);
  expect(checked).toMatchObject({ status: 0, stdout: "" });
  expect(readdirSync(path.dirname(copy))).toEqual(["copy.duckdb"]);
});

it("a copy is not written over a file, nor beside a log that would be taken for its own", async () => {
  const engine = await scratchEngine({ path: scratchPath() });
  const target = scratchPath("copy.duckdb");
  for (const taken of [target, `${target}.wal`]) {
    writeFileSync(taken, "kept");
    expect(await refusal(engine.backup(target))).toMatchObject({ code: "unwritable_target" });
  }
});

it.each([undefined, null, 7, ["copy"], "a\0b"])("%o is no place for a copy", async (target) => {
  const engine = await scratchEngine({ path: scratchPath() });
  expect(await refusal(engine.backup(target as string))).toMatchObject({ code: "invalid_option" });
});

it("a database in memory has no file to copy", async () => {
  const engine = await scratchEngine();
  const target = scratchPath("copy.duckdb");
  expect(await refusal(engine.backup(target))).toMatchObject({ code: "no_file" });
  expect(existsSync(target)).toBe(false);
});

it("a database opened for reading is copied, unless part of it is in its log", async () => {
  const whole = await loggedFile(3, 0);
  const reader = await scratchEngine({ path: whole, readOnly: true });
  const copy = scratchPath("copy.duckdb");
  await reader.backup(copy);
  expect(await trialsOf(copy)).toEqual(names(3));

  const logged = await scratchEngine({ path: await loggedFile(3, 1), readOnly: true });
  expect(await refusal(logged.backup(scratchPath("other.duckdb")))).toMatchObject({ code: "not_copied" });
});

it("the command copies a database with its log, and makes none where there is none", async () => {
  const file = await loggedFile(3, 2);
  const copy = scratchPath("copy.duckdb");
  const done = await evalcubeHere(["backup", "--db", file, "--out", copy]);
  expect(done).toMatchObject({ status: 0, stdout: "" });
  expect(await trialsOf(copy)).toEqual(names(5));

  const missing = scratchPath("none.duckdb");
  const refused = await evalcubeHere(["backup", "--db", missing, "--out", scratchPath("other.duckdb")]);
  expect(refused.status).toBe(1);
  expect(existsSync(missing)).toBe(false);
});

it("a database that is closed has whole copies or none", async () => {
  const file = await loggedFile(3000, 0);
  const engine = await openEngine({ path: file, threads: 1 });
  const copy = scratchPath("copy.duckdb");
  const [, ended] = await Promise.allSettled([engine.close(), engine.backup(copy)]);
  expect(existsSync(copy)).toBe(ended.status === "fulfilled");
  expect(existsSync(copy) ? await trialsOf(copy) : names(3000)).toEqual(names(3000));
  expect(readdirSync(path.dirname(copy)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});
