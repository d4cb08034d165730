import type { FileSession, FileStore } from "../../store/session.ts";

/** So many batches may wait: while DuckDB writes out records of a hundred MB, the next ones are prepared. */
const MOST_WAITING = 4;
/** Some 50 MB of blocks and what malloc keeps; a second or two. */
const BATCHES_A_SHED = 16;

/** Statements that run behind the work that makes them, in the order in which they were given. */
export interface WriteBehind {
  /** Its writes return at once; what it reads has seen them. */
  readonly session: FileSession;
  /** Ends a batch, and waits where too many are yet to be written. */
  readonly endBatch: () => Promise<void>;
  /** Waits for all writes. */
  readonly written: () => Promise<void>;
  /** Leaves a core to the process where DuckDB would use two, until the load stops. */
  readonly limitToOneThread: () => Promise<void>;
  /** Gives up what has not begun, and waits for what has. To be called again does no harm. */
  readonly stop: () => Promise<void>;
}

const endNothing = () => Promise.resolve();

/**
 * Lets DuckDB write batches while the next ones are prepared. After a write that fails none is begun, and whatever
 * waits fails likewise.
 */
export function writeBehind(
  session: FileSession,
  store: Pick<FileStore, "limitToOneThread" | "shedMemory">,
): WriteBehind {
  let last: Promise<void> = Promise.resolve();
  const batches: Promise<void>[] = [];
  let ended = 0;
  let stopped = false;
  let giveBack = endNothing;
  const after = (write: () => void | Promise<void>): Promise<void> => {
    last = last.then(() => (stopped ? undefined : write()));
    last.catch(() => undefined);
    return Promise.resolve();
  };
  return {
    session: queueingSession(session, after, () => last),
    endBatch: async () => {
      if (++ended % BATCHES_A_SHED === 0) void after(store.shedMemory);
      batches.push(last);
      if (batches.length > MOST_WAITING) await batches.shift();
    },
    written: () => last,
    limitToOneThread: () => store.limitToOneThread().then((end) => void (giveBack = end)),
    stop: async () => {
      stopped = true;
      await last.catch(() => undefined);
      const end = giveBack;
      giveBack = endNothing;
      await end();
    },
  };
}

/** A session whose writes go through `after`, and whose reads wait for all writes given before. */
function queueingSession(
  session: FileSession,
  after: (write: () => void | Promise<void>) => Promise<void>,
  written: () => Promise<void>,
): FileSession {
  return {
    dialect: session.dialect,
    about: session.about,
    epoch: session.epoch,
    turns: session.turns,
    signal: session.signal,
    all: async (query) => {
      await written();
      return session.all(query);
    },
    rows: async (query) => {
      await written();
      return session.rows(query);
    },
    vectors: async (query) => {
      await written();
      return session.vectors(query);
    },
    run: (query) => after(() => session.run(query)),
    inSecondSession: (work) => session.inSecondSession(work),
    load: (name, columns) => void after(() => session.load(name, columns)),
  };
}
