import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/engine/duckdb/store.ts";
import type { Session } from "../../src/store/session.ts";
import { sql, statement } from "../../src/store/sql.ts";

/** Takes hours, and has no record before its end. */
const ENDLESS = sql`SELECT count(*) FROM range(100000000000) AS t(i) WHERE md5(CAST(i AS VARCHAR)) = ''`;

/** Keeps the threads busy that statements wait for. */
async function holdThreads(): Promise<void> {
  await Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)("a", "b", 150_000, 32, "sha256")));
}

async function stream(session: Session): Promise<void> {
  const { batches } = await session.vectors(statement(ENDLESS));
  for await (const _ of batches);
}

it.each([
  ["its result", (session: Session) => session.rows(ENDLESS)],
  ["a stream of it", stream],
  ["its end", (session: Session) => session.run(ENDLESS)],
])("a statement that waits for a thread when it is aborted does not run: %s", async (_, run) => {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: 2, memoryLimit: null });
  onTestFinished(() => store.close());
  const stop = new AbortController();
  const aborted = store.read(async (session) => {
    const held = holdThreads();
    const ran = run(session);
    stop.abort(new Error("given up"));
    await Promise.all([held, ran]);
  }, stop.signal);
  await expect(aborted).rejects.toThrow("given up");
  expect(await store.read((session) => session.rows(sql`SELECT 1`))).toEqual([[1]]);
});
