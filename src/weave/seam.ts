import type { RecordStore } from "../store/session.ts";

/** What is needed of an engine and of its feedback. */
export interface WeaveSeam {
  readonly store: RecordStore;
  /** Stores parts of calls from their JSON texts in one transaction; resolves when they are durable. */
  readonly storeParts: (texts: readonly string[], signal?: AbortSignal) => Promise<unknown>;
  /** Stores dataset rows from their JSON texts, as `storeParts` does. */
  readonly storeRows: (texts: readonly string[], signal?: AbortSignal) => Promise<unknown>;
  readonly deleteCalls: (
    projectId: string,
    ids: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ) => Promise<{ readonly hidden: number }>;
  readonly feedback: FeedbackSeam;
}

/** What a giver of feedback is known by. */
interface FeedbackGiver {
  readonly userId: string;
  readonly authorize?: (projectId: string) => void;
}

interface FeedbackSeam {
  readonly createJson: (record: string, giver: FeedbackGiver) => Promise<string>;
  readonly createManyJson: (batch: string, giver: FeedbackGiver) => Promise<string>;
  readonly listJson: (
    projectId: string,
    options: {
      readonly svc_ref?: string | undefined;
      readonly feedback_type?: string | undefined;
      readonly after?: string | undefined;
      readonly limit?: number;
    },
  ) => Promise<string>;
}

/** Who asks, and for which projects. */
export interface WeaveCaller {
  /** The user in whose name things are stored. */
  readonly userId: string;
  /** Called with each project that a request names, before anything of it is read or stored; throws to refuse. */
  readonly authorize?: (projectId: string) => void;
  /** How many values one JSON value may have; 200,000 where it is missing. */
  readonly maxValues?: number;
  /** How many bytes a call, an object or a row may have; 32 Mi where it is missing. */
  readonly maxItemBytes?: number;
  /** Gives up work that waits; what was stored stays stored. */
  readonly signal?: AbortSignal;
}
