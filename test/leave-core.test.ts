import { expect, it } from "vitest";
import { openStore } from "../src/engine/duckdb/store.ts";
import type { Session } from "../src/model/session.ts";
import { sql } from "../src/model/sql.ts";

async function threads(session: Session): Promise<number> {
  const [row] = await session.rows(sql`SELECT current_setting('threads')`);
  return Number(row?.[0]);
}

it.each([
  [1, 1],
  [2, 1],
  [3, 3],
])("a long write keeps a DuckDB of %d threads to %d, until it ends or fails", async (given, kept) => {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: given, memoryLimit: null });
  try {
    const during = await store.write(async (session) => {
      await session.leaveCore();
      await session.leaveCore();
      return threads(session);
    });
    expect(during).toBe(kept);
    expect(await store.read(threads)).toBe(given);
    const failing = store.write(async (session) => {
      await session.leaveCore();
      throw new Error("planned");
    });
    await expect(failing).rejects.toThrow("planned");
    expect(await store.read(threads)).toBe(given);
  } finally {
    await store.close();
  }
});
