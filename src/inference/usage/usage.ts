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
  /** Id of the request, as in the log. */
  readonly requestId: string;
  /** First digits of the SHA-256 of the key that was used. */
  readonly keyId: string;
  /** The user of the key. */
  readonly user: string;
  /** Value of the project header, if one was sent. */
  readonly project: string | null;
  /** The model that was asked for. */
  readonly model: string;
  /** When the request came in. */
  readonly startedAt: Date;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Whether the answer was a stream. */
  readonly streamed: boolean;
  /** How it ended. */
  readonly outcome: Outcome;
  /** Tokens of the prompt. */
  readonly promptTokens: number | null;
  /** Tokens of the completion. */
  readonly completionTokens: number | null;
  /** Tokens of the prompt that the server had in its cache. */
  readonly cachedTokens: number | null;
  /** From the request to the last byte, in milliseconds. */
  readonly latencyMs: number;
  /** From the request to the first token of a stream, in milliseconds. */
  readonly firstTokenMs: number | null;
}

/** `ok`, or who broke it: the upstream (`failed`), the client (`aborted`). */
export type Outcome = "ok" | "failed" | "aborted";

/** Where counts go. */
export interface UsageSink {
  /** Called once a request, after its last byte; must not throw. */
  recordUsage(record: UsageRecord): void;
}

/** A sink that writes in the background. What has not been written when the process is killed is lost. */
export interface UsageLog extends UsageSink {
  /** Writes what is waiting; resolves when it is durable. */
  flush(): Promise<void>;
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
