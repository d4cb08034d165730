import { boolean, double, identifier, join, sql, text, type Sql } from "../../store/sql.ts";
import type { CastTarget, Comparison, Expression } from "../../request/eval-request.ts";

/** The readings of one operand, each null where the operand cannot be read so. */
export interface Operand {
  readonly number: Sql;
  readonly text: Sql;
  readonly boolean: Sql;
  /** As a condition by itself. */
  readonly condition: Sql;
  readonly present: Sql;
}

const NULL_NUMBER = sql`CAST(NULL AS DOUBLE)`;
const NULL_TEXT = sql`CAST(NULL AS VARCHAR)`;
const NULL_BOOLEAN = sql`CAST(NULL AS BOOLEAN)`;

export const MISSING: Operand = {
  number: NULL_NUMBER,
  text: NULL_TEXT,
  boolean: NULL_BOOLEAN,
  condition: NULL_BOOLEAN,
  present: sql`false`,
};

/** One reading of a JSON value, which is taken out of its document once. */
export function jsonReading(value: Sql, reading: (operand: Operand) => Sql): Sql {
  const name = identifier("j");
  return bind(value, name, reading(jsonOperand(name)));
}

/** A JSON value. Its readings name it several times. */
export function jsonOperand(value: Sql): Operand {
  return {
    number: sql`json_number(${value})`,
    text: sql`json_text(${value})`,
    boolean: sql`json_boolean(${value})`,
    condition: sql`json_condition(${value})`,
    present: sql`coalesce(json_type(${value}) <> 'NULL', false)`,
  };
}

/** A score leaf, by the alias of its record in `scores`. */
export function leafOperand(alias: Sql): Operand {
  return {
    number: sql`${alias}.number`,
    text: sql`CASE ${alias}.kind WHEN 2 THEN ${alias}.text
      WHEN 1 THEN CASE WHEN ${alias}.number = 1 THEN 'true' ELSE 'false' END
      ELSE coalesce(${alias}.text, number_text(${alias}.number)) END`,
    boolean: sql`CASE WHEN ${alias}.kind = 2 THEN
      CASE ${alias}.text WHEN 'true' THEN true WHEN 'false' THEN false END
      ELSE CASE ${alias}.number WHEN 1 THEN true WHEN 0 THEN false END END`,
    condition: sql`CASE WHEN ${alias}.kind = 2 THEN ${alias}.text <> '' ELSE coalesce(${alias}.number <> 0, ${alias}.text <> '') END`,
    present: sql`(${alias}.kind IS NOT NULL)`,
  };
}

export function numberOperand(number: Sql): Operand {
  return {
    number,
    text: sql`number_text(${number})`,
    boolean: sql`CASE ${number} WHEN 1 THEN true WHEN 0 THEN false END`,
    condition: sql`(${number} <> 0)`,
    present: sql`(${number} IS NOT NULL)`,
  };
}

export function textOperand(value: Sql): Operand {
  return {
    number: sql`text_number(${value})`,
    text: value,
    boolean: sql`CASE ${value} WHEN 'true' THEN true WHEN 'false' THEN false END`,
    condition: sql`(${value} <> '')`,
    present: sql`(${value} IS NOT NULL)`,
  };
}

function booleanOperand(value: Sql): Operand {
  return {
    number: sql`CAST(${value} AS DOUBLE)`,
    text: sql`CASE ${value} WHEN true THEN 'true' WHEN false THEN 'false' END`,
    boolean: value,
    condition: value,
    present: sql`(${value} IS NOT NULL)`,
  };
}

function literalOperand(value: string | number | boolean | null): Operand {
  if (typeof value === "string") return textOperand(sql`${text(value)}`);
  if (typeof value === "number") return numberOperand(sql`${double(value)}`);
  return value === null ? MISSING : booleanOperand(sql`${boolean(value)}`);
}

type Reading = keyof Operand;

/** An operand whose readings are made when they are asked for. */
export function lazyOperand(read: (reading: Reading) => Sql): Operand {
  return {
    get number() {
      return read("number");
    },
    get text() {
      return read("text");
    },
    get boolean() {
      return read("boolean");
    },
    get condition() {
      return read("condition");
    },
    get present() {
      return read("present");
    },
  };
}

/** How a field is read. */
export type ReadField<Field> = (field: Field) => Operand;

/** An expression as a condition: true, false or null. */
export function compileCondition<Field>(expression: Expression<Field>, read: ReadField<Field>): Sql {
  return compile(expression, { read, depth: 0 });
}

interface Scope<Field> {
  readonly read: ReadField<Field>;
  /** Counts the variables bound around an expression, so that each has a name of its own. */
  readonly depth: number;
}

function compile<Field>(expression: Expression<Field>, scope: Scope<Field>): Sql {
  switch (expression.kind) {
    case "literal":
    case "field":
    case "convert":
      return use(expression, scope, (operand) => operand.condition);
    case "and":
    case "or": {
      const operands = expression.operands.map((one) => sql`(${compile(one, scope)})`);
      return sql`(${join(operands, expression.kind === "and" ? sql` AND ` : sql` OR `)})`;
    }
    case "not":
      return sql`(NOT (${compile(expression.operand, scope)}))`;
    case "compare":
      return compileComparison(expression, scope);
    case "in":
      return compileMembership(expression, scope);
    case "contains":
      return use(expression.input, scope, (input, inner) =>
        use(expression.substring, inner, (substring) =>
          expression.caseInsensitive
            ? sql`contains(lower(${input.text}), lower(${substring.text}))`
            : sql`contains(${input.text}, ${substring.text})`,
        ),
      );
  }
}

/**
 * Uses an expression as an operand. What is more than a field is computed once and bound to a variable (a
 * lambda's parameter), since its readings may be written several times and expressions nest.
 */
function use<Field>(
  expression: Expression<Field>,
  scope: Scope<Field>,
  body: (operand: Operand, scope: Scope<Field>) => Sql,
): Sql {
  if (expression.kind === "literal") return body(literalOperand(expression.value), scope);
  if (expression.kind === "field") return body(scope.read(expression.field), scope);
  const name = identifier(`v${scope.depth}`);
  const inner = { ...scope, depth: scope.depth + 1 };
  if (expression.kind !== "convert") {
    return bind(compile(expression, scope), name, body(booleanOperand(name), inner));
  }
  const { input, to } = expression;
  if (input.kind === "field" || input.kind === "literal") {
    return use(input, scope, (operand) => body(convert(operand, to), scope));
  }
  return use(input, scope, (operand, below) => {
    const converted = identifier(`v${below.depth}`);
    const { value, reading } = primary(operand, to);
    return bind(value, converted, body(reading(converted), { ...below, depth: below.depth + 1 }));
  });
}

/** `body` with `name` standing for `value`, which is computed once a record. */
export function bind(value: Sql, name: Sql, body: Sql): Sql {
  return sql`list_transform([${value}], lambda ${name}: ${body})[1]`;
}

function convert(input: Operand, to: CastTarget): Operand {
  const { value, reading } = primary(input, to);
  return reading(value);
}

/** The value of a cast, and how it is read on. */
function primary(
  input: Operand,
  to: CastTarget,
): { readonly value: Sql; readonly reading: (value: Sql) => Operand } {
  switch (to) {
    case "double":
      return { value: input.number, reading: numberOperand };
    case "int":
      return {
        value: sql`(CASE WHEN ${input.number} = trunc(${input.number}) THEN ${input.number} END)`,
        reading: numberOperand,
      };
    case "string":
      return { value: input.text, reading: textOperand };
    case "bool":
      return { value: input.boolean, reading: booleanOperand };
    case "exists":
      return { value: input.present, reading: booleanOperand };
  }
}

const OPERATORS = { eq: sql` = `, gt: sql` > `, gte: sql` >= `, lt: sql` < `, lte: sql` <= ` } as const;

/** Compared as the literal opposite says, the right one first. */
function compileComparison<Field>(
  { comparison, left, right }: Expression<Field> & { kind: "compare" },
  scope: Scope<Field>,
): Sql {
  if (isNullLiteral(left) || isNullLiteral(right)) {
    if (comparison !== "eq") return NULL_BOOLEAN;
    return use(isNullLiteral(right) ? left : right, scope, (operand) => sql`(NOT ${operand.present})`);
  }
  const typing = literalValue(right) ?? literalValue(left);
  return use(left, scope, (a, inner) => use(right, inner, (b) => compareOperands(comparison, a, b, typing)));
}

function isNullLiteral<Field>(expression: Expression<Field>): boolean {
  return expression.kind === "literal" && expression.value === null;
}

/** The value of a constant, null for anything else. */
function literalValue<Field>(expression: Expression<Field>): string | number | boolean | null {
  return expression.kind === "literal" ? expression.value : null;
}

function compareOperands(
  comparison: Comparison,
  a: Operand,
  b: Operand,
  typing: string | number | boolean | null,
): Sql {
  const operator = OPERATORS[comparison];
  if (typeof typing === "number") return sql`(${a.number}${operator}${b.number})`;
  if (typeof typing === "boolean") return sql`(${a.boolean}${operator}${b.boolean})`;
  if (typeof typing === "string") return sql`(${a.text}${operator}${b.text})`;
  return sql`(CASE WHEN ${a.number} IS NOT NULL AND ${b.number} IS NOT NULL
    THEN ${a.number}${operator}${b.number} ELSE ${a.text}${operator}${b.text} END)`;
}

function among(reading: Sql, list: readonly Sql[]): Sql[] {
  return list.length === 0 ? [] : [sql`(${reading} IN (${join(list, sql`, `)}))`];
}

/** Equality with any option; constants of one type are one list. */
function compileMembership<Field>(
  { operand: tested, options }: Expression<Field> & { kind: "in" },
  scope: Scope<Field>,
): Sql {
  if (options.length === 0) return sql`false`;
  const constants = options.flatMap((option) => (option.kind === "literal" ? [option.value] : []));
  const texts = constants.filter((value) => typeof value === "string");
  const numbers = constants.filter((value) => typeof value === "number");
  const truths = constants.filter((value) => typeof value === "boolean");
  const others = options.filter((option) => option.kind !== "literal" || option.value === null);
  return use(tested, scope, (a, inner) => {
    const tests = [
      ...among(
        a.text,
        texts.map((value) => sql`${text(value)}`),
      ),
      ...among(
        a.number,
        numbers.map((value) => sql`${double(value)}`),
      ),
      ...among(
        a.boolean,
        truths.map((value) => sql`${boolean(value)}`),
      ),
      ...others.map((option) => {
        if (option.kind === "literal") return sql`(NOT ${a.present})`;
        return use(option, inner, (b) =>
          isNullLiteral(tested) ? sql`(NOT ${b.present})` : compareOperands("eq", a, b, literalValue(tested)),
        );
      }),
    ];
    return sql`(${join(tests, sql` OR `)})`;
  });
}
