import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * Limits a DuckDB of two threads to one, while a load needs the other core or one thread alone finds work: the other
 * one would look for it without a pause. Resolves to a function that lifts the limit.
 */
type ThreadLimit = () => Promise<() => Promise<void>>;

/** The limit stands as long as anyone needs it. `connection` must not be in a transaction. */
export async function openThreadLimit(connection: DuckDBConnection): Promise<ThreadLimit> {
  const found = await connection.runAndReadAll("SELECT current_setting('threads')");
  const most = Number(found.getRows()[0]?.[0]);
  if (most !== 2) return () => Promise.resolve(() => Promise.resolve());
  let needed = 0;
  let last: Promise<unknown> = Promise.resolve();
  const set = async (threads: number) => {
    await (last = last.catch(() => undefined).then(() => connection.run(`SET GLOBAL threads = ${threads}`)));
  };
  return async () => {
    await (needed++ === 0 ? set(1) : last);
    return async () => {
      if (--needed === 0) await set(most);
    };
  };
}
