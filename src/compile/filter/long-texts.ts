import { mayBeLong, type FieldSource, type FilterPlan, type Plan } from "../../plan/plan.ts";
import type { Key } from "../../model/digest.ts";
import { fieldsOf, type Expression } from "../../request/expression.ts";
import { column, mapped, nullable, query, select } from "../../store/query.ts";
import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import { isOutput, textBytes, textKey } from "../relations/spelled.ts";
import { amongTrials, anyLong, requiredTexts, searched, trialSource, withSharedFields } from "./filters.ts";
import { readOnce } from "./read-once.ts";

/** A trial with a long text, and its texts. */
export interface LongTrial {
  readonly trialKey: Key;
  readonly rowKey: Key;
  readonly outputKey: number | null;
  /** Whether that text is the member `output` of the output. */
  readonly isOutput: boolean;
  readonly documentKey: number | null;
  /** Of all of its texts. */
  readonly bytes: number;
}

/** What of a long text is asked: a condition of which the parts without long texts are tested already, or fields. */
export interface LongUse {
  readonly evaluationKeys: readonly number[];
  readonly fields: Iterable<FieldSource>;
  readonly condition: Expression<FieldSource> | null;
  /** Rows of which the trials are; null for all. */
  readonly among: Sql | null;
}

/** The trials that have a long text where it is asked for. */
export function compileLongTrials(plan: Plan, { evaluationKeys, fields, condition, among }: LongUse) {
  const parts = condition === null ? [] : conjunctsOf(condition);
  const asked = [...fields].filter(mayBeLong);
  const input = asked.find(({ kind }) => kind === "input");
  const output = asked.find(({ kind }) => kind === "output");
  const needed = [...parts.flatMap((one) => [...fieldsOf(one)]), ...(input === undefined ? [] : [input])];
  const source = trialSource(plan, evaluationKeys, new Set(needed), null);
  const tests = parts.map((one) => {
    const isTrue = readOnce(one, fieldsOf(one), source.operand, source.json);
    const long = anyLong(plan, fieldsOf(one));
    const mayBeTrue = ofBytes(bytesAsked(one));
    return long === null
      ? sql` AND (${isTrue})`
      : sql` AND CASE WHEN ${long} THEN ${mayBeTrue} ELSE ${isTrue} END`;
  });
  const rows = among === null ? EMPTY : sql` AND t.row_key IN (SELECT row_key FROM (${among}))`;
  const none = sql`NULL::BIGINT`;
  const trials = select(
    {
      trialKey: column.key(sql`t.trial_key`),
      rowKey: column.key(sql`t.row_key`),
      outputKey: nullable(column.integer(output === undefined ? none : textKey(sql`t.output`))),
      isOutput: column.boolean(output === undefined ? sql`false` : isOutput(sql`t.output`)),
      documentKey: nullable(column.integer(input === undefined ? none : textKey(sql`r.document`))),
      outputBytes: nullable(column.integer(output === undefined ? none : sql`t.text_bytes`)),
      documentBytes: nullable(column.integer(input === undefined ? none : textBytes(sql`r.document`))),
    },
    sql` FROM ${source.from}${join(tests, EMPTY)}${rows} AND ${anyLong(plan, asked) ?? sql`false`}`,
  );
  return query(
    "long texts",
    mapped(trials, ({ outputBytes, documentBytes, ...one }): LongTrial => ({
      ...one,
      bytes: (outputBytes ?? 0) + (documentBytes ?? 0),
    })),
  );
}

function conjunctsOf(expression: Expression<FieldSource>): readonly Expression<FieldSource>[] {
  return expression.kind === "$and" ? expression.operands.flatMap(conjunctsOf) : [expression];
}

function ofBytes(bytes: readonly number[] | null): Sql {
  return bytes === null ? sql`true` : sql`t.text_bytes IN (${join(bytes.map((one) => constant(one)))})`;
}

/**
 * How many bytes a long output has that equals one of the texts of a condition: as a string, or as an object or list
 * that is its own text. Null where the condition asks for anything else.
 */
function bytesAsked(one: Expression<FieldSource>): readonly number[] | null {
  if (one.kind !== "$eq" && one.kind !== "$in") return null;
  const [first, ...others] = one.operands;
  const isFirst = isWholeText(first);
  const [tested, options] = isFirst || one.kind === "$in" ? [first, others] : [others[0], [first]];
  const texts = options.flatMap((option) =>
    option.kind === "literal" && typeof option.value === "string" ? [option.value] : [],
  );
  if (!isWholeText(tested) || texts.length < options.length || texts.length === 0) return null;
  const spelled = texts.map((text) => text.toWellFormed());
  return spelled.flatMap((text) => [JSON.stringify(text), text].map((json) => Buffer.byteLength(json)));
}

function isWholeText(one: Expression<FieldSource> | undefined): boolean {
  return one?.kind === "field" && isWholeOutput(one.field);
}

/** Whether a field is all of what may be the long text of an output. */
export function isWholeOutput(field: FieldSource): boolean {
  return field.kind === "output" && field.pointer === (field.of === "model" ? "" : "/output");
}

/** Those of the range of the plan that fulfil the condition of a filter. */
export function compileLongTrue(plan: Plan, { condition, evaluationKeys }: FilterPlan) {
  const expression = withSharedFields(condition);
  const source = trialSource(plan, evaluationKeys ?? [], fieldsOf(expression), null);
  const isTrue = readOnce(expression, fieldsOf(expression), source.operand, source.json);
  const texts = join(
    requiredTexts(expression).map((one) => searched(one, null, plan.range)),
    EMPTY,
  );
  const keys = plan.range?.trialKeys ?? [];
  return query(
    "condition on long texts",
    select(
      { key: column.key(sql`t.trial_key`) },
      sql` FROM ${source.from}${texts} AND ${amongTrials(sql`t.trial_key`, keys)} AND (${isTrue})`,
    ),
  );
}
