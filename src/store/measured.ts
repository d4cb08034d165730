import { formatTimestamp } from "../model/timestamp.ts";

/** What a database tells of its size and age. */
export interface Measured {
  /** Its path, or its address without a user. */
  readonly database: string;
  /** The version of its format. */
  readonly format: number;
  readonly bytes: number;
  /** Of the log beside it. */
  readonly log_bytes: number;
  readonly last_write_at: string | null;
  /** What each project takes of `bytes` and `log_bytes`, in a unit of its own, and the calls that are not hidden. */
  readonly projects: readonly { readonly id: string; readonly weight: number; readonly calls: number }[];
  /** What evaluations take, in the same unit. */
  readonly evaluations: readonly {
    readonly project: string;
    readonly id: string;
    readonly weight: number;
  }[];
}

/** `2026-11-28T16:33:20Z`. */
export function formatWrite(microseconds: bigint | null): string | null {
  return microseconds === null ? null : `${formatTimestamp(microseconds).slice(0, 19)}Z`;
}
