import type { Key } from "../../model/digest.ts";
import { column, query, select, withTexts, type Query } from "../../store/query.ts";
import { constant, EMPTY, join, sql, text, type Sql } from "../../store/sql.ts";
import type { LeafKind } from "../../plan/field-warnings.ts";
import type { FieldSource, Plan } from "../../plan/plan.ts";
import { inKeys, isLong, outputValue, rowDocuments, scoreScope, scoreValue } from "../relations/relations.ts";
import { amongKeys, jsonAt, jsonColumns, some, textBytes } from "../relations/spelled.ts";

/** The evaluations in which a field is looked for. */
export type FieldScope = Pick<
  Plan,
  "projectKey" | "evaluationKeys" | "includeChildren" | "mixedRows" | "latestFirst" | "longTexts"
>;

/** A field inside JSON. */
export type JsonField = Extract<FieldSource, { readonly kind: "score" | "output" | "input" }>;

const SAMPLED_TRIALS = 8;

/** The kind of one value of a dimension; no record where there is no value. The scan ends with the first value. */
export function compileFirstKind(scope: FieldScope, pathKey: number): Query<LeafKind> {
  return query("first kind", select(KIND, sql` FROM ${values(scope, pathKey)} LIMIT 1`));
}

/** Each kind of the values of a dimension. */
export function compileLeafKinds(scope: FieldScope, pathKey: number): Query<LeafKind> {
  const kinds = {
    kind: KIND.kind,
    numeric: column.boolean(some(sql`number IS NOT NULL`)),
    truth: column.boolean(some(TRUTH)),
  };
  return query("leaf kinds", select(kinds, sql` FROM ${values(scope, pathKey)} GROUP BY kind`));
}

const TRUTH = sql`coalesce(text IN ('true', 'false'), false)`;

const KIND = {
  kind: column.integer(sql`kind`),
  numeric: column.boolean(sql`(number IS NOT NULL)`),
  truth: column.boolean(TRUTH),
};

function values(scope: FieldScope, pathKey: number): Sql {
  return sql`scores WHERE path_key = ${constant(pathKey)}
    AND ${inKeys(sql`evaluation_key`, scope.evaluationKeys)}${scoreScope(scope, sql`scores`)}`;
}

/** Which trials to look at: any, since most fields that are there are there at once, or the first ones that started. */
export type Sample = "any" | "first";

/** The rows of some trials. */
export function compileSampledRows(scope: FieldScope, which: Sample) {
  const key = column.key(sql`row_key`);
  return query("sampled rows", select({ key }, sql` FROM ${sampledTrials(scope, which)} AS t`));
}

/** Whether any of some trials, or of their rows, has a value in a field. */
export function compileSampledField(scope: FieldScope, field: JsonField, rowKeys: readonly Key[]) {
  const found = sql`coalesce(${some(isPresent(scope, field))}, false)`;
  return query(
    "sampled field",
    select({ present: column.boolean(found) }, sql` FROM ${sample(scope, field, rowKeys, "any")}`),
  );
}

/** A record where a trial of the evaluations has a value in a field. Reads all of them where there is none. */
export function compileFieldPresence(scope: FieldScope, field: JsonField) {
  const trials = sql`trials AS t WHERE ${inKeys(sql`t.evaluation_key`, scope.evaluationKeys)}`;
  const from =
    field.kind === "input"
      ? sql`(${rowDocuments(scope)}) AS r WHERE r.row_key IN (SELECT t.row_key FROM ${trials})`
      : trials;
  const present = select(
    { present: column.boolean(sql`true`) },
    sql` FROM ${from} AND ${isPresent(scope, field)} LIMIT 1`,
  );
  return query("field presence", present);
}

const MAX_SAMPLED_CHARACTERS = 100_000;

/** The JSON of the first trials, or of their rows, below which a field would be. */
export function compileSampledDocuments(scope: FieldScope, field: JsonField, rowKeys: readonly Key[]) {
  const document = field.kind === "input" ? sql`r.document` : valueOf(scope, { ...field, pointer: "" });
  const documents = select(
    { document: column.text(sql`CAST(document AS VARCHAR)`) },
    sql` FROM (SELECT ${document} AS document FROM ${sample(scope, field, rowKeys, "first")})
    WHERE ${textLength(scope, sql`CAST(document AS VARCHAR)`)} <= ${constant(MAX_SAMPLED_CHARACTERS)}`,
  );
  return withTexts(query("sampled documents", documents));
}

/** Of a long text, which a stub stands for, the bytes. */
function textLength({ longTexts }: FieldScope, document: Sql): Sql {
  return longTexts ? sql`coalesce(${textBytes(document)}, length(${document}))` : sql`length(${document})`;
}

function sample(scope: FieldScope, field: JsonField, rowKeys: readonly Key[], which: Sample): Sql {
  if (field.kind !== "input") return sql`${sampledTrials(scope, which)} AS t`;
  return sql`(SELECT ${jsonColumns((x) => sql`coalesce(val${x}, inline_example${x}) AS document${x}`)} FROM rows
    WHERE ${amongKeys(sql`row_key`, rowKeys)}) AS r`;
}

function sampledTrials(
  { evaluationKeys, longTexts }: Pick<FieldScope, "evaluationKeys" | "longTexts">,
  which: Sample,
): Sql {
  const order = which === "any" ? EMPTY : sql` ORDER BY started_at, id`;
  return sql`(SELECT row_key, ${longTexts ? sql`text_bytes, ` : EMPTY}${jsonColumns((x) => sql`output${x}, late_scores${x}`)} FROM trials
    WHERE ${inKeys(sql`evaluation_key`, evaluationKeys)}${order} LIMIT ${constant(SAMPLED_TRIALS)})`;
}

function isPresent(scope: FieldScope, field: JsonField): Sql {
  const found = sql`coalesce(json_type(${valueOf(scope, field)}) <> 'NULL', false)`;
  if (field.kind === "score") return found;
  const document = field.kind === "output" ? sql`t.output` : sql`r.document`;
  // Nobody reads a long text to learn that a field is not there.
  const long = isLong({ ...scope, range: null }, sql`t`, field);
  const isThere = long === null ? EMPTY : sql`WHEN ${long} THEN true `;
  return sql`CASE ${isThere}WHEN ${mayHave(document, field.pointer)} THEN ${found} ELSE false END`;
}

/**
 * Whether a document may have the members of a pointer, by a plain search for their names: to parse the JSON of a
 * million trials takes seconds. A name stands in a document as it is, unless a character of it is escaped.
 */
function mayHave(document: Sql, pointer: string): Sql {
  const names = pointer.split("/").slice(1);
  const plain = names.filter((name) => PLAIN_NAME.test(name) && !/^\d+$/.test(name));
  const tests = plain.map((name) => sql`contains(${document}, ${text(name)})`);
  if (tests.length === 0) return sql`true`;
  return sql`(${join(tests, sql` AND `)} OR contains(${document}, ${text("\\u")}))`;
}

/** Characters that JSON escapes with `\u` alone, if at all, and that a pointer has as they are. */
const PLAIN_NAME = /^[^"\\/~\p{Cc}\p{Cs}]+$/u;

function valueOf(scope: FieldScope, field: JsonField): Sql {
  switch (field.kind) {
    case "score":
      return scoreValue(scope, sql`t`, field.pointer);
    case "output":
      return outputValue(sql`t`, field);
    case "input":
      return jsonAt(sql`r.document`, field.pointer);
  }
}
