/** DuckDB names of the types of bound values and loaded columns. */
export type SqlType =
  | "INTEGER"
  | "BIGINT"
  | "UBIGINT"
  | "UTINYINT"
  | "DOUBLE"
  | "BOOLEAN"
  | "VARCHAR"
  | "BLOB";

export type SqlValue = null | boolean | number | bigint | string;

export interface SqlParameter {
  readonly type: SqlType;
  readonly value: SqlValue;
}

/** A statement or a fragment; `params` belong between the `parts`, in order. */
export interface Sql {
  readonly parts: readonly string[];
  readonly params: readonly SqlParameter[];
}

/** A statement in the form that a driver takes, with parameters `$1`, `$2`, … */
export interface SqlStatement {
  readonly sql: string;
  readonly params: readonly SqlParameter[];
}

/**
 * Builds SQL from a template. A hole takes another {@link Sql}, or a {@link SqlParameter}, which becomes a bound value.
 * A plain string cannot be spliced in.
 */
export function sql(texts: TemplateStringsArray, ...holes: readonly (Sql | SqlParameter)[]): Sql {
  const parts: string[] = [texts[0] ?? ""];
  const params: SqlParameter[] = [];
  const extend = (text: string) => {
    parts[parts.length - 1] += text;
  };
  for (const [i, hole] of holes.entries()) {
    if ("parts" in hole) {
      extend(hole.parts[0] ?? "");
      for (let k = 1; k < hole.parts.length; k++) parts.push(hole.parts[k] ?? "");
      for (const param of hole.params) params.push(param);
    } else {
      parts.push("");
      params.push(hole);
    }
    extend(texts[i + 1] ?? "");
  }
  return { parts, params };
}

export const EMPTY: Sql = { parts: [""], params: [] };

/** A quoted identifier. */
export function identifier(name: string): Sql {
  return { parts: [`"${name.replaceAll('"', '""')}"`], params: [] };
}

/** Writes a number of the program, such as a key or a power of two, into the statement, so that the planner sees it. */
export function constant(value: number): Sql {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no SQL constant`);
  const text =
    Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? String(value) : `${value.toExponential()}::DOUBLE`;
  return { parts: [text], params: [] };
}

/** Joins `items` with `separator` between them. */
export function join(items: readonly Sql[], separator: Sql): Sql {
  const parts: string[] = [""];
  const params: SqlParameter[] = [];
  for (const [i, item] of items.entries()) {
    for (const piece of i === 0 ? [item] : [separator, item]) {
      parts[parts.length - 1] += piece.parts[0] ?? "";
      for (let k = 1; k < piece.parts.length; k++) parts.push(piece.parts[k] ?? "");
      for (const param of piece.params) params.push(param);
    }
  }
  return { parts, params };
}

export const integer = (value: number | null): SqlParameter => ({ type: "INTEGER", value });
export const bigint = (value: number | bigint | null): SqlParameter => ({ type: "BIGINT", value });
export const double = (value: number | null): SqlParameter => ({ type: "DOUBLE", value });
export const boolean = (value: boolean | null): SqlParameter => ({ type: "BOOLEAN", value });
export const text = (value: string | null): SqlParameter => ({ type: "VARCHAR", value });

/** Numbers the parameters of a finished statement. */
export function statement(query: Sql): SqlStatement {
  const numbered = query.parts.map((part, i) => (i === 0 ? part : `$${i}${part}`)).join("");
  return { sql: numbered, params: query.params };
}
