import type { CallStep, Untimed } from "../../../ingest/record/step.ts";
import { OPERATIONS } from "../../../model/steps.ts";
import type { PlainReader, PlainWriter } from "./plain-data.ts";

/*
 * Each pair of functions writes and reads the same values in the same order.
 */

const NO_STEP = -1;

/** The numbers of a step, of which each may be null. */
const NUMBERS = ["inputTokens", "outputTokens", "cachedTokens", "cost", "place"] as const;

export function packStep(to: PlainWriter, step: CallStep | null): void {
  if (step === null) {
    to.integer(NO_STEP);
    return;
  }
  const { operation, action } = step;
  const marks = [step.byUsage, step.isScore, step.errorUnknown, action !== null];
  const bits = marks.reduce((sum, mark, i) => sum | (Number(mark) << i), 0);
  to.integer(bits);
  to.integer(operation === null ? NO_STEP : OPERATIONS.indexOf(operation));
  to.integer(step.untimed);
  if (action !== null) to.long(action);
  for (const word of [step.name, step.model, step.finishReason, step.errorType]) to.word(word);
  for (const name of NUMBERS) to.double(step[name] ?? NaN);
}

export function unpackStep(from: PlainReader): CallStep | null {
  const bits = from.integer();
  if (bits === NO_STEP) return null;
  const isMarked = (place: number) => (bits & (1 << place)) !== 0;
  const number = () => {
    const value = from.double();
    return Number.isNaN(value) ? null : value;
  };
  return {
    byUsage: isMarked(0),
    isScore: isMarked(1),
    errorUnknown: isMarked(2),
    operation: OPERATIONS[from.integer()] ?? null,
    untimed: from.integer() as Untimed,
    action: isMarked(3) ? BigInt.asUintN(64, from.long()) : null,
    name: from.word(),
    model: from.word(),
    finishReason: from.word(),
    errorType: from.word(),
    inputTokens: number(),
    outputTokens: number(),
    cachedTokens: number(),
    cost: number(),
    place: number(),
  };
}
