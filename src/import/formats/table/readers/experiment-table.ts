import { isJsonObject, type Json, type JsonObject } from "../../../../model/json.ts";
import { SourceFault } from "../../../read/fault.ts";
import { jsonPieces, parsePlain } from "../../../read/json-pieces.ts";
import { objectAt, omit, textAt } from "../../../read/members.ts";
import type { SourceFile } from "../../../read/source-file.ts";
import { readTime } from "../../../translate/times.ts";
import type { TableReader, TableRecord } from "./table-reader.ts";

/** What the columns of evaluations begin with. */
export const EVALUATION = "evaluation.";

/** An experiment of Phoenix: a run of the task a record, joined with its evaluations. */
export async function experimentTable(file: SourceFile): Promise<TableReader> {
  const evaluations = new Map<string, JsonObject>();
  for await (const { value } of elements(file, "evaluation_runs")) {
    const run = textAt(value, "experiment_run_id") ?? "";
    evaluations.set(run, { ...evaluations.get(run), ...evaluationCells(value) });
  }
  const columns: string[] = [];
  async function* records(): AsyncGenerator<TableRecord> {
    for await (const { value, place } of elements(file, "task_runs")) {
      if (!isJsonObject(value)) throw new SourceFault("invalid", place, "is not an object");
      const members = { ...runCells(value), ...evaluations.get(textAt(value, "id") ?? "") };
      for (const name of Object.keys(members)) if (!columns.includes(name)) columns.push(name);
      yield { place, cells: columns.map((name) => members[name]) };
    }
  }
  for await (const record of records()) void record;
  return { columns, isText: false, shape: "experiment", records };
}

async function* elements(
  file: SourceFile,
  name: string,
): AsyncGenerator<{ readonly value: Json; readonly place: string }> {
  const cut = { members: { [name]: { elements: {} } }, others: "skip" } as const;
  for await (const piece of jsonPieces(file.bytes(), cut))
    if (piece.place !== "") yield { value: parsePlain(piece), place: piece.place };
}

function runCells(run: JsonObject): JsonObject {
  const start = readTime(run["start_time"]);
  const end = readTime(run["end_time"]);
  const latency = start === null || end === null ? null : Number(end.microseconds - start.microseconds) / 1e6;
  return { ...omit(run, ["end_time", "trace_id"]), latency };
}

/** The score of an evaluation, or its label where it has none, and what else it says. */
function evaluationCells(evaluation: Json): { readonly [column: string]: Json } {
  const key = `${EVALUATION}${textAt(evaluation, "name") ?? "evaluation"}`;
  const { score = null, label = null, explanation = null } = objectAt(evaluation, "result");
  const error = textAt(evaluation, "error");
  return {
    [key]: score ?? label,
    ...(label === null ? {} : { [`${key}.label`]: label }),
    ...(explanation === null ? {} : { [`${key}.explanation`]: explanation }),
    ...(error === null ? {} : { [`${key}.error`]: error }),
  };
}
