import type { ShownStep, TrialAnswer } from "../respond/steps/trial.ts";
import { counted, countText } from "./figures.ts";

/** What a trial did in one line: `9 steps, 4 tool calls, 1 error, stopped by limit:message`. */
export function trialWords({
  counts,
  stop_reason: reason,
}: Pick<TrialAnswer, "counts" | "stop_reason">): string {
  const { chats, tools, errors } = counts;
  return [
    counted((chats ?? 0) + (tools ?? 0), "step"),
    counted(tools ?? 0, "tool call"),
    errors === null ? "errors not known" : counted(errors, "error"),
    ...(reason === null ? [] : [`stopped by ${reason}`]),
  ].join(", ");
}

/** What a step is called: its tool or model; of a frame its agent. */
export function stepName({ operation, name, model }: ShownStep): string {
  if (operation === "invoke_agent") return name === null ? "agent" : `agent ${name}`;
  return name ?? model ?? (operation === "chat" ? "model" : "tool");
}

/** What became of a step: `error: Timeout`, `repeats step 3`. */
export function stepMarks({ error_type: error, repeat_of: repeated }: ShownStep): string[] {
  return [
    ...(error === null ? [] : [`error: ${error}`]),
    ...(repeated === null ? [] : [`repeats step ${countText(repeated)}`]),
  ];
}

/** The tokens of a step; null where its source does not tell them. */
export function stepTokens({ input_tokens: input, output_tokens: output }: ShownStep): string | null {
  return input === null && output === null ? null : counted((input ?? 0) + (output ?? 0), "token");
}
