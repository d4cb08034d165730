import { sql, text, type Sql } from "../../store/sql.ts";

/** What texts and JSON are written with, from common to rare. Whatever else there is counts as rarer. */
const COMMON = ` eta"oinsrhl,dcu:mf.pgwyb0v1k2xj3qz`;

/**
 * Whether a document has this part. DuckDB looks for the first letter of what it is to find, and compares at each place that has it. So
 * what follows from the rarest letter on is looked for first, at fewer places.
 */
export function holds(document: Sql, part: string): Sql {
  const ranks = Array.from(part, (letter) => COMMON.indexOf(letter));
  const rarest = ranks.includes(-1) ? -1 : Math.max(...ranks);
  const rest = Array.from(part).slice(ranks.indexOf(rarest)).join("");
  const whole = sql`contains(${document}, ${text(part)})`;
  return rest === part ? whole : sql`(contains(${document}, ${text(rest)}) AND ${whole})`;
}
