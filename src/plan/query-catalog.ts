import type { Exponents } from "./plan.ts";

/** What the database knows of one request, as plain data. */
export interface QueryCatalog {
  /** Null: the project holds nothing. */
  readonly projectKey: number | null;
  /** The requested evaluations that the project knows, by id. */
  readonly evaluations: ReadonlyMap<string, KnownEvaluation>;
  readonly scorePaths: readonly CatalogPath[];
  readonly mixedRows: boolean;
  /** Keys of evaluations known to have at most one trial a row. */
  readonly unrepeated: ReadonlySet<number>;
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
