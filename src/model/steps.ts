/** What steps are, by the numbers under which they are stored, from 1. A call that names another operation is none. */
export const OPERATIONS = ["chat", "execute_tool", "invoke_agent"] as const;

/** What a step is. */
export type Operation = (typeof OPERATIONS)[number];

/**
 * A step of a trial, or a frame: a call that others happen in, which counts nowhere. What a source does not say is
 * null.
 */
export interface Step {
  readonly operation: Operation;
  readonly isFrame: boolean;
  /** Its number in the trial, from 1, and the number of `chat` steps up to and including it; null of a frame. */
  readonly step: number | null;
  readonly turn: number | null;
  /** Name of a tool or an agent. */
  readonly name: string | null;
  /** Model of a `chat`. */
  readonly model: string | null;
  /** Microseconds since 1970. */
  readonly startedAt: bigint | null;
  readonly durationSeconds: number | null;
  /** Tokens and cost of a `chat`; input tokens are with cached ones. `cost` is without prices of a request. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly cost: number | null;
  readonly finishReason: string | null;
  readonly errorType: string | null;
  /** Null where the source does not say. */
  readonly failed: boolean | null;
  /** Of a tool: equal where name and arguments are; 16 hexadecimal digits. */
  readonly action: string | null;
  /** The first step of the trial with the same action; null where this is it. */
  readonly repeatOf: number | null;
  /** Calls between it and the trial. */
  readonly depth: number;
}

/** A step of which its call is asked, too. */
export interface NamedStep extends Step {
  readonly callId: string;
  readonly parentId: string;
}

/** A list of which a part is made when it is asked for: a trial may have a million steps. */
export interface StepList<One> {
  readonly length: number;
  readonly slice: (from: number, to: number) => readonly One[];
}

/**
 * The steps and frames of a trial in their order. What a step has is worked out as it is asked for, so copy no step,
 * and pick what you need.
 */
export interface TrialSteps<One extends Step = Step> {
  readonly trialId: string;
  readonly evaluationCallId: string;
  readonly rowDigest: string;
  readonly steps: StepList<One>;
}

/** What is counted of the steps of a trial, as requests name it below `steps`. */
export const STEP_NUMBERS = [
  "count",
  "chats",
  "tools",
  "errors",
  "tool_errors",
  "repeats",
  "first_error",
] as const;

/** The most of their numbers that stand beside scores: each is columns of a statement, which take long to plan. */
export const MOST_STEP_SCORES = 64;
