/** What went wrong without harm, or was mended. */
export interface StoreWarning {
  /** What went wrong; see `onWarning` of `openEngine`. */
  readonly code: "log_cut" | "checkpoint_failed";
  /** Names the file, what happened, and what is left of it. */
  readonly message: string;
}

export interface StoreOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly threads: number | null;
  readonly memoryLimit: string | null;
  readonly onWarning?: (warning: StoreWarning) => void;
}
