import { boolean, constant, double, EMPTY, identifier, join, sql, type Sql } from "../../store/sql.ts";
import type {
  ArithmeticOperator,
  ScoreComparison,
  ScoreExpression,
  ScoreFunction,
} from "../../model/score-expression.ts";

/**
 * Derived scores in SQL, operation by operation as mathjs computes them on numbers. Null is a missing value. The result
 * of an operation is null where an operand is missing or the result is no finite real number.
 */

interface Value {
  readonly sql: Sql;
  readonly type: "number" | "boolean";
  /** The number of nested subqueries that its columns need. */
  readonly level: number;
  /** Whether it is a column or a constant, which may be written several times and is finite or null. */
  readonly atomic: boolean;
}

/** The columns that each subquery adds to the one inside it. */
type Levels = Sql[][];

/** Computes `expression` over the relation `from`, which has a column of finite doubles for each dimension. */
export function computeScore<Leaf>(
  expression: ScoreExpression<Leaf>,
  from: Sql,
  column: (leaf: Leaf) => Sql,
) {
  const levels: Levels = [];
  const { sql: value } = settled(compute(expression, { column, levels }), levels);
  return {
    from: levels.reduce((inner, columns) => sql`(SELECT *${join(columns, EMPTY)} FROM ${inner})`, from),
    value,
  };
}

interface Scope<Leaf> {
  readonly column: (leaf: Leaf) => Sql;
  readonly levels: Levels;
}

function compute<Leaf>(expression: ScoreExpression<Leaf>, scope: Scope<Leaf>): Value {
  const { levels } = scope;
  const inside = (one: ScoreExpression<Leaf>) => compute(one, scope);
  switch (expression.kind) {
    case "constant":
      return literal(expression.value);
    case "leaf":
      return { sql: scope.column(expression.leaf), type: "number", level: 0, atomic: true };
    case "signed": {
      const operand = asNumber(inside(expression.operand));
      return expression.negative ? made([operand], sql`(-${operand.sql})`) : operand;
    }
    case "arithmetic":
      return arithmetic(expression.operator, inside(expression.left), inside(expression.right), levels);
    case "compare": {
      const left = settled(inside(expression.left), levels);
      const right = settled(inside(expression.right), levels);
      return made([left, right], compare(expression.comparison, left.sql, right.sql), "boolean");
    }
    case "and":
    case "or": {
      const left = asTruth(inside(expression.left), levels);
      return logic(expression.kind, left, asTruth(inside(expression.right), levels));
    }
    case "not": {
      const operand = asTruth(inside(expression.operand), levels);
      return made([operand], sql`(NOT ${operand.sql})`, "boolean");
    }
    case "condition":
      return choose(
        inside(expression.test),
        inside(expression.whenTrue),
        inside(expression.whenFalse),
        levels,
      );
    case "call":
      return call(expression.name, expression.args.map(inside), levels);
  }
}

function literal(value: number | boolean): Value {
  return typeof value === "number"
    ? { sql: sql`${double(value)}`, type: "number", level: 0, atomic: true }
    : { sql: sql`${boolean(value)}`, type: "boolean", level: 0, atomic: true };
}

function made(operands: readonly Value[], text: Sql, type: Value["type"] = "number"): Value {
  return { sql: text, type, level: Math.max(0, ...operands.map(({ level }) => level)), atomic: false };
}

function asNumber(value: Value): Value {
  return value.type === "number" ? value : made([value], sql`CAST(${value.sql} AS DOUBLE)`);
}

/** The value as a number that is atomic: finite or null. */
function settled(value: Value, levels: Levels): Value {
  const { sql: text, level, atomic, type } = asNumber(value);
  if (atomic) return { sql: text, level, atomic, type };
  const finite = value.type === "boolean" ? text : sql`finite(${text})`;
  return bound(finite, level, "number", levels);
}

/** The value as a boolean: true, false or null. */
function asTruth(value: Value, levels: Levels): Value {
  if (value.type === "boolean") return value;
  const number = settled(value, levels);
  return made([number], sql`(${number.sql} <> 0)`, "boolean");
}

/** Adds a column to the next subquery and returns it. */
function bound(text: Sql, level: number, type: Value["type"], levels: Levels): Value {
  const columns = levels[level] ?? [];
  const name = identifier(`c${level}_${columns.length}`);
  columns.push(sql`, ${text} AS ${name}`);
  levels[level] = columns;
  return { sql: name, type, level: level + 1, atomic: true };
}

function arithmetic(operator: ArithmeticOperator, a: Value, b: Value, levels: Levels): Value {
  switch (operator) {
    case "add":
      return binary(asNumber(a), asNumber(b), sql` + `);
    case "subtract":
      return binary(asNumber(a), asNumber(b), sql` - `);
    case "multiply":
      return binary(asNumber(a), asNumber(b), sql` * `);
    case "divide":
      return binary(asNumber(a), settled(b, levels), sql` / `);
    case "power": {
      const [base, exponent] = [settled(a, levels), settled(b, levels)];
      return made([base, exponent], sql`pow(${base.sql}, ${exponent.sql})`);
    }
    case "modulo": {
      const [x, y] = [settled(a, levels), settled(b, levels)];
      const quotient = settled(binary(x, y, sql` / `), levels);
      const floor = settled(whole("floor", quotient, levels), levels);
      return made(
        [x, y, floor],
        sql`(CASE WHEN ${y.sql} = 0 THEN ${x.sql} ELSE ${x.sql} - ${y.sql} * ${floor.sql} END)`,
      );
    }
  }
}

function binary(a: Value, b: Value, operator: Sql): Value {
  return made([a, b], sql`(${a.sql}${operator}${b.sql})`);
}

/** The largest difference between numbers that mathjs takes for equal: relTol and absTol of its configuration. */
function tolerance(a: Sql, b: Sql): Sql {
  return sql`greatest(${constant(1e-12)} * greatest(abs(${a}), abs(${b})), ${constant(1e-15)})`;
}

function near(a: Sql, b: Sql): Sql {
  return compare("eq", a, b);
}

/** Compares by the difference alone, with the results of mathjs: `a > b and not nearlyEqual(a, b)` and so on. */
function compare(comparison: ScoreComparison, a: Sql, b: Sql): Sql {
  const apart = tolerance(a, b);
  switch (comparison) {
    case "eq":
      return sql`(abs(${a} - ${b}) <= ${apart})`;
    case "ne":
      return sql`(abs(${a} - ${b}) > ${apart})`;
    case "gt":
      return sql`(${a} - ${b} > ${apart})`;
    case "gte":
      return sql`(${a} - ${b} >= -${apart})`;
    case "lt":
      return sql`(${a} - ${b} < -${apart})`;
    case "lte":
      return sql`(${a} - ${b} <= ${apart})`;
  }
}

/** Unlike AND and OR, gives null where any operand is null. */
function logic(kind: "and" | "or", a: Value, b: Value): Value {
  const bit = (value: Value) => sql`CAST(${value.sql} AS INTEGER)`;
  const both = kind === "and" ? sql`${bit(a)} * ${bit(b)}` : sql`${bit(a)} + ${bit(b)}`;
  return made([a, b], sql`(${both} > 0)`, "boolean");
}

/** A missing value of the branch that is not taken does not matter. */
function choose(test: Value, whenTrue: Value, whenFalse: Value, levels: Levels): Value {
  const truth = asTruth(test, levels);
  const column = truth.atomic ? truth : bound(truth.sql, truth.level, "boolean", levels);
  const both = whenTrue.type === "boolean" && whenFalse.type === "boolean";
  const [a, b] = both ? [whenTrue, whenFalse] : [asNumber(whenTrue), asNumber(whenFalse)];
  return made(
    [column, a, b],
    sql`(CASE WHEN ${column.sql} THEN ${a.sql} WHEN NOT ${column.sql} THEN ${b.sql} END)`,
    a.type,
  );
}

function call(name: ScoreFunction, args: readonly Value[], levels: Levels): Value {
  const [first = literal(0), ...rest] = args;
  switch (name) {
    case "min":
    case "max": {
      const comparison = name === "min" ? "lt" : "gt";
      return rest.reduce((best, next) => {
        const [a, b] = [settled(next, levels), settled(best, levels)];
        const better = compare(comparison, a.sql, b.sql);
        return made(
          [a, b],
          sql`(CASE WHEN ${better} THEN ${a.sql} WHEN ${a.sql} IS NOT NULL THEN ${b.sql} END)`,
        );
      }, asNumber(first));
    }
    case "abs":
      return made([first], sql`abs(${asNumber(first).sql})`);
    case "exp": {
      const power = settled(first, levels);
      return made([power], sql`exp(${power.sql})`);
    }
    case "sqrt": {
      const { sql: x, level } = settled(first, levels);
      return { sql: sql`(CASE WHEN ${x} >= 0 THEN sqrt(${x}) END)`, type: "number", level, atomic: false };
    }
    case "log": {
      const { sql: x, level } = settled(first, levels);
      return { sql: sql`(CASE WHEN ${x} > 0 THEN ln(${x}) END)`, type: "number", level, atomic: false };
    }
    case "round":
      return rounded(settled(first, levels));
    case "floor":
    case "ceil":
      return whole(name, settled(first, levels), levels);
  }
}

/** The least fraction that mathjs takes for a half, because it first rounds to 12 decimals. */
const HALF = 0.4999999999995;

/** Rounds to an integer, halves away from zero. */
function rounded(value: Value): Value {
  const size = sql`abs(${value.sql})`;
  const up = sql`(CASE WHEN ${size} - floor(${size}) >= ${constant(HALF)} THEN 1 ELSE 0 END)`;
  return made([value], sql`((floor(${size}) + ${up}) * sign(${value.sql}))`);
}

/** Rounds down or up, unless the value nearly equals the integer on the other side. */
function whole(name: "floor" | "ceil", value: Value, levels: Levels): Value {
  const x = value.sql;
  const towards = name === "floor" ? sql`floor(${x})` : sql`ceil(${x})`;
  const nearest = settled(rounded(value), levels);
  return made(
    [value, nearest],
    sql`(CASE WHEN ${near(x, nearest.sql)} AND NOT ${near(x, towards)} THEN ${nearest.sql} ELSE ${towards} END)`,
  );
}
