import { column, query, type Query, select } from "../../store/query.ts";
import { boolean, double, join, sql, type Sql, text } from "../../store/sql.ts";
import type { FieldSource } from "../../plan/plan.ts";
import type { Expression, Operation } from "../../request/expression.ts";
import type { Operator, PatternText } from "../../request/operators.ts";
import { matches } from "../relations/spelled.ts";
import { NULL_BOOLEAN, type Operand } from "./operand.ts";

/** The context in which an operation is compiled. */
export interface Scope<Field> {
  /** Compiles an operand to a condition. */
  readonly condition: (expression: Expression<Field>) => Sql;
  /** Builds SQL with the readings of an operand. */
  readonly use: (expression: Expression<Field>, body: (operand: Operand, scope: Scope<Field>) => Sql) => Sql;
}

/** The outcome that an expression must have: `true`, or `known`, which is true or false. */
export type NeededTruth = "true" | "known";

/** The SQL of an operator, and its requirements. */
interface OperatorRule<Name extends Operator> {
  /** A condition that is true, false or null. */
  readonly condition: <Field>(operation: Operation<Field, Name>, scope: Scope<Field>) => Sql;
  /** The fields without whose values there is no such outcome. */
  readonly fields: <Field>(
    operation: Operation<Field, Name>,
    needed: (operand: Expression<Field>, to: NeededTruth) => ReadonlySet<Field>,
    to: NeededTruth,
  ) => ReadonlySet<Field>;
  /** The texts that documents must contain for the operation to be true. */
  readonly texts: (
    operation: Operation<FieldSource, Name>,
    required: (operand: Expression<FieldSource>) => RequiredText[],
  ) => RequiredText[];
}

type Comparison = "$eq" | "$gt" | "$gte" | "$lt" | "$lte";

export const OPERATORS: { readonly [Name in Operator]: OperatorRule<Name> } = {
  $and: {
    condition: ({ operands }, scope) => conditions(operands, sql` AND `, scope),
    fields: ({ operands }, needed, to) => {
      const sets = operands.map((one) => needed(one, to));
      return to === "true" ? union(sets) : intersection(sets);
    },
    texts: ({ operands }, required) => operands.flatMap(required),
  },
  $or: {
    condition: ({ operands }, scope) => conditions(operands, sql` OR `, scope),
    fields: ({ operands }, needed, to) => intersection(operands.map((one) => needed(one, to))),
    texts: none,
  },
  $not: {
    condition: ({ operands: [operand] }, scope) => sql`(NOT (${scope.condition(operand)}))`,
    fields: ({ operands: [operand] }, needed) => needed(operand, "known"),
    texts: none,
  },
  $eq: {
    ...comparison("$eq", sql` = `),
    texts: ({ operands: [left, right] }) => [
      ...textWithin(left, right, false),
      ...textWithin(right, left, false),
    ],
  },
  $gt: comparison("$gt", sql` > `),
  $gte: comparison("$gte", sql` >= `),
  $lt: comparison("$lt", sql` < `),
  $lte: comparison("$lte", sql` <= `),
  $in: {
    condition: ({ operands: [tested, ...options] }, scope) => membership(tested, options, scope),
    fields: ({ operands }, needed) =>
      operands.length === 1 || operands.some(isNullLiteral) ? new Set() : needed(operands[0], "known"),
    texts: none,
  },
  $contains: {
    condition: ({ operands: [input, substring], settings: { caseInsensitive } }, scope) =>
      scope.use(input, (whole, inner) =>
        inner.use(substring, (part) =>
          caseInsensitive
            ? sql`contains(lower(${whole.text}), lower(${part.text}))`
            : sql`contains(${whole.text}, ${part.text})`,
        ),
      ),
    fields: allKnown,
    texts: ({ operands: [input, substring], settings: { caseInsensitive } }) =>
      textWithin(input, substring, caseInsensitive),
  },
  $regex: {
    condition: ({ operands: [input], settings }, scope) =>
      scope.use(input, (whole) => matchesPattern(whole.text, settings)),
    fields: allKnown,
    texts: none,
  },
};

/** A query that fails where DuckDB cannot compile the pattern. */
export function compilePatternCheck(pattern: PatternText): Query<{ readonly matches: boolean }> {
  return query("pattern check", select({ matches: column.boolean(matchesPattern(sql`''`, pattern)) }, sql``));
}

/** Whether the pattern matches anywhere in the text. */
function matchesPattern(value: Sql, { pattern, caseInsensitive }: PatternText): Sql {
  return matches(value, sql`${text(pattern)}`, caseInsensitive);
}

function none(): RequiredText[] {
  return [];
}

function allKnown<Field>(
  { operands }: { readonly operands: readonly Expression<Field>[] },
  needed: (operand: Expression<Field>, to: NeededTruth) => ReadonlySet<Field>,
): ReadonlySet<Field> {
  return union(operands.map((one) => needed(one, "known")));
}

function conditions<Field>(operands: readonly Expression<Field>[], between: Sql, scope: Scope<Field>): Sql {
  return sql`(${join(
    operands.map((one) => sql`(${scope.condition(one)})`),
    between,
  )})`;
}

/** A comparison in the type of the literal operand; the right one decides where both are literals. */
function comparison(name: Comparison, operator: Sql): OperatorRule<Comparison> {
  return {
    condition: ({ operands: [left, right] }, scope) => {
      if (isNullLiteral(left) || isNullLiteral(right)) {
        if (name !== "$eq") return NULL_BOOLEAN;
        return scope.use(isNullLiteral(right) ? left : right, isMissing);
      }
      const typing = literalValue(right) ?? literalValue(left);
      return scope.use(left, (a, inner) => inner.use(right, (b) => compared(operator, a, b, typing)));
    },
    fields: (operation, needed) =>
      operation.operands.some(isNullLiteral) ? new Set() : allKnown(operation, needed),
    texts: none,
  };
}

function isMissing({ present }: Operand): Sql {
  return sql`(NOT ${present})`;
}

function isNullLiteral<Field>(expression: Expression<Field>): boolean {
  return expression.kind === "literal" && expression.value === null;
}

type LiteralValue = string | number | boolean | null;

/** The value of a literal; null for anything else. */
function literalValue<Field>(expression: Expression<Field>): LiteralValue {
  return expression.kind === "literal" ? expression.value : null;
}

function compared(operator: Sql, a: Operand, b: Operand, typing: LiteralValue): Sql {
  if (typeof typing === "number") return sql`(${a.number}${operator}${b.number})`;
  if (typeof typing === "boolean") return sql`(${a.boolean}${operator}${b.boolean})`;
  if (typeof typing === "string") return sql`(${a.text}${operator}${b.text})`;
  return sql`(CASE WHEN ${a.number} IS NOT NULL AND ${b.number} IS NOT NULL
    THEN ${a.number}${operator}${b.number} ELSE ${a.text}${operator}${b.text} END)`;
}

/** Equality with any of the options; literals of one type become one IN list. */
function membership<Field>(
  tested: Expression<Field>,
  options: readonly Expression<Field>[],
  scope: Scope<Field>,
): Sql {
  if (options.length === 0) return sql`false`;
  const constants = options.map(literalValue).filter((value) => value !== null);
  const others = options.filter((option) => literalValue(option) === null);
  return scope.use(tested, (a, inner) => {
    const tests = [
      ...among(
        a.text,
        constants.flatMap((value) => (typeof value === "string" ? [sql`${text(value)}`] : [])),
      ),
      ...among(
        a.number,
        constants.flatMap((value) => (typeof value === "number" ? [sql`${double(value)}`] : [])),
      ),
      ...among(
        a.boolean,
        constants.flatMap((value) => (typeof value === "boolean" ? [sql`${boolean(value)}`] : [])),
      ),
      ...others.map((option) => {
        if (option.kind === "literal") return isMissing(a);
        return inner.use(option, (b) =>
          isNullLiteral(tested) ? isMissing(b) : compared(sql` = `, a, b, literalValue(tested)),
        );
      }),
    ];
    return sql`(${join(tests, sql` OR `)})`;
  });
}

function among(reading: Sql, list: readonly Sql[]): Sql[] {
  return list.length === 0 ? [] : [sql`(${reading} IN (${join(list)}))`];
}

function union<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  return new Set(sets.flatMap((set) => [...set]));
}

function intersection<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  const [first = new Set<T>(), ...rest] = sets;
  return new Set([...first].filter((item) => rest.every((set) => set.has(item))));
}

/** A text that the JSON document of a field must contain for an expression to be true. */
export interface RequiredText {
  readonly field: Extract<FieldSource, { readonly kind: "output" | "input" }>;
  /** At least one of these spellings must occur. */
  readonly spellings: readonly string[];
  readonly caseInsensitive: boolean;
}

/** The text that the document must contain where `input` contains `wanted`; empty where nothing is required. */
function textWithin(
  input: Expression<FieldSource>,
  wanted: Expression<FieldSource>,
  caseInsensitive: boolean,
): RequiredText[] {
  if (input.kind !== "field" || (input.field.kind !== "output" && input.field.kind !== "input")) return [];
  if (wanted.kind !== "literal" || typeof wanted.value !== "string" || wanted.value === "") return [];
  const plain = wanted.value.toWellFormed();
  const escaped = JSON.stringify(plain).slice(1, -1);
  return [
    {
      field: input.field,
      spellings: [...new Set([plain, escaped])],
      caseInsensitive,
    },
  ];
}
