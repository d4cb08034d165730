import type { Inference } from "../../inference/passthrough.ts";
import type { UsageSink } from "../../inference/usage/usage.ts";
import type { Feedback } from "../../feedback/feedback.ts";
import type { Training } from "../../training/training.ts";
import type { ComparisonAnswer } from "../../respond/compare/comparison.ts";
import type { BundledPage } from "../../view-files.ts";
import type { Authenticator } from "../keys/authenticator.ts";

interface ProjectSize {
  readonly project_id: string;
  readonly evaluation_count: number;
}

/** The parts of the engine that the service uses. */
export interface ServiceEngine {
  /** Yields the JSON text of the response in pieces, which are sent unchanged. */
  streamEvalResults(
    projectId: string,
    request: unknown,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<string, void, undefined>;
  /** Compares candidates with a baseline; the request is checked there. */
  compareEvaluations(
    projectId: string,
    request: unknown,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ComparisonAnswer>;
  /** All projects with their numbers of evaluations. */
  countEvaluations(options?: { readonly signal?: AbortSignal }): Promise<readonly ProjectSize[]>;
  /** The evaluations of a project, as they are answered. */
  listEvaluations(projectId: string, options?: { readonly signal?: AbortSignal }): Promise<readonly object[]>;
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
  /** Gives the files of the page; none where the page is not served. */
  readonly page?: () => Promise<BundledPage>;
}
