import { boolean, double, identifier, sql, text, type Sql } from "../../store/sql.ts";
import type { CastTarget } from "../../request/expression.ts";
import { bind } from "../relations/spelled.ts";

/** The readings of one operand; each is null where the operand cannot be read as that type. */
export interface Operand {
  readonly number: Sql;
  readonly text: Sql;
  readonly boolean: Sql;
  /** The operand as a condition by itself. */
  readonly condition: Sql;
  readonly present: Sql;
}

const NULL_NUMBER = sql`CAST(NULL AS DOUBLE)`;
const NULL_TEXT = sql`CAST(NULL AS VARCHAR)`;
export const NULL_BOOLEAN = sql`CAST(NULL AS BOOLEAN)`;

export const MISSING: Operand = {
  number: NULL_NUMBER,
  text: NULL_TEXT,
  boolean: NULL_BOOLEAN,
  condition: NULL_BOOLEAN,
  present: sql`false`,
};

/** One reading of a JSON value, which is extracted from its document once. */
export function jsonReading(value: Sql, reading: (operand: Operand) => Sql): Sql {
  const name = identifier("j");
  return bind(value, name, reading(jsonOperand(name)));
}

/** A JSON value. Its readings contain `value` several times. */
export function jsonOperand(value: Sql): Operand {
  return {
    number: sql`json_number(${value})`,
    text: sql`json_text(${value})`,
    boolean: sql`json_boolean(${value})`,
    condition: sql`json_condition(${value})`,
    present: sql`coalesce(json_type(${value}) <> 'NULL', false)`,
  };
}

/** A score value, by the alias of its record in `scores`. */
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

export function booleanOperand(value: Sql): Operand {
  return {
    number: sql`CAST(${value} AS DOUBLE)`,
    text: sql`CASE ${value} WHEN true THEN 'true' WHEN false THEN 'false' END`,
    boolean: value,
    condition: value,
    present: sql`(${value} IS NOT NULL)`,
  };
}

export function literalOperand(value: string | number | boolean | null): Operand {
  if (typeof value === "string") return textOperand(sql`${text(value)}`);
  if (typeof value === "number") return numberOperand(sql`${double(value)}`);
  return value === null ? MISSING : booleanOperand(sql`${boolean(value)}`);
}

type Reading = keyof Operand;

/** An operand whose readings are computed on access. */
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

/** The value of a cast, and the readings of that value. */
export function cast(
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
