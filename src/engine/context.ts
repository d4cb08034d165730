import type { Conventions } from "../model/conventions.ts";
import type { Store } from "../store/session.ts";
import type { CatalogCache } from "./catalog/read-catalog.ts";
import type { AnswerCache } from "./query/answer-cache.ts";

/** Where queries are answered, and what is remembered between them. */
export interface QueryContext {
  readonly store: Store;
  readonly conventions: Conventions;
  readonly catalogs: CatalogCache;
  /** Null: answers are not kept. */
  readonly answers: AnswerCache | null;
}
