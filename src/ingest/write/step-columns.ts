import type { Key } from "../../model/digest.ts";
import { OPERATIONS } from "../../model/steps.ts";
import type { Column } from "../../store/session.ts";
import type { SqlType, SqlValue } from "../../store/sql.ts";
import type { CallStep } from "../record/step.ts";

/** A call of which something is stored as a step. */
interface StepCall {
  readonly key: Key;
  readonly step: CallStep;
}

/** What is stored of a call that tells of no step, where every call has a record. */
export const NO_STEP: CallStep = {
  operation: null,
  byUsage: false,
  isScore: false,
  name: null,
  model: null,
  action: null,
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  cost: null,
  finishReason: null,
  errorType: null,
  errorUnknown: false,
  place: null,
  untimed: 0,
};

type Read = (step: CallStep) => SqlValue;

const COLUMNS: readonly (readonly [name: string, type: SqlType, read: Read])[] = [
  ["operation", "UTINYINT", ({ operation }) => (operation === null ? 0 : OPERATIONS.indexOf(operation) + 1)],
  ["by_usage", "BOOLEAN", ({ byUsage }) => byUsage],
  ["is_score", "BOOLEAN", ({ isScore }) => isScore],
  ["error_unknown", "BOOLEAN", ({ errorUnknown }) => errorUnknown],
  ["untimed", "UTINYINT", ({ untimed }) => untimed],
  ["action", "UBIGINT", ({ action }) => action],
  ["place", "BIGINT", ({ place }) => place],
  ["input_tokens", "BIGINT", ({ inputTokens }) => inputTokens],
  ["output_tokens", "BIGINT", ({ outputTokens }) => outputTokens],
  ["cached_tokens", "BIGINT", ({ cachedTokens }) => cachedTokens],
  ["cost", "DOUBLE", ({ cost }) => cost],
  ["name", "VARCHAR", ({ name }) => name],
  ["model", "VARCHAR", ({ model }) => model],
  ["finish_reason", "VARCHAR", ({ finishReason }) => finishReason],
  ["error_type", "VARCHAR", ({ errorType }) => errorType],
];

/** Steps as columns of `call_steps`. */
export function stepColumns(calls: readonly StepCall[]): Column[] {
  return [
    { name: "call_key", type: "INTEGER", values: calls.map(({ key }) => key) },
    ...COLUMNS.map(([name, type, read]) => ({ name, type, values: calls.map(({ step }) => read(step)) })),
  ];
}
