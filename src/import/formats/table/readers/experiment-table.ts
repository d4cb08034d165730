import type { Json, JsonObject } from "../../../../model/json.ts";
import type { JsonCut } from "../../../read/json-cut.ts";
import { expectObject, objectAt, omit, textAt } from "../../../read/members.ts";
import type { SourceFile } from "../../../read/source-file.ts";
import { readTime } from "../../../translate/times.ts";
import { elementsOf, objectTable } from "./json-table.ts";
import type { TableReader } from "./table-reader.ts";

/** What the columns of evaluations begin with. */
export const EVALUATION = "evaluation.";

/** An experiment of Phoenix: a run of the task a record, joined with its evaluations. */
export async function experimentTable(file: SourceFile): Promise<TableReader> {
  const evaluations = new Map<string, JsonObject>();
  for await (const { value } of elementsOf(file, cutOf("evaluation_runs"))) {
    const run = textAt(value, "experiment_run_id") ?? "";
    evaluations.set(run, { ...evaluations.get(run), ...evaluationCells(value) });
  }
  const table = objectTable(async function* () {
    for await (const { value, place } of elementsOf(file, cutOf("task_runs"))) {
      const run = expectObject(value, place);
      yield { place, value: { ...runCells(run), ...evaluations.get(textAt(run, "id") ?? "") } };
    }
  });
  return { ...table, shape: "experiment" };
}

const cutOf = (name: string): JsonCut => ({ members: { [name]: { elements: {} } }, others: "skip" });

function runCells(run: JsonObject): JsonObject {
  const start = readTime(run["start_time"]);
  const end = readTime(run["end_time"]);
  const latency = start === null || end === null ? null : Number(end - start) / 1e6;
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
