import type { Exponents, VirtualLeaf } from "./plan.ts";

/** What the database knows of one request, as plain data. */
export interface QueryCatalog {
  /** Null: the project holds nothing. */
  readonly projectKey: number | null;
  /** The requested evaluations that the project knows, by id. */
  readonly evaluations: ReadonlyMap<string, KnownEvaluation>;
  /** Stored ones, and those of `virtualLeaves`. */
  readonly scorePaths: readonly CatalogPath[];
  readonly virtualLeaves: readonly VirtualLeaf[];
  readonly mixedRows: boolean;
  /** By evaluation key the most trials that one of its rows has; filled where the request depends on it. */
  readonly trialsPerRow: ReadonlyMap<number, number>;
}

export interface KnownEvaluation {
  /** Null: no predict-and-score call belongs to it. */
  readonly key: number | null;
  readonly evaluationRef: string | null;
  readonly modelRef: string | null;
  readonly displayName: string | null;
  readonly traceId: string | null;
  /** Microseconds since 1970. */
  readonly startedAt: bigint | null;
}

export interface CatalogPath {
  readonly key: number;
  readonly path: readonly string[];
  readonly leaf: boolean;
  readonly container: boolean;
  readonly list: boolean;
  readonly exponents: Exponents | null;
}
