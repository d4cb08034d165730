import { compactText, isList, isObject } from "./json.ts";
import type { Json } from "./json.ts";
import { exactMean } from "./mean.ts";
import { datasetRowOf } from "./rows.ts";
import type { Row } from "./rows.ts";
import type { Trial } from "./trials.ts";

// Reads a field on one trial of a row; missing is null.
export type FieldReader = (field: string, row: Row, trial: Trial) => Json;

export function fieldReader(stored: ReadonlyMap<string, Json>): FieldReader {
  return (field, row, trial) => {
    const [prefix = "", ...path] = segments(field);
    switch (prefix) {
      case "scores":
        return valueAt(trial.scores, path);
      case "inputs":
        return valueAt(datasetRowOf(row, stored), path);
      case "outputs":
        return valueAt(trial.modelOutput, path);
      case "output":
        return valueAt(trial.output, path);
      case "row_digest":
        return row.digest;
      default:
        throw new RangeError(`unknown field ${field}`);
    }
  };
}

export function isScoreField(field: string): boolean {
  return segments(field)[0] === "scores";
}

// A dot separates, an escaped dot belongs to the segment.
export function segments(field: string): string[] {
  const parts = field.match(/\\\.|\.|[^.\\]+|\\/g) ?? [];
  const result: string[] = [""];
  for (const part of parts) {
    if (part === ".") result.push("");
    else result.push(`${result.pop() ?? ""}${part === "\\." ? "." : part}`);
  }
  return result;
}

function valueAt(value: Json, path: readonly string[]): Json {
  let current = value;
  for (const segment of path) {
    if (isObject(current)) current = current.get(segment) ?? null;
    else if (isList(current) && /^(0|[1-9]\d*)$/.test(segment)) current = current[Number(segment)] ?? null;
    else return null;
  }
  return current;
}

const NUMBER_TEXT = /^[+-]?(\d+(\.\d+)?|\.\d+|\d+\.)(e[+-]?\d+)?$/;

export function readNumber(value: Json): number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  if (typeof value === "bigint" || (typeof value === "string" && NUMBER_TEXT.test(value))) {
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  }
  return null;
}

export function readText(value: Json): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : compactText(value);
}

// Over the trials that have a number.
export function meanOver(
  trials: readonly Trial[],
  row: Row,
  field: string,
  read: FieldReader,
): number | null {
  const values = trials.map((trial) => readNumber(read(field, row, trial)));
  return exactMean(values.filter((value) => value !== null));
}
