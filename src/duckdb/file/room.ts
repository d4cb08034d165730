import { totalmem } from "node:os";
import type { DuckDBConnection } from "@duckdb/node-api";
import { memoryBytes, type StoreOptions } from "./store-options.ts";

/**
 * Memory beyond the limit for a commit or a checkpoint: DuckDB reads up to 2,048 neighbouring texts at once for them. Where it has too
 * little memory for that it cannot go back either, and stops using the database.
 */
export interface Room {
  readonly around: <T>(work: () => Promise<T>) => Promise<T>;
  /** As `around`, where so much was stored lately, or by a transaction of so many milliseconds, that it may be needed. */
  readonly ifNeeded: <T>(work: () => Promise<T>, tookMs: number) => Promise<T>;
  /** So many bytes were stored by one transaction. */
  readonly stored: (bytes: number) => void;
}

/** Share of the memory of the machine, or of the container. */
const SHARE = 0.5;
/** Texts that DuckDB reads at once. */
const NEIGHBOURS = 2048;
/** What takes less stores less than memory has. */
const LONG_MS = 100;

const limitTo = (bytes: number) => `SET GLOBAL memory_limit = '${Math.floor(bytes / 1024)}KiB'`;

/**
 * `size`: bytes of the file when it was opened, which may end with long texts. `connection`: one without a transaction, since one in
 * which a statement failed accepts no other.
 */
export function createRoom(
  { memoryLimit }: Pick<StoreOptions, "memoryLimit">,
  size: number,
  connection: DuckDBConnection,
): Room {
  const limit = memoryLimit === null ? Infinity : memoryBytes(memoryLimit);
  const most = Math.max(limit, SHARE * Math.min(totalmem(), process.constrainedMemory() || Infinity));
  let near = size > limit / 4 ? NEIGHBOURS : 0;
  const around: Room["around"] = async (work) => {
    if (limit >= most) return work();
    // Where that fails, the database has stopped, which the work says better.
    await connection.run(limitTo(most)).catch(() => undefined);
    try {
      return await work();
    } finally {
      // Where that fails, for what is still held or since the database has stopped, the next one sets it.
      await connection.run(limitTo(limit)).catch(() => undefined);
    }
  };
  return {
    around,
    ifNeeded: (work, tookMs) => (near > 0 || tookMs > LONG_MS ? around(work) : work()),
    stored: (bytes) => {
      near = bytes > limit / NEIGHBOURS ? NEIGHBOURS : Math.max(0, near - 1);
    },
  };
}
