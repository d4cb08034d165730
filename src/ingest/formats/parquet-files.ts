import type { RecordGroup } from "./record-source.ts";

/** Reads Parquet files. What cannot be read is refused with an `EvalcubeError` `no_source`. */
export interface ParquetFiles {
  /** Records of calls or rows; folders named `name=value` above the file become text columns. */
  readonly groups: (path: string) => AsyncIterable<RecordGroup>;
  /** Records as JSON texts, without a meaning of the names of columns. */
  readonly texts: (path: string) => AsyncIterable<string>;
  /** Names of columns with their types; none where the file cannot be read. */
  readonly columnTypes: (path: string) => Promise<ReadonlyMap<string, string>>;
}
