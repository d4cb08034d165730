import { RequestError, requestFault } from "../../errors.ts";
import type { SqlParameter } from "../../store/sql.ts";
import type { StatementParameters, StatementValue } from "../../store/statements.ts";

/**
 * Returns a value for each parameter of a statement. Throws `RequestError` for a missing or superfluous value and for
 * one of a wrong type.
 */
export function bindParameters(names: readonly string[], given: StatementParameters): SqlParameter[] {
  if (!Array.isArray(given) && Object.prototype.toString.call(given) !== "[object Object]") {
    throw invalidParameters([], "it must be an array, or an object with a value for each $name");
  }
  const values = new Map<string, unknown>(
    Array.isArray(given) ? given.map((value, i) => [String(i + 1), value]) : Object.entries(given),
  );
  const unknown = [...values.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) throw invalidParameters([unknown[0] ?? ""], "the statement has no such parameter");
  return names.map((name) => {
    if (!values.has(name)) throw invalidParameters([name], missingValue(name, values.size));
    return bindValue(name, values.get(name));
  });
}

/** Returns the value given for a parameter, without checking that it can be bound. */
export function parameterValue(given: StatementParameters, name: string): StatementValue | undefined {
  if (Array.isArray(given)) return (given as readonly StatementValue[])[Number(name) - 1];
  return new Map<string, StatementValue>(Object.entries(given ?? {})).get(name);
}

function missingValue(name: string, given: number): string {
  return `the statement needs a value for $${name}; ${given} ${given === 1 ? "is" : "are"} given`;
}

function bindValue(name: string, value: unknown): SqlParameter {
  if (value === null) return { type: "VARCHAR", value };
  if (typeof value === "boolean") return { type: "BOOLEAN", value };
  if (typeof value === "number") {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return { type: "BIGINT", value: BigInt(value) };
    if (Number.isFinite(value)) return { type: "DOUBLE", value };
  }
  if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) return { type: "BIGINT", value };
  if (typeof value === "string" && !value.includes("\0")) return { type: "VARCHAR", value };
  throw invalidParameters(
    [name],
    "it must be null, a boolean, a finite number, an integer of 64 bits or a text without U+0000",
  );
}

function invalidParameters(place: readonly string[], msg: string): RequestError {
  return requestFault("schema", ["params", ...place], msg, "sql_parameter");
}
