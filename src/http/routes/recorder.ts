import type { Logger } from "pino";
import { EvalcubeError } from "../../errors.ts";
import { callOfCompletion } from "../../inference/reply/completion-call.ts";
import type { CompletionSink } from "../../inference/reply/completion.ts";
import type { ServiceEngine } from "./service.ts";

interface Recorder extends CompletionSink {
  /** Resolves when every completion answered so far is stored or has failed to be stored. */
  settled(): Promise<void>;
}

/** Stores served completions as calls after they have been answered. */
export function createRecorder(engine: ServiceEngine, logger: Logger | undefined): Recorder {
  const { ingestCalls } = engine;
  if (ingestCalls === undefined) {
    throw new EvalcubeError("cannot_record", "Completions cannot be recorded: the engine takes no calls.");
  }
  const store = async (completion: Parameters<CompletionSink["recordCompletion"]>[0]) => {
    const call = callOfCompletion(completion);
    if (call !== null) await ingestCalls([call]);
  };
  const storing = new Set<Promise<void>>();
  return {
    recordCompletion(completion) {
      const work = store(completion)
        .catch((error: unknown) => {
          const name = error instanceof Error ? error.name : typeof error;
          logger?.error({ request_id: completion.requestId, error: name }, "a completion was not recorded");
        })
        .finally(() => storing.delete(work));
      storing.add(work);
    },
    settled: async () => void (await Promise.all(storing)),
  };
}
