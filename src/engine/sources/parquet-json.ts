import { identifier, join, sql, text, type Sql } from "../../store/sql.ts";

/** A type as DuckDB names it, as far as JSON has to know. */
type Shape =
  | { readonly kind: "leaf"; readonly name: string }
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "map"; readonly value: Shape }
  | {
      readonly kind: "struct";
      readonly members: readonly { readonly name: string; readonly shape: Shape }[];
    };

/** What DuckDB's own JSON spells differently from what Arrow's columns become. */
const SPELLED_DIFFERENTLY = /BLOB|TIMESTAMP/;

/** A value of a column as JSON: times as ISO 8601, bytes as base64, and all others as DuckDB writes them. */
export function jsonValue(type: string, value: Sql): Sql {
  return SPELLED_DIFFERENTLY.test(type) ? shapedValue(readShape(type), value, 0) : sql`to_json(${value})`;
}

function shapedValue(shape: Shape, value: Sql, depth: number): Sql {
  const variable = identifier(`v${depth}`);
  switch (shape.kind) {
    case "leaf":
      return leafValue(shape.name, value);
    case "list":
      return sql`to_json(list_transform(${value}, lambda ${variable}: ${shapedValue(shape.item, variable, depth + 1)}))`;
    case "map": {
      const inner = shapedValue(shape.value, sql`${variable}.value`, depth + 1);
      return sql`to_json(map_from_entries(list_transform(map_entries(${value}), lambda ${variable}: {'key': ${variable}.key, 'value': ${inner}})))`;
    }
    case "struct": {
      const members = shape.members.map(
        ({ name, shape: of }) =>
          sql`${text(name)}, ${shapedValue(of, sql`struct_extract(${value}, ${text(name)})`, depth)}`,
      );
      return sql`CASE WHEN ${value} IS NOT NULL THEN json_object(${join(members, sql`, `)}) END`;
    }
  }
}

function leafValue(type: string, value: Sql): Sql {
  if (type === "BLOB") return sql`to_json(base64(${value}))`;
  if (type === "TIMESTAMP WITH TIME ZONE")
    return sql`to_json(strftime(${value} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'))`;
  if (type.startsWith("TIMESTAMP"))
    return sql`to_json(strftime(${value}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%f'))`;
  return sql`to_json(${value})`;
}

/** Reads `STRUCT(a BLOB, "b c" MAP(VARCHAR, TIMESTAMP)[])`. */
function readShape(type: string): Shape {
  let at = 0;
  const take = (mark: string): boolean => {
    const found = type.startsWith(mark, at);
    if (found) at += mark.length;
    return found;
  };
  const name = (): string => {
    const quoted = /"(?:[^"]|"")*"|[^\s(),"]+/y;
    quoted.lastIndex = at;
    const [found = ""] = quoted.exec(type) ?? [];
    at += found.length;
    take(" ");
    return found.startsWith('"') ? found.slice(1, -1).replaceAll('""', '"') : found;
  };
  const leaf = (): Shape => {
    const found = /[A-Z_0-9 ]+(?:\((?:'(?:[^']|'')*'|[^')])*\))?/y;
    found.lastIndex = at;
    const [whole = ""] = found.exec(type) ?? [];
    at += whole.length;
    if (whole === "") throw new TypeError(`no type that is known: ${type}`);
    return { kind: "leaf", name: whole };
  };
  const struct = (): Shape => {
    const members: { name: string; shape: Shape }[] = [];
    do members.push({ name: name(), shape: shape() });
    while (take(", "));
    take(")");
    return { kind: "struct", members };
  };
  const map = (): Shape => {
    shape();
    take(", ");
    const value = shape();
    take(")");
    return { kind: "map", value };
  };
  const shape = (): Shape => {
    let found = take("STRUCT(") ? struct() : take("MAP(") ? map() : leaf();
    for (const size = /\[\d*\]/y; ;) {
      size.lastIndex = at;
      const [mark] = size.exec(type) ?? [];
      if (mark === undefined) return found;
      at += mark.length;
      found = { kind: "list", item: found };
    }
  };
  return shape();
}
