import { EvalcubeError } from "../../errors.ts";
import { packCounts, unpackCounts } from "../../ingest/counts.ts";
import type { Loader } from "../../ingest/loader.ts";
import type { Load } from "../../ingest/read-load.ts";
import { createRowCache, type RowCache } from "../../ingest/write/row-entries.ts";
import type { LoadResult } from "../../ingest/write-loads.ts";
import { forget, isSoonPacked, packMemory, unpackMemory, type WriterMemory } from "../load/writer-memory.ts";
import type { Conventions } from "../../model/conventions.ts";
import { createGroupCommit, type Ready } from "../../store/group-commit.ts";
import type { FileSession, FileStore } from "../../store/session.ts";
import type { StoreOptions } from "../file/store-options.ts";
import type { LoadThread } from "./load-thread.ts";
import type { FailedMessage, FromThread, SentLoad, WrittenMessage } from "./messages.ts";
import { unpackError } from "./read/pack-error.ts";
import { memoryOf, packSource } from "./pack-source.ts";
import { serveTransaction } from "./serve-transaction.ts";
import { isLarge, warnOfNoThread } from "./read-large-files.ts";

/** What loads in a thread have in common with those that run in the process itself. */
interface ThreadLoading {
  readonly store: FileStore;
  readonly conventions: Conventions;
  readonly memory: WriterMemory;
  readonly thread: LoadThread;
}

interface QueuedLoad {
  readonly kind: SentLoad["kind"];
  readonly load: Load;
  /** Whether the thread holds its first batch. */
  isBegun: boolean;
}

interface ReadyLoad extends Ready {
  readonly queued: QueuedLoad;
}

/** Loads sources in a thread; each has a transaction of its own. The thread must be held. */
export function createThreadLoader(loading: ThreadLoading): Loader {
  const { store, memory, thread } = loading;
  /** The empty cache that the process was left with when the thread wrote last. */
  let left: RowCache | null = null;
  const commit = createGroupCommit<QueuedLoad, ReadyLoad, LoadResult, FileSession>(store, {
    prepare: async (queued) => {
      const ready = await begin(loading, queued);
      queued.isBegun = true;
      return { ...ready, queued };
    },
    write: async (session, loads) => {
      const results = [];
      for (const { queued } of loads) {
        const wroteLast = memory.cache === left && left.byDigest.size === 0;
        queued.isBegun = false;
        results.push({ value: await write(loading, queued.load, session, wroteLast) });
        memory.cache = left = createRowCache(memory.cache.bytes, memory.cache.size);
      }
      return results;
    },
    rolledBack: () => forget(memory),
  });
  return async (kind, load) => {
    const queued: QueuedLoad = { kind, load, isBegun: false };
    try {
      return await commit(queued, { signal: load.options.signal, opensGroup: true });
    } finally {
      if (queued.isBegun) thread.send({ kind: "drop" });
    }
  };
}

/** Lets the thread read the first batch of a load. */
async function begin(loading: ThreadLoading, { kind, load }: QueuedLoad): Promise<Ready> {
  const { source, options, counts } = load;
  const exchange = openExchange(loading.thread, load);
  const packed = await packSource(source);
  const message = {
    kind,
    source: packed,
    options: {
      onInvalid: options.onInvalid,
      partial: options.partial,
      sender: options.sender,
      user: options.user,
    },
    tellsProgress: options.onProgress !== undefined,
    conventions: loading.conventions,
    counts: packCounts(counts),
  };
  loading.thread.send({ kind: "read", load: message }, memoryOf(packed));
  const reply = await exchange.reply(() => false);
  if (reply.kind === "failed") throw exchange.failure() ?? unpackError(reply.error, null);
  if (reply.kind === "written") throw new Error("the thread wrote what it was to read");
  return { records: reply.records, bytes: reply.characters, alone: true };
}

/** Lets the thread write the load that it has begun to read. */
async function write(
  { store, memory, thread }: ThreadLoading,
  load: Load,
  session: FileSession,
  wroteLast: boolean,
): Promise<LoadResult> {
  const exchange = openExchange(thread, load);
  const served = serveTransaction(session, store, thread.send);
  const { bytes: rowBytes } = memory.cache;
  const packed = packMemory(memory);
  try {
    thread.send({ kind: "write", memory: packed, rowBytes, wroteLast });
    const reply = await exchange.reply(served.take);
    if (reply.kind === "begun") throw new Error("the thread reads what it was to write");
    if (reply.memory !== null) unpackMemory(memory, reply.memory);
    if (reply.kind === "failed") throw exchange.failure() ?? unpackError(reply.error, served.failure());
    return { result: reply.result, counts: unpackCounts(reply.counts) };
  } finally {
    await served.end();
  }
}

type Reply = Extract<FromThread, { kind: "begun" }> | WrittenMessage | FailedMessage;

/** Waits for the thread to do one thing, and tells it to give up when the signal aborts. */
function openExchange(thread: LoadThread, { source, options }: Load) {
  let failure: unknown = null;
  const abort = () => thread.send({ kind: "abort" });
  const tell = (message: Extract<FromThread, { kind: "progress" }>) => {
    try {
      options.onProgress?.(message.progress);
    } catch (error) {
      failure ??= error;
      abort();
    }
  };
  return {
    /** Why the load cannot go on in the process itself. */
    failure: () => failure ?? (options.signal?.aborted === true ? options.signal.reason : null),
    reply: async (take: (message: FromThread) => boolean): Promise<Reply> => {
      options.signal?.addEventListener("abort", abort, { once: true });
      try {
        const reply = waitForReply(thread, source.name, (message) => {
          if (message.kind === "progress") tell(message);
          else take(message);
        });
        if (options.signal?.aborted === true) abort();
        return await reply;
      } finally {
        options.signal?.removeEventListener("abort", abort);
      }
    },
  };
}

/** Holds the thread as long as it takes: the caller may give up before the thread has heard of it. */
function waitForReply(
  thread: LoadThread,
  source: string,
  take: (message: FromThread) => void,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const letGo = thread.listen({
      message: (message) => {
        if (isReply(message)) {
          letGo();
          resolve(message);
        } else take(message);
      },
      ended: (reason) => {
        letGo();
        reject(threadEnded(source, reason));
      },
    });
  });
}

function isReply(message: FromThread): message is Reply {
  return message.kind === "begun" || message.kind === "written" || message.kind === "failed";
}

function threadEnded(source: string, cause: Error): EvalcubeError {
  return new EvalcubeError(
    "thread_ended",
    `${source}: nothing of it is stored, because the thread that loaded it ended: ${cause.message}; openEngine with threads: 1 loads without threads`,
    { cause },
  );
}

/** Where a load may run, and what all loads remember. */
interface Places {
  readonly thread: LoadThread;
  readonly inThread: Loader;
  readonly inProcess: Loader;
  readonly memory: WriterMemory;
}

/**
 * Loads large files and texts in a thread, and small arrays where the thread is there and rests; all else in the
 * process itself, and everything once no thread could be started.
 */
export function chooseLoader(
  { thread, inThread, inProcess, memory }: Places,
  onWarning: StoreOptions["onWarning"],
): Loader {
  let canThread = true;
  const hold = async (): Promise<(() => void) | null> => {
    try {
      return await thread.hold();
    } catch (error) {
      canThread = false;
      warnOfNoThread(onWarning, error);
      return null;
    }
  };
  /**
   * Loads in the process itself that have not ended: a small one that comes after them joins them, and does not
   * overtake them.
   */
  let running = 0;
  const holdResting = ({ source, alone }: Load): (() => void) | null =>
    running === 0 && source.isSmall === true && !alone && isSoonPacked(memory) ? thread.holdResting() : null;
  return async (kind, load) => {
    const letGo = canThread && isLarge(load.source) ? await hold() : holdResting(load);
    if (letGo === null) running++;
    try {
      return await (letGo === null ? inProcess : inThread)(kind, load);
    } finally {
      if (letGo === null) running--;
      else letGo();
    }
  };
}
