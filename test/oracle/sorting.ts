import { isScoreField, meanOver, readText } from "./fields.ts";
import type { FieldReader } from "./fields.ts";
import { byCodePoint } from "./order.ts";
import type { SortKey } from "./request.ts";
import type { Row } from "./rows.ts";
import type { Trial } from "./trials.ts";

// What one key makes of one row; missing is null.
type SortValue = number | string | null;

export function sortRows(
  rows: readonly Row[],
  keys: readonly SortKey[],
  evaluationIds: readonly string[],
  read: FieldReader,
): Row[] {
  const keyed = rows.map((row) => ({
    row,
    values: keys.map((key) => sortValue(row, key, evaluationIds, read)),
  }));
  keyed.sort((left, right) => {
    for (const [index, key] of keys.entries()) {
      const order = compareValues(
        left.values[index] ?? null,
        right.values[index] ?? null,
        key.direction ?? "asc",
      );
      if (order !== 0) return order;
    }
    return byCodePoint(left.row.digest, right.row.digest);
  });
  return keyed.map(({ row }) => row);
}

function compareValues(left: SortValue, right: SortValue, direction: "asc" | "desc"): number {
  if (rank(left) !== rank(right)) return rank(left) - rank(right);
  const sign = direction === "asc" ? 1 : -1;
  if (typeof left === "number" && typeof right === "number") return sign * (left - right);
  if (typeof left === "string" && typeof right === "string") return sign * byCodePoint(left, right);
  return 0;
}

function rank(value: SortValue): number {
  if (typeof value === "number") return 0;
  return value === null ? 2 : 1;
}

function sortValue(row: Row, key: SortKey, evaluationIds: readonly string[], read: FieldReader): SortValue {
  if (key.mode === "difference") {
    if (evaluationIds.length >= 2) return difference(row, key.field, evaluationIds, read);
    return meanOver(row.trials, row, key.field, read);
  }
  const named = key.evaluation_call_id ?? null;
  const trials = row.trials.filter((trial) => named === null || trial.evaluationId === named);
  const number = meanOver(trials, row, key.field, read);
  return number ?? (isScoreField(key.field) ? null : firstText(trials, row, key.field, read));
}

function firstText(trials: readonly Trial[], row: Row, field: string, read: FieldReader): string | null {
  const texts = trials.map((trial) => readText(read(field, row, trial)));
  return texts.find((text) => text !== null) ?? null;
}

function difference(
  row: Row,
  field: string,
  evaluationIds: readonly string[],
  read: FieldReader,
): number | null {
  const means = evaluationIds
    .map((id) => row.trials.filter((trial) => trial.evaluationId === id))
    .map((trials) => meanOver(trials, row, field, read))
    .filter((mean) => mean !== null);
  return means.length < 2 ? null : Math.max(...means) - Math.min(...means);
}
