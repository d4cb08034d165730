import { boolean, double, sql, text, type Sql } from "../model/sql.ts";
import type { CastTarget, Comparison, Expression } from "../request/eval-request.ts";

/** The readings of one operand (semantics 5.3, 7.5, 7.6), each null where the operand cannot be read so. */
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

/** A value of the JSON at `document`, below `pointer`. */
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
    present: sql`${alias}.kind IS NOT NULL`,
  };
}

export function numberOperand(number: Sql): Operand {
  return {
    number,
    text: sql`number_text(${number})`,
    boolean: sql`CASE ${number} WHEN 1 THEN true WHEN 0 THEN false END`,
    condition: sql`${number} <> 0`,
    present: sql`${number} IS NOT NULL`,
  };
}

export function textOperand(value: Sql): Operand {
  return {
    number: sql`text_number(${value})`,
    text: value,
    boolean: sql`CASE ${value} WHEN 'true' THEN true WHEN 'false' THEN false END`,
    condition: sql`${value} <> ''`,
    present: sql`${value} IS NOT NULL`,
  };
}

export function booleanOperand(value: Sql): Operand {
  return {
    number: sql`CAST(${value} AS DOUBLE)`,
    text: sql`CASE ${value} WHEN true THEN 'true' WHEN false THEN 'false' END`,
    boolean: value,
    condition: value,
    present: sql`${value} IS NOT NULL`,
  };
}

function literalOperand(value: string | number | boolean | null): Operand {
  if (typeof value === "string") return textOperand(sql`${text(value)}`);
  if (typeof value === "number") return numberOperand(sql`${double(value)}`);
  return value === null ? MISSING : booleanOperand(sql`${boolean(value)}`);
}

/** Reads an expression over fields that `field` resolves. */
export function compileOperand<Field>(
  expression: Expression<Field>,
  field: (field: Field) => Operand,
): Operand {
  const inside = (one: Expression<Field>) => compileOperand(one, field);
  switch (expression.kind) {
    case "literal":
      return literalOperand(expression.value);
    case "field":
      return field(expression.field);
    case "convert":
      return convert(inside(expression.input), expression.to);
    case "and":
      return booleanOperand(connect(expression.operands.map(inside), sql` AND `));
    case "or":
      return booleanOperand(connect(expression.operands.map(inside), sql` OR `));
    case "not":
      return booleanOperand(sql`(NOT (${inside(expression.operand).condition}))`);
    case "compare":
      return booleanOperand(compare(expression.comparison, expression.left, expression.right, inside));
    case "in": {
      const options = expression.options.map((option) =>
        booleanOperand(compare("eq", expression.operand, option, inside)),
      );
      return booleanOperand(options.length === 0 ? sql`false` : connect(options, sql` OR `));
    }
    case "contains": {
      const input = inside(expression.input).text;
      const substring = inside(expression.substring).text;
      return booleanOperand(
        expression.caseInsensitive
          ? sql`contains(lower(${input}), lower(${substring}))`
          : sql`contains(${input}, ${substring})`,
      );
    }
  }
}

function connect(operands: readonly Operand[], operator: Sql): Sql {
  const joined = operands.reduce(
    (all, one, i) => (i === 0 ? sql`(${one.condition})` : sql`${all}${operator}(${one.condition})`),
    sql``,
  );
  return sql`(${joined})`;
}

function convert(input: Operand, to: CastTarget): Operand {
  switch (to) {
    case "double":
      return numberOperand(input.number);
    case "int":
      return numberOperand(
        sql`(CASE WHEN ${input.number} = trunc(${input.number}) THEN ${input.number} END)`,
      );
    case "string":
      return textOperand(input.text);
    case "bool":
      return booleanOperand(input.boolean);
    case "exists":
      return booleanOperand(input.present);
  }
}

const OPERATORS = { eq: sql` = `, gt: sql` > `, gte: sql` >= `, lt: sql` < `, lte: sql` <= ` } as const;

/** Semantics 7.3 and 7.5: compared as the literal opposite says, the right one first. */
function compare<Field>(
  comparison: Comparison,
  left: Expression<Field>,
  right: Expression<Field>,
  operand: (expression: Expression<Field>) => Operand,
): Sql {
  const a = operand(left);
  const b = operand(right);
  const operator = OPERATORS[comparison];
  const isNull = (one: Expression<Field>) => one.kind === "literal" && one.value === null;
  if (isNull(left) || isNull(right)) {
    if (comparison !== "eq") return NULL_BOOLEAN;
    return sql`(NOT (${isNull(right) ? a.present : b.present}))`;
  }
  const typing = right.kind === "literal" ? right.value : left.kind === "literal" ? left.value : null;
  if (typeof typing === "number") return sql`(${a.number}${operator}${b.number})`;
  if (typeof typing === "boolean") return sql`(${a.boolean}${operator}${b.boolean})`;
  if (typeof typing === "string") return sql`(${a.text}${operator}${b.text})`;
  return sql`(CASE WHEN ${a.number} IS NOT NULL AND ${b.number} IS NOT NULL
    THEN ${a.number}${operator}${b.number} ELSE ${a.text}${operator}${b.text} END)`;
}
