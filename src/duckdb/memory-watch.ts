import type { DuckDBConnection } from "@duckdb/node-api";
import { memoryBytes } from "./file/store-options.ts";

/**
 * Time between two checks. DuckDB looks for an interrupt between chunks; memory that it does not count grows chunk by
 * chunk.
 */
const EVERY_MS = 10;
/** Allowance beyond the limit for states of aggregates and values that DuckDB does not count. */
const BEYOND_BYTES = 128 * 2 ** 20;
/** Smaller amounts are not worth giving back. */
const LEAST_BYTES = 32 * 2 ** 20;

/**
 * Watches the memory that the process holds outside of JavaScript while statements run whose memory DuckDB may not
 * count.
 */
interface MemoryWatch {
  /**
   * Calls `tooMuch` at each check that finds more memory than the limit allows. The returned function ends the watch
   * and gives back memory that is left over.
   */
  readonly start: (tooMuch: () => void) => () => Promise<void>;
  /** How many bytes DuckDB may hold. */
  readonly limitBytes: number;
  /** Waits for work under way, and closes the connection. */
  readonly close: () => Promise<void>;
}

/** `connection` must be used for nothing else. */
export async function openMemoryWatch(connection: DuckDBConnection): Promise<MemoryWatch> {
  const limitBytes = memoryBytes(String(await valueOf(connection, "SELECT current_setting('memory_limit')")));
  const watching = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  /** What the process held without DuckDB's pages; null until that has been measured. */
  let idle: Held | null = null;

  const { ask, close } = oneAtATime();
  const look = () => {
    if (grownBytes(idle) > limitBytes + BEYOND_BYTES) for (const tooMuch of watching) tooMuch();
  };
  const giveBack = async (): Promise<void> => {
    // Setting the limit makes DuckDB tell malloc to give back free memory.
    if (await keepsMuch(connection, idle))
      await connection.run("SET GLOBAL memory_limit = current_setting('memory_limit')");
  };
  return {
    limitBytes,
    start: (tooMuch) => {
      if (watching.size === 0) {
        idle = null;
        const measure = async () => {
          idle = await heldIdle(connection);
        };
        ask(measure).catch(() => undefined);
      }
      watching.add(tooMuch);
      timer ??= setInterval(look, EVERY_MS);
      return async () => {
        watching.delete(tooMuch);
        if (watching.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        await ask(giveBack);
      };
    },
    close: async () => {
      await close();
      clearInterval(timer);
      connection.closeSync();
    },
  };
}

/** Runs work one at a time, and none after it is closed: a watch may begin and end while the engine closes. */
function oneAtATime() {
  let isClosed = false;
  let asking: Promise<void> = Promise.resolve();
  const ask = (work: () => Promise<void>): Promise<void> => {
    const asked = asking.then(() => (isClosed ? undefined : work()));
    asking = asked.catch(() => undefined);
    return asked;
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await asking;
  };
  return { ask, close };
}

/** Bytes that the process holds, and of these what JavaScript has reserved. */
interface Held {
  readonly total: number;
  readonly inJavaScript: number;
}

function held(): Held {
  const { rss, heapTotal, external } = process.memoryUsage();
  return { total: rss, inJavaScript: heapTotal + external };
}

/** What the process holds without DuckDB's pages. */
async function heldIdle(connection: DuckDBConnection): Promise<Held> {
  const { total, inJavaScript } = held();
  return { total: total - (await heldBytes(connection)), inJavaScript };
}

/**
 * By how much the process has grown outside of JavaScript. What JavaScript gives back is not taken for growth: nobody
 * may have written to it, and then the process never held it.
 */
function grownBytes(idle: Held | null): number {
  if (idle === null) return 0;
  const { total, inJavaScript } = held();
  return total - idle.total - Math.max(0, inJavaScript - idle.inJavaScript);
}

/** Whether enough is left over to be given back; asks DuckDB only where the process has grown by as much. */
async function keepsMuch(connection: DuckDBConnection, idle: Held | null): Promise<boolean> {
  const grown = grownBytes(idle);
  return grown > LEAST_BYTES && grown - (await heldBytes(connection)) > LEAST_BYTES;
}

async function heldBytes(connection: DuckDBConnection): Promise<number> {
  return Number(
    await valueOf(connection, "SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE FROM duckdb_memory()"),
  );
}

async function valueOf(connection: DuckDBConnection, query: string): Promise<unknown> {
  return (await connection.runAndReadAll(query)).getRows()[0]?.[0];
}
