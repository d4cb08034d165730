import { fieldText } from "../model/field-path.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { Scope } from "./answers.ts";
import type { AnswerSource } from "./read-answers.ts";

/** Rows whose inputs are looked at, and fields that are told. */
const ROWS = 50;
const MOST_FIELDS = 40;

/** The fields of inputs, down to two levels, as requests name them: those of the first rows, whatever the filters. */
export async function readInputFields(
  { query }: Pick<AnswerSource, "query">,
  evaluations: readonly string[],
  { include_predict_and_score_children }: Scope,
): Promise<string[]> {
  const { rows } = await query({
    evaluation_call_ids: evaluations,
    include_predict_and_score_children,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_outputs: false,
    limit: ROWS,
  });
  const fields = new Set(rows.flatMap((row) => fieldsOf(row.raw_data_row, ["inputs"])));
  return [...fields].slice(0, MOST_FIELDS);
}

function fieldsOf(value: Json, path: readonly string[]): string[] {
  if (!isJsonObject(value)) return path.length === 1 ? [] : [fieldText(path)];
  if (path.length === 3) return [];
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, [...path, name]));
}
