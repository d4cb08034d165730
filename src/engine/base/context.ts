import type { Conventions } from "../../model/conventions.ts";
import type { CopyResult, Store } from "../../store/session.ts";
import type { CatalogCache } from "../catalog/read-catalog.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { KeptTrials } from "./kept-trials.ts";

/** The store that answers queries, and the caches kept between queries. */
export interface QueryContext {
  readonly store: Store;
  readonly conventions: Conventions;
  /** Copies a result before it is written to a file; null where the store itself writes files. */
  readonly copied: CopyResult | null;
  readonly catalogs: CatalogCache;
  /** Null if answers are not kept. */
  readonly answers: AnswerCache | null;
  /** Null if answers are not kept. */
  readonly trials: KeptTrials | null;
  /** Comparisons as JSON; null if answers are not kept. */
  readonly comparisons: AnswerCache | null;
}
