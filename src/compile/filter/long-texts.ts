import { mayBeLong, type FieldSource, type FilterPlan, type Plan } from "../../plan/plan.ts";
import type { Key } from "../../model/digest.ts";
import { fieldsOf, type Expression } from "../../request/expression.ts";
import { column, mapped, nullable, query, select } from "../../store/query.ts";
import { EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import { textBytes, textKey } from "../relations/spelled.ts";
import { amongTrials, anyLong, requiredTexts, searched, trialSource, withSharedFields } from "./filters.ts";
import { readOnce } from "./read-once.ts";

/** A trial with a long text, and its texts. */
export interface LongTrial {
  readonly trialKey: Key;
  readonly rowKey: Key;
  readonly outputKey: number | null;
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
    return long === null ? sql` AND (${isTrue})` : sql` AND CASE WHEN ${long} THEN true ELSE ${isTrue} END`;
  });
  const rows = among === null ? EMPTY : sql` AND t.row_key IN (SELECT row_key FROM (${among}))`;
  const none = sql`NULL::BIGINT`;
  const trials = select(
    {
      trialKey: column.key(sql`t.trial_key`),
      rowKey: column.key(sql`t.row_key`),
      outputKey: nullable(column.integer(output === undefined ? none : textKey(sql`t.output`))),
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
