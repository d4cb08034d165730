import { readNumber, type FieldReader } from "./fields.ts";
import { compareMeans } from "./mean.ts";
import type { EvalRequest } from "./request.ts";
import type { Row } from "./rows.ts";

/** Whether the evaluations have different means on a row; true of every row where this is not asked. */
export function hasMoved(
  row: Row,
  moved: EvalRequest["moved"],
  evaluationIds: readonly string[],
  read: FieldReader,
): boolean {
  if (moved == null) return true;
  const values = new Map(
    evaluationIds.map((id) => [
      id,
      row.trials
        .filter((trial) => trial.evaluationId === id)
        .map((trial) => readNumber(read(moved.field, row, trial)))
        .filter((value) => value !== null),
    ]),
  );
  const valued = [...values].filter(([, own]) => own.length > 0);
  const starts = moved.baseline == null ? valued : valued.filter(([id]) => id === moved.baseline);
  const wanted = { any: [-1, 1], up: [1], down: [-1] }[moved.direction ?? "any"];
  return starts.some(([, start]) => valued.some(([, own]) => wanted.includes(compareMeans(own, start))));
}
