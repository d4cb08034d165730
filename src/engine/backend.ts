import type { Keep } from "../ingest/kept.ts";
import type { Loader } from "../ingest/loader.ts";
import type { Writers } from "../ingest/writer.ts";
import type { Conventions } from "../model/conventions.ts";
import type { CopyResult, Store } from "../store/session.ts";
import { createCatalogCache } from "./catalog/read-catalog.ts";
import type { CheckResult } from "../store/check-result.ts";
import type { Measured } from "../store/measured.ts";
import type { QueryContext } from "./base/context.ts";
import type { EngineOptions } from "./engine-options.ts";
import { CAPACITY, createAnswerCache } from "./base/answer-cache.ts";
import { createKeptTrials } from "./base/kept-trials.ts";
import type { Maintenance } from "./maintenance.ts";
import type { ParquetFiles } from "../ingest/formats/parquet-files.ts";
import type { Statements } from "./statements.ts";

/** An open database, and what every kind of database does in its own way. */
export interface Backend<S extends Store> {
  readonly store: S;
  readonly conventions: Conventions;
  readonly loader: Loader;
  /** Below the loader, for records that were stored before. */
  readonly writers: Writers;
  readonly keep: Keep;
  readonly parquet: ParquetFiles;
  /** Copies a result before it is written to a file; null where the store itself writes files. */
  readonly copied: CopyResult | null;
  readonly statements: Statements;
  readonly check: (signal?: AbortSignal) => Promise<CheckResult>;
  readonly measure: (signal?: AbortSignal) => Promise<Measured>;
  readonly backUp: (path: string) => Promise<void>;
  readonly maintain: () => Promise<Maintenance>;
}

/** Creates the caches over a database. */
export function openContext(backend: Backend<Store>, { keepAnswers }: EngineOptions): QueryContext {
  const keeps = keepAnswers !== false;
  return {
    ...backend,
    catalogs: createCatalogCache(),
    answers: keeps ? createAnswerCache() : null,
    trials: keeps ? createKeptTrials() : null,
    comparisons: keeps ? createAnswerCache(CAPACITY) : null,
  };
}
