import type { Inference } from "../../inference/passthrough.ts";
import type { UsageSink } from "../../inference/usage/usage.ts";
import type { Feedback } from "../../feedback/feedback.ts";
import type { Training } from "../../training/training.ts";
import type { KeyRing } from "../keys/key-ring.ts";

/** What the service asks of the engine. */
export interface ServiceEngine {
  /** JSON text of the response in pieces: the bytes that are answered. */
  streamEvalResults(
    projectId: string,
    request: unknown,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<string, void, undefined>;
  readonly feedback: Feedback;
  readonly training: Training;
  /** Where completions are counted. */
  readonly usage?: UsageSink;
  /** Stores calls; needed only where served completions are recorded. */
  readonly ingestCalls?: (calls: readonly unknown[]) => Promise<unknown>;
}

/** The longest bodies that are taken, in bytes. */
export interface BodyLimits {
  readonly chat: number;
  readonly training: number;
  readonly other: number;
}

/** Everything that routes work with. */
export interface Service {
  readonly engine: ServiceEngine;
  readonly inference: Inference;
  readonly limits: BodyLimits;
  /** The keys as they were last read. */
  readonly keyRing: () => KeyRing;
}
