import type { RecordStore } from "../../store/session.ts";

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
    options?: { readonly signal?: AbortSignal | undefined; readonly user?: string | undefined },
  ) => Promise<{ readonly hidden: number }>;
  readonly feedback: FeedbackSeam;
  readonly listEvaluations: EvaluationSeam["listEvaluations"];
  readonly stored: StoredSeam;
}

/** What is needed to read evaluations as they were stored. */
export interface EvaluationSeam {
  readonly store: RecordStore;
  readonly listEvaluations: (
    projectId: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ) => Promise<
    readonly {
      readonly id: string;
      readonly started_at: string | null;
      readonly ended_at: string | null;
      readonly exception: string | null;
    }[]
  >;
  readonly stored: StoredSeam;
}

/** A trial as it is stored, beside the records of its calls; texts are JSON. */
export interface StoredWeaveTrial {
  readonly id: string;
  readonly evaluationId: string;
  readonly predictCallId: string | null;
  readonly output: string | null;
  readonly lateScores: string | null;
  /** Only of trials without a predict call. */
  readonly row: string | null;
}

interface StoredSeam {
  /** Trials by start, then id, in parts, with records of their own calls and of the calls that `relatives` names. */
  readonly trials: (
    projectId: string,
    page: {
      readonly evaluationId: string | null;
      readonly trialId: string | null;
      readonly predictionId: string | null;
      readonly offset: number;
      readonly limit: number;
      readonly relatives: "predict" | "children";
    },
    signal?: AbortSignal,
  ) => AsyncGenerator<
    {
      readonly trials: readonly StoredWeaveTrial[];
      /** Those of one trial by start, then id. */
      readonly records: readonly string[];
    },
    void,
    undefined
  >;
  /** Records of calls by id. */
  readonly calls: (
    projectId: string,
    ids: readonly string[],
    signal?: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** The key of a score call, from its record; null for any other call. */
  readonly scoreKey: (record: string) => string | null;
  readonly namespaces: readonly string[];
}

/** What a giver of feedback is known by. */
interface FeedbackGiver {
  readonly userId: string;
  readonly authorize?: ((projectId: string) => void) | undefined;
}

interface FeedbackSeam {
  readonly createJson: (record: string, giver: FeedbackGiver) => Promise<string>;
  readonly createManyJson: (batch: string, giver: FeedbackGiver) => Promise<string>;
  readonly replaceJson: (record: string, giver: FeedbackGiver) => Promise<string>;
  /** The selected records of a project as JSON texts, by creation, then id. */
  readonly eachJson: (projectId: string, selection: FeedbackSelection) => AsyncGenerator<string>;
}

/** Selects the records for which everything holds that is given. */
export interface FeedbackSelection {
  readonly svcRef?: string | null;
  readonly feedbackType?: string | null;
  /** Microseconds since 1970; `since` is inclusive, `until` is exclusive. */
  readonly since?: bigint;
  readonly until?: bigint;
  readonly newestFirst?: boolean;
}

/** Who asks, and for which projects. */
export interface WeaveCaller {
  /** The user in whose name things are stored. */
  readonly userId: string;
  /** Called with each project that a request names, before anything of it is read or stored; throws to refuse. */
  readonly authorize?: ((projectId: string) => void) | undefined;
  /** How many values one JSON value may have; 200,000 where it is missing. */
  readonly maxValues?: number;
  /** How many bytes a call, an object or a row may have; 32 Mi where it is missing. */
  readonly maxItemBytes?: number;
  /** Gives up work that waits; what was stored stays stored. */
  readonly signal?: AbortSignal | undefined;
}
