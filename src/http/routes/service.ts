import type { Inference } from "../../inference/passthrough.ts";
import type { UsageSink } from "../../inference/usage/usage.ts";
import type { Feedback } from "../../feedback/feedback.ts";
import type { Training } from "../../training/training.ts";
import type { Authenticator } from "../keys/authenticator.ts";

/** The parts of the engine that the service uses. */
export interface ServiceEngine {
  /** Yields the JSON text of the response in pieces, which are sent unchanged. */
  streamEvalResults(
    projectId: string,
    request: unknown,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<string, void, undefined>;
  readonly feedback: Feedback;
  readonly training: Training;
  /** Sink that counts the usage of completions. */
  readonly usage?: UsageSink;
  /** Stores calls; needed only where served completions are recorded. */
  readonly ingestCalls?: (calls: readonly unknown[]) => Promise<unknown>;
}

/** Largest accepted bodies in bytes. */
export interface BodyLimits {
  readonly chat: number;
  readonly training: number;
  readonly other: number;
}

/** The dependencies of the routes. */
export interface Service {
  readonly engine: ServiceEngine;
  readonly inference: Inference;
  readonly limits: BodyLimits;
  readonly authenticate: Authenticator;
}
