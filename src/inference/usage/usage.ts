import { isJsonObject } from "../../model/json.ts";
/** Who asked, as far as accounting goes: never the key itself. */
export interface Caller {
  readonly keyId: string;
  readonly user: string;
  /** Value of the project header, if one was sent. */
  readonly project: string | null;
}

/** One completion request, counted. Token counts are null when the upstream did not say. */
export interface UsageRecord {
  readonly requestId: string;
  readonly keyId: string;
  readonly user: string;
  readonly project: string | null;
  readonly model: string;
  readonly startedAt: Date;
  readonly status: number;
  readonly streamed: boolean;
  readonly outcome: Outcome;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number | null;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
}

/** `ok`, or who broke it: the upstream (`failed`), the client (`aborted`). */
export type Outcome = "ok" | "failed" | "aborted";

/** Where counts go. Called once a request, after its last byte; must not throw. */
export interface UsageSink {
  recordUsage(record: UsageRecord): void;
}

/** The counts of a `usage` member. */
export interface TokenCounts {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number | null;
}

export const NO_COUNTS: TokenCounts = { promptTokens: null, completionTokens: null, cachedTokens: null };

/** Reads a `usage` object of a reply or chunk; anything unexpected counts as unknown. */
export function readTokenCounts(usage: unknown): TokenCounts {
  if (!isJsonObject(usage)) return NO_COUNTS;
  const details = usage["prompt_tokens_details"];
  return {
    promptTokens: count(usage["prompt_tokens"]),
    completionTokens: count(usage["completion_tokens"]),
    cachedTokens: isJsonObject(details) ? count(details["cached_tokens"]) : null,
  };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
