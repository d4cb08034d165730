import { compactText, isList, isObject, type Json } from "./json.ts";
import { datasetRowOf, type Row } from "./rows.ts";

/** Whether the input or a model output of a row holds a text; true of every row where this is not asked. */
export function holdsText(
  row: Row,
  search: string | null | undefined,
  stored: ReadonlyMap<string, Json>,
): boolean {
  if (search == null) return true;
  const wanted = inLowerCase(search);
  const values = [datasetRowOf(row, stored), ...row.trials.map(({ modelOutput }) => modelOutput)];
  return values.flatMap(textsIn).some((text) => inLowerCase(text).includes(wanted));
}

function textsIn(value: Json): string[] {
  if (value === null) return [];
  if (isList(value)) return value.flatMap(textsIn);
  if (isObject(value)) return [...value.values()].flatMap(textsIn);
  return [typeof value === "string" ? value : compactText(value)];
}

// One letter at a time, so that none depends on its neighbours.
function inLowerCase(text: string): string {
  return Array.from(text, (letter) => (letter === "İ" ? "i" : letter.toLowerCase())).join("");
}
