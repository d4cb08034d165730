import { readNumber, type FieldReader } from "./fields.ts";
import type { EvalRequest } from "./request.ts";
import type { Row } from "./rows.ts";

/** Whether an evaluation has no number on a row; true of every row where this is not asked. */
export function lacksValue(
  row: Row,
  missing: EvalRequest["missing"],
  evaluationIds: readonly string[],
  read: FieldReader,
): boolean {
  if (missing == null) return true;
  const valued = row.trials.filter((trial) => readNumber(read(missing.field, row, trial)) !== null);
  return evaluationIds.some((id) => valued.every((trial) => trial.evaluationId !== id));
}
