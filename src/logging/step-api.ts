/**
 * Steps that happened already: the result of `generateText` (of `streamText`: `{ steps: await result.steps }`), its
 * list of steps, or a list of chat messages as OpenAI or Anthropic has them.
 */
export type ToldSteps = object | readonly object[];

/** Tells what an agent does inside a trial. After its end each of these throws or rejects with `finished`. */
export interface StepLog {
  /**
   * Asks a model: calls `run` with the request, times it, gives what it gives and throws what it throws. The request is
   * copied before. A reply that JSON cannot hold is stored as null, with a warning.
   */
  readonly chat: <Request, Reply>(
    request: Request,
    run: (request: Request) => Reply,
  ) => Promise<Awaited<Reply>>;
  /** Calls a tool of this name in the same way. */
  readonly tool: <Args, Result>(
    name: string,
    args: Args,
    run: (args: Args) => Result,
  ) => Promise<Awaited<Result>>;
  /** Tells steps that happened already, without times; how many were logged: 0, and a warning, for another shape. */
  readonly steps: (told: ToldSteps) => number;
  /** Says why the agent stopped; of two calls the later counts. Throws `invalid_value` on what is no text. */
  readonly stop: (reason: string) => void;
}
