import type { Conventions } from "../../model/conventions.ts";
import type { Loader } from "../../ingest/loader.ts";
import type { FileStore, Store } from "../../store/session.ts";
import type { ParquetReader } from "../../duckdb/parquet/parquet.ts";
import type { CatalogCache } from "../catalog/read-catalog.ts";
import type { KeptComparisons } from "./kept-comparisons.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { KeptTrials } from "./kept-trials.ts";

/** What loads need. */
export interface LoadContext {
  readonly parquet: ParquetReader;
  readonly conventions: Conventions;
  readonly loader: Loader;
  readonly store: Store;
}

/** The store that answers queries, and the caches kept between queries. */
export interface QueryContext extends LoadContext {
  /** Where a result is copied to before it is written to a file; null where the store itself writes files. */
  readonly scratch: FileStore["scratch"] | null;
  readonly catalogs: CatalogCache;
  /** Null if answers are not kept. */
  readonly answers: AnswerCache | null;
  /** Null if answers are not kept. */
  readonly trials: KeptTrials | null;
  /** Null if answers are not kept. */
  readonly comparisons: KeptComparisons | null;
}
