import { DUCKDB } from "../../src/duckdb/dialect/dialect.ts";
import { execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import type { FileSession } from "../../src/store/session.ts";
import { sql, statement } from "../../src/store/sql.ts";
import { notPosix } from "../support/platform.ts";
import { scratchFolder } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

/** Takes hours, and has no record before its end. */
const ENDLESS = sql`SELECT count(*) FROM range(100000000000) AS t(i) WHERE md5(CAST(i AS VARCHAR)) = ''`;

const POOL_THREADS = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);

/** Keeps the threads busy that statements wait for, until the function that it gives is called. */
function holdThreads(): () => Promise<void> {
  const pipe = path.join(scratchFolder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  // Opening a named pipe to read from lasts until another opens it to write.
  const held = Array.from({ length: POOL_THREADS }, () => open(pipe, "r"));
  return async () => {
    const writer = openSync(pipe, "r+");
    for (const reader of await Promise.all(held)) await reader.close();
    closeSync(writer);
  };
}

async function stream(session: FileSession): Promise<void> {
  const { batches } = await session.vectors(statement(ENDLESS, DUCKDB));
  for await (const _ of batches);
}

it.skipIf(notPosix !== null).each([
  ["its result", (session: FileSession) => session.rows(ENDLESS)],
  ["a stream of it", stream],
  ["its end", (session: FileSession) => session.run(ENDLESS)],
])(
  `a statement that waits for a thread when it is aborted does not run: %s${because(notPosix)}`,
  async (_, run) => {
    const store = await openStore({ path: ":memory:", readOnly: false, threads: 2, memoryLimit: null });
    onTestFinished(() => store.close());
    const stop = new AbortController();
    const aborted = store.read(async (session) => {
      const release = holdThreads();
      const ran = run(session);
      stop.abort(new Error("given up"));
      await Promise.all([release(), ran]);
    }, stop.signal);
    await expect(aborted).rejects.toThrow("given up");
    expect(await store.read((session) => session.rows(sql`SELECT 1`))).toEqual([[1]]);
  },
);
