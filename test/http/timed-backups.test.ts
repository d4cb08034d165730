import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { startBackups, type BackupOptions } from "../../src/http/backups/timed-backups.ts";
import type { Engine } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { PROJECT, root } from "../support/records.ts";
import { scratchEngine, scratchFolder, scratchPath } from "../support/scratch.ts";
import { basic } from "./running-service.ts";

const START = Date.parse("2026-11-28T16:33:20Z");
const HOUR = 3_600_000;

interface Noted {
  readonly files: readonly string[];
  readonly backups: ReturnType<typeof startBackups>;
  /** Lets so much time pass. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Backups that are empty files; the clock begins at {@link START}. */
function begin(options: BackupOptions, write = (file: string) => writeFile(file, "")): Noted {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: START });
  const files: string[] = [];
  let pending = Promise.resolve();
  const backup = (file: string) => {
    files.push(file);
    return (pending = write(file));
  };
  const backups = startBackups(backup, options, undefined);
  onTestFinished(async () => {
    await backups.close();
    vi.useRealTimers();
  });
  return {
    files,
    backups,
    pass: async (ms) => {
      await settled();
      await vi.advanceTimersByTimeAsync(ms);
      await settled();
      await pending.catch(() => undefined);
      await settled();
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await vi.advanceTimersByTimeAsync(0);
    await settled();
  }
}

/** Files of the disk are read and written meanwhile. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
}

describe("backups that a service makes by itself", () => {
  it("begin at once where there is none, come at their times, and the latest stay", async () => {
    const folder = join(scratchFolder(), "new", "backups");
    const { backups, pass } = begin({ folder, everyMs: HOUR, keep: 2, name: "evals" });
    await until(() => backups.state().last_at !== null);
    expect(backups.state()).toEqual({
      last_at: "2026-11-28T16:33:20Z",
      last_file: "evals-2026-11-28T16-33-20Z.duckdb",
      next_at: "2026-11-28T17:33:20Z",
      error: null,
    });
    for (const others of [
      "evals-2026-11-28T16-33-20Z.duckdb.wal",
      "evals-other.duckdb",
      "x-2020-01-01T00-00-00Z.duckdb",
    ])
      await writeFile(join(folder, others), "");
    for (const hour of ["17", "18", "19"]) {
      await pass(HOUR);
      await until(() => backups.state().last_at?.includes(`T${hour}:`) === true);
    }
    await backups.close();
    expect((await readdir(folder)).toSorted()).toEqual([
      "evals-2026-11-28T16-33-20Z.duckdb.wal",
      "evals-2026-11-28T18-33-20Z.duckdb",
      "evals-2026-11-28T19-33-20Z.duckdb",
      "evals-other.duckdb",
      "x-2020-01-01T00-00-00Z.duckdb",
    ]);
  });

  it("wait after a start until the latest is old enough", async () => {
    const folder = scratchFolder();
    await writeFile(join(folder, "evals-2026-11-28T16-13-20Z.duckdb"), "");
    const { files, backups, pass } = begin({ folder, everyMs: HOUR, keep: 7, name: "evals" });
    await until(() => backups.state().next_at !== null);
    expect(backups.state()).toMatchObject({
      last_at: "2026-11-28T16:13:20Z",
      last_file: "evals-2026-11-28T16-13-20Z.duckdb",
      next_at: "2026-11-28T17:13:20Z",
    });
    await pass(40 * 60_000 - 1);
    expect(files).toEqual([]);
    await pass(1);
    await until(() => files.length > 0);
    expect(files).toEqual([join(folder, "evals-2026-11-28T17-13-20Z.duckdb")]);
  });

  it("stay beside files and folders of a time to come, and beside what cannot be removed", async () => {
    const folder = scratchFolder();
    const ahead = ["evals-2031-01-01T00-00-00Z.duckdb", "evals-2032-01-01T00-00-00Z.duckdb"];
    for (const name of ahead) await writeFile(join(folder, name), "");
    await mkdir(join(folder, "evals-2019-01-01T00-00-00Z.duckdb"));
    await writeFile(join(folder, "evals-2020-01-01T00-00-00Z.duckdb"), "");
    const { backups, pass } = begin({ folder, everyMs: HOUR, keep: 1, name: "evals" });
    await until(() => backups.state().last_file === "evals-2026-11-28T16-33-20Z.duckdb");
    await pass(HOUR);
    await until(() => backups.state().last_file === "evals-2026-11-28T17-33-20Z.duckdb");
    await backups.close();
    expect(backups.state().error).toBeNull();
    expect((await readdir(folder)).toSorted()).toEqual([
      "evals-2019-01-01T00-00-00Z.duckdb",
      "evals-2026-11-28T17-33-20Z.duckdb",
      ...ahead,
    ]);
  });

  it("tell why one failed, remove nothing then, and try again at the next time", async () => {
    const folder = scratchFolder();
    await writeFile(join(folder, "evals-2026-11-01T00-00-00Z.duckdb"), "");
    let isFull = true;
    const write = async (file: string) => {
      if (isFull) throw new Error("the disk is full");
      await writeFile(file, "");
    };
    const { backups, pass } = begin({ folder, everyMs: HOUR, keep: 1, name: "evals" }, write);
    await until(() => backups.state().error !== null);
    expect(backups.state()).toEqual({
      last_at: "2026-11-01T00:00:00Z",
      last_file: "evals-2026-11-01T00-00-00Z.duckdb",
      next_at: "2026-11-28T17:33:20Z",
      error: "the disk is full",
    });
    expect(await readdir(folder)).toEqual(["evals-2026-11-01T00-00-00Z.duckdb"]);
    isFull = false;
    await pass(HOUR);
    await until(() => backups.state().error === null);
    await backups.close();
    expect(await readdir(folder)).toEqual(["evals-2026-11-28T17-33-20Z.duckdb"]);
  });

  it("end with the service, after the one under way, and a time beyond what timers take waits", async () => {
    const folder = scratchFolder();
    await writeFile(join(folder, "evals-2026-11-28T16-33-20Z.duckdb"), "");
    const { files, backups, pass } = begin({ folder, everyMs: 90 * 24 * HOUR, keep: 1, name: "evals" });
    await until(() => backups.state().next_at !== null);
    await pass(60 * 24 * HOUR);
    expect(files).toEqual([]);
    await backups.close();
    await pass(60 * 24 * HOUR);
    expect(files).toEqual([]);
  });
});

const keys = (["read", "write", "admin"] as const).map((can) => ({
  can,
  ...generateKey(can, ["acme/*"], new Date(), can),
}));

describe("the health of a service", () => {
  async function serve(engine: Engine, folder?: string) {
    const handler = createHttpHandler(engine, {
      keys: { version: 1, keys: keys.map(({ entry }) => entry) },
      ...(folder === undefined ? {} : { backup: { folder, everyMs: HOUR, keep: 2, name: "evals" } }),
    });
    onTestFinished(() => handler.close());
    return async (path: string, key?: string) => {
      const headers: Record<string, string> = key === undefined ? {} : { authorization: basic(key) };
      const response = await handler(new Request(`http://localhost${path}`, { headers }));
      return [response.status, await response.json()] as const;
    };
  }

  it("tells an admin of the backups, which open, and others nothing", async () => {
    const engine = await scratchEngine({ path: scratchPath() });
    await engine.ingestCalls([root()]);
    const folder = scratchFolder();
    const ask = await serve(engine, folder);
    const [read, write, admin] = keys.map(({ key }) => key);
    const told = () => ask("/healthz?verbose", admin);
    await vi.waitUntil(async () => (await told())[1].backup.last_at !== null, { timeout: 20_000 });
    const [file = ""] = await readdir(folder);
    expect(file).toMatch(/^evals-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.duckdb$/);
    const [, { status, backup }] = await told();
    expect([status, backup.last_file, backup.error]).toEqual(["ok", file, null]);
    expect(Date.parse(backup.next_at) - Date.parse(backup.last_at)).toBe(HOUR);
    const plain = [200, { status: "ok" }];
    for (const key of [read, write, "ec_wrong", undefined])
      expect(await ask("/healthz?verbose", key)).toEqual(plain);
    expect(await ask("/healthz", admin)).toEqual(plain);
    const copy = await scratchEngine({ path: join(folder, file), readOnly: true });
    expect(await copy.listEvaluations(PROJECT)).toEqual(await engine.listEvaluations(PROJECT));
    expect((await copy.check()).problems).toEqual([]);
  });

  it("tells why a backup failed, and of none where none is made", async () => {
    const engine = await scratchEngine({ path: scratchPath() });
    const folder = join(scratchFolder(), "taken");
    await writeFile(folder, "");
    const ask = await serve(engine, folder);
    const told = async () => (await ask("/healthz?verbose=1", keys[2]?.key))[1];
    await vi.waitUntil(async () => (await told()).backup.error !== null, { timeout: 20_000 });
    expect((await told()).backup).toMatchObject({
      last_at: null,
      last_file: null,
      error: expect.stringContaining("EEXIST"),
    });
    await rm(folder);
    await mkdir(folder);
    const other = await serve(engine);
    expect(await other("/healthz?verbose", keys[2]?.key)).toEqual([200, { status: "ok", backup: null }]);
  });

  it.each([
    [{ folder: "", everyMs: HOUR, keep: 1 }],
    [{ folder: "x", everyMs: 10, keep: 1 }],
    [{ folder: "x", everyMs: HOUR, keep: 0 }],
    [{ folder: "x", everyMs: HOUR, keep: 1, name: "../x" }],
  ])("refuses backups such as %o", async (backup) => {
    const engine = await scratchEngine();
    expect(() => createHttpHandler(engine, { keys: { version: 1, keys: [] }, backup })).toThrow(/backup\./);
  });

  it.each([
    [["--backup-every", "1h"], "are for --backup"],
    [["--backup-keep", "3"], "are for --backup"],
    [["--backup", "x", "--backup-every", "0s"], "such as 24h"],
    [["--backup", "x", "--backup-every", "2w"], "such as 24h"],
    [["--backup", "x", "--backup-keep", "0"], "whole number from 1"],
  ])("is not served with %j", async (args, message) => {
    const path = scratchPath();
    const { status, stderr } = await evalcubeHere(["serve", "--db", path, "--keys", "none.json", ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
