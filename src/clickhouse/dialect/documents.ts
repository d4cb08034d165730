import { constant, join, sql, text, type Sql } from "../../store/sql.ts";

/** Stands before the spelling of a number in a string, and once more before a string or name that begins with it. */
export const MARK = "\uE000";

/** The JSON at a pointer inside the model output of the output of a call. */
export function modelOutputAt(output: Sql, pointer: string): Sql {
  const document = documentOf(output);
  return sql`coalesce(${valueAt(document, `/output${pointer}`)},
    if(NOT startsWith(${output}, '{"output":') AND NOT JSONHas(${document}, 'output'),
      ${valueAt(document, `/model_output${pointer}`)}, NULL))`;
}

/** The column that has the JSON of another one as this database reads it. */
export function documentOf(column: Sql): Sql {
  return sql`${column}_doc`;
}

/** The name that a member has in such a column. */
export function documentName(name: Sql): Sql {
  return sql`if(startsWith(${name}, ${text(MARK)}), concat(${text(MARK)}, ${name}), ${name})`;
}

/**
 * The JSON at a pointer. An integer alone would take the n-th member of an object, so each step that may be the index
 * of a list asks what it steps into.
 */
export function valueAt(document: Sql, pointer: string): Sql {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const runs: string[][] = [[]];
  for (const step of steps) {
    if (/^(?:0|[1-9]\d*)$/.test(step)) runs.push([step], []);
    else runs.at(-1)?.push(step);
  }
  return runs.reduce(
    (inner, run, i) => (i % 2 === 0 ? members(inner, run) : element(inner, run[0] ?? "")),
    document,
  );
}

function members(document: Sql, names: readonly string[]): Sql {
  if (names.length === 0) return document;
  const list = join(names.map((name) => sql`${text(name.startsWith(MARK) ? `${MARK}${name}` : name)}`));
  return sql`nullIf(JSONExtractRaw(${document}, ${list}), '')`;
}

function element(document: Sql, step: string): Sql {
  const index = Number(step) + 1;
  const item = Number.isSafeInteger(index) ? sql`JSONExtractRaw(${document}, ${constant(index)})` : sql`''`;
  return sql`nullIf(if(JSONType(${document}) = 'Array', ${item}, JSONExtractRaw(${document}, ${text(step)})), '')`;
}
