import type { Directions } from "../model/direction.ts";
import type { ScorePath, VirtualLeaf } from "./plan.ts";

/** The data of the database that a request needs to be planned; plain data. */
export interface QueryCatalog {
  /** Null where the project has no data. */
  readonly projectKey: number | null;
  /** Requested evaluations that the project has, by id. */
  readonly evaluations: ReadonlyMap<string, KnownEvaluation>;
  /** Stored score paths, and those of `virtualLeaves`. */
  readonly scorePaths: readonly CatalogPath[];
  readonly virtualLeaves: readonly VirtualLeaf[];
  /** Those of `virtualLeaves` that fields alone name: they are no dimensions of an answer. */
  readonly fieldPaths: readonly CatalogPath[];
  /** Filled only where trials without a value count. */
  readonly seriesKinds: readonly SeriesKind[];
  readonly mixedRows: boolean;
  readonly manyTrials: boolean;
  readonly longTexts: boolean;
  readonly keyedRows: boolean;
  /** The largest number of trials of a row, by evaluation key; filled only where the request depends on it. */
  readonly trialsPerRow: ReadonlyMap<number, number>;
  /** Warnings about fields that no trial has, and about comparisons that never hold. */
  readonly fieldWarnings: readonly string[];
}

/** A kind of values (0 number, 1 boolean, 2 text) that a dimension has in a requested evaluation. */
export interface SeriesKind {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly kind: number;
}

export interface KnownEvaluation {
  /** Null where the evaluation has no predict-and-score call. */
  readonly key: number | null;
  readonly evaluationRef: string | null;
  readonly modelRef: string | null;
  readonly datasetRef: string | null;
  readonly displayName: string | null;
  readonly traceId: string | null;
  /** Microseconds since 1970. */
  readonly startedAt: bigint | null;
  readonly commit: string | null;
  /** Which way it says that its scores are good. */
  readonly directions: Directions;
}

export const NOTHING_KNOWN: KnownEvaluation = {
  key: null,
  evaluationRef: null,
  modelRef: null,
  datasetRef: null,
  displayName: null,
  traceId: null,
  startedAt: null,
  commit: null,
  directions: {},
};

export interface CatalogPath extends Omit<ScorePath, "ancestors"> {
  readonly leaf: boolean;
  readonly container: boolean;
  readonly list: boolean;
}
