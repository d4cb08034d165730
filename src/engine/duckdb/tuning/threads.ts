import type { DuckDBConnection } from "@duckdb/node-api";

/** So long one transaction alone must go on before it gets the second thread again. */
const ALONE_MS = 20;

/**
 * How many threads a DuckDB of two works with. Each transaction has the thread that waits for it as well: where there
 * are several, what is divided over two threads costs more than it gains.
 */
export interface ThreadUse {
  /** A transaction begins; returns what is to be called at its end. */
  readonly enter: () => () => void;
  /** Resolves when DuckDB works on one thread, to what gives the second back. */
  readonly leaveCore: () => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
}

/** `connection` is for this alone. */
export async function openThreadUse(connection: DuckDBConnection): Promise<ThreadUse> {
  const found = await connection.runAndReadAll("SELECT current_setting('threads')");
  const most = Number(found.getRows()[0]?.[0]);
  let threads = most;
  let transactions = 0;
  let leaving = 0;
  let change: Promise<void> = Promise.resolve();
  let later: NodeJS.Timeout | undefined;

  const wanted = () => (most === 2 && (leaving > 0 || transactions > 1) ? 1 : most);
  const changeThreads = async (before: Promise<void>): Promise<void> => {
    await before;
    const count = wanted();
    if (count === threads) return;
    await connection.run(`SET GLOBAL threads = ${count}`);
    threads = count;
    // Transactions may have ended meanwhile.
    if (wanted() > threads) adaptLater();
  };
  const adapt = (): Promise<void> => {
    const changed = changeThreads(change);
    change = changed.catch(() => undefined);
    return changed;
  };
  const adaptLater = () => {
    later ??= setTimeout(() => {
      later = undefined;
      adapt().catch(() => undefined);
    }, ALONE_MS).unref();
  };

  return {
    enter: () => {
      transactions++;
      if (wanted() < threads) adapt().catch(() => undefined);
      return () => {
        transactions--;
        if (wanted() > threads) adaptLater();
      };
    },
    leaveCore: async () => {
      leaving++;
      await adapt();
      return async () => {
        leaving--;
        await adapt();
      };
    },
    close: async () => {
      clearTimeout(later);
      await change;
      connection.closeSync();
    },
  };
}
