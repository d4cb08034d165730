import { availableParallelism } from "node:os";
import { createLoader, type Loader } from "../ingest/loader.ts";
import { createSessionWriters } from "../ingest/session-writer.ts";
import { createWriterMemory } from "../ingest/writer-memory.ts";
import { loadThreadCode } from "../load-thread-code.ts";
import type { Conventions } from "../model/conventions.ts";
import type { Store } from "../store/session.ts";
import { settleConventions } from "./catalog/conventions.ts";
import { createCatalogCache } from "./catalog/read-catalog.ts";
import { createKeptComparisons } from "./compare/kept-comparisons.ts";
import type { QueryContext } from "./context.ts";
import { openStore } from "./duckdb/store.ts";
import { chooseLoader } from "./load-thread/choose-loader.ts";
import { createLoadThread } from "./load-thread/load-thread.ts";
import { createThreadLoader } from "./load-thread/thread-loader.ts";
import type { EngineOptions } from "./engine-options.ts";
import { createAnswerCache } from "./query/answer-cache.ts";

/** Opens the store of a database, settles its conventions and creates the caches. */
export async function openContext(options: EngineOptions): Promise<QueryContext> {
  const path = options.path ?? ":memory:";
  const store = await openStore({
    path,
    readOnly: options.readOnly ?? false,
    threads: options.threads ?? null,
    memoryLimit: options.memoryLimit ?? (path === ":memory:" ? null : "1GiB"),
    ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
  });
  const keeps = options.keepAnswers !== false;
  const conventions = await settled(store, path, options);
  return {
    store,
    conventions,
    loader: openLoader(store, conventions, options),
    catalogs: createCatalogCache(),
    answers: keeps ? createAnswerCache() : null,
    comparisons: keeps ? createKeptComparisons() : null,
  };
}

/** With one core, or one thread, everything is loaded on the main thread. */
function openLoader(store: Store, conventions: Conventions, options: EngineOptions): Loader {
  const memory = createWriterMemory(store.memoryBytes);
  const inProcess = createLoader(createSessionWriters(store, conventions, memory), conventions);
  if (Math.min(options.threads ?? Infinity, availableParallelism()) < 2) return inProcess;
  const thread = createLoadThread(loadThreadCode, store.closing);
  const inThread = createThreadLoader({ store, conventions, memory, thread });
  return chooseLoader({ thread, inThread, inProcess }, options.onWarning);
}

async function settled(store: Store, path: string, options: EngineOptions): Promise<Conventions> {
  const { predictAndScoreOps, attributeNamespaces } = options;
  try {
    return await settleConventions(store, path, {
      ...(predictAndScoreOps === undefined ? {} : { predictAndScoreOps }),
      ...(attributeNamespaces === undefined ? {} : { attributeNamespaces }),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}
