import type { Engine } from "./engine/api.ts";
import { checkEngineOptions, type EngineOptions } from "./engine/engine-options.ts";
import { requestFault } from "./errors.ts";
import { openAnyCore } from "./engine/engine.ts";
import { createFeedback, eachFeedbackJson } from "./feedback/feedback.ts";
import { createSqlFeedbackStore } from "./feedback/sql-store.ts";
import { createLogging } from "./logging/logging.ts";
import { createSqlUsageSink } from "./inference/usage/usage.ts";
import { createSqlTrainingStore } from "./training/sql-store.ts";
import { openRemote } from "./remote/open-remote.ts";
import { createTraining } from "./training/training.ts";
import { createWeave } from "./weave/weave.ts";

/**
 * Opens a database of evaluations, with its feedback, training and usage records, or creates it: a file, a database in
 * memory or, with `clickhouse`, one on a server. With `url` it asks the database of a service. A file that cannot be
 * opened stays as it is. Rejects with `RequestError` on options of a wrong type, and with `StoreError`:
 * `locked_database`, `foreign_database`, `newer_database`, `old_database`, `needs_recovery`, `damaged_database`,
 * `unusable_database`, `no_database`, `unsupported_client`, `invalid_option`, `other_conventions`; on a server also
 * `unreachable`, `bad_credentials`, `not_allowed`, `old_server`, `no_client`; of a service `unreachable`,
 * `bad_credentials`, `foreign_service`.
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  checkEngineOptions(options);
  const { url, key } = options;
  if (url !== undefined) return await openRemote({ ...options, url });
  if (key !== undefined)
    throw requestFault("schema", ["key"], "is for url, which is not given", "meaningless");
  const { store, stored, storeCalls, storeParts, storeRows, logged, close, ...core } =
    await openAnyCore(options);
  const { close: closeLogging, ...logging } = createLogging({ ...logged, write: storeCalls });
  const given = createSqlFeedbackStore(store);
  const feedback = createFeedback(given);
  const usage = createSqlUsageSink(store, options.onUsageError);
  let closing: Promise<void> | null = null;
  const closeAll = async () => {
    const logs = closeLogging();
    await usage.flush();
    const unwritten = await logs;
    await close();
    if (unwritten !== null) throw unwritten;
  };
  const engine: Engine = {
    ...core,
    ...logging,
    feedback,
    training: createTraining(createSqlTrainingStore(store), { ...options, storeCalls: storeParts }),
    usage,
    weave: createWeave({
      ...core,
      store,
      stored,
      storeParts,
      storeRows,
      feedback: { ...feedback, eachJson: eachFeedbackJson(given) },
    }),
    close: () => (closing ??= closeAll()),
    [Symbol.asyncDispose]: () => engine.close(),
  };
  return engine;
}
