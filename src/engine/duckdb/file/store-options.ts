/** A problem that did no harm or was repaired. */
export interface StoreWarning {
  /** Kind of problem; see `onWarning` of `openEngine`. */
  readonly code: "log_cut" | "checkpoint_failed" | "no_load_thread";
  /** Message that names the file, the problem, and the data that remains. */
  readonly message: string;
}

export interface StoreOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly threads: number | null;
  readonly memoryLimit: string | null;
  readonly onWarning?: (warning: StoreWarning) => void;
}
