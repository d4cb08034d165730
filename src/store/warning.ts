/** A problem that did no harm or was repaired. */
export interface StoreWarning {
  /** Kind of problem; see `onWarning` of `openEngine`. */
  readonly code: "log_cut" | "checkpoint_failed" | "file_lost" | "no_load_thread" | "changed_elsewhere";
  /** Message that names the file, the problem, and the data that remains. */
  readonly message: string;
}
