import { sql, type Sql } from "../../store/sql.ts";

/** `body` with the variable `name` bound to `value`, which is computed once per record. */
export function bind(value: Sql, name: Sql, body: Sql): Sql {
  return sql`list_transform([${value}], lambda ${name}: ${body})[1]`;
}
