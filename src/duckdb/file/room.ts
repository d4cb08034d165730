import { totalmem } from "node:os";
import type { DuckDBConnection } from "@duckdb/node-api";
import { memoryBytes, type StoreOptions } from "./store-options.ts";

/**
 * Memory beyond the limit for a commit, a checkpoint, or reading a few texts: DuckDB reads up to 2,048 neighbouring
 * texts at once for them. Where it has too little memory for a commit it cannot go back either, and stops using the
 * database.
 */
export interface Room {
  readonly around: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * As `around`, where so much was stored lately, or by a transaction of so many milliseconds, that it may be needed.
   */
  readonly ifNeeded: <T>(work: () => Promise<T>, tookMs: number) => Promise<T>;
  /** As `around`, where the database is so large that it may have long texts. */
  readonly toRead: <T>(work: () => Promise<T>) => Promise<T>;
  /** One transaction stored so many bytes; file and log have so many now. */
  readonly stored: (bytes: number, databaseBytes: number) => void;
}

/** Share of the memory of the machine, or of the container, where no raise is given. */
const SHARE = 0.5;
/** Texts that DuckDB reads at once. */
const NEIGHBOURS = 2048;
/** Steps shorter than this store less than fits into memory. */
const LONG_MS = 100;

const limitTo = (bytes: number) => `SET GLOBAL memory_limit = '${Math.floor(bytes / 1024)}KiB'`;

/**
 * `opened`: bytes of the file when it was opened, which may end with long texts. `connection`: one without a
 * transaction, since one in which a statement failed accepts no other.
 */
export function createRoom(
  { memoryLimit, memoryRaise = "auto" }: Pick<StoreOptions, "memoryLimit" | "memoryRaise">,
  opened: number,
  connection: Pick<DuckDBConnection, "run">,
): Room {
  const limit = memoryLimit === null ? Infinity : memoryBytes(memoryLimit);
  const machine = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const most = Math.max(limit, memoryRaise === "auto" ? SHARE * machine : limit + memoryBytes(memoryRaise));
  const isMuch = (bytes: number) => bytes > limit / 4;
  let near = isMuch(opened) ? NEIGHBOURS : 0;
  let size = opened;
  let underWay = 0;
  let setting: Promise<unknown> = Promise.resolve();
  // Where that fails, the database has stopped, which the work says better, or holds too much, and the next one sets
  // it.
  const limitBy = (bytes: number) =>
    (setting = setting.then(() => connection.run(limitTo(bytes))).catch(() => undefined));
  const around: Room["around"] = async (work) => {
    if (limit >= most) return work();
    underWay += 1;
    await (underWay === 1 ? limitBy(most) : setting);
    try {
      return await work();
    } finally {
      underWay -= 1;
      if (underWay === 0) await limitBy(limit);
    }
  };
  return {
    around,
    ifNeeded: (work, tookMs) => (near > 0 || tookMs > LONG_MS ? around(work) : work()),
    toRead: (work) => (isMuch(size) ? around(work) : work()),
    stored: (bytes, databaseBytes) => {
      size = databaseBytes;
      near = bytes > limit / NEIGHBOURS ? NEIGHBOURS : Math.max(0, near - 1);
    },
  };
}
