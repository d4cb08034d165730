import type { Adding } from "../../store/query.ts";
import { recordRelations } from "./record-relations.ts";
import { preamble, withTables, wordsOf, type Subject } from "./relations.ts";

/** Relations that a shard has not, or not all records of. */
const ELSEWHERE = ["projects", "evaluations", "score_paths", "calls"];

/**
 * A statement that each shard answers about its own rows, with its records added up; null where it reads what shards do not have, or
 * tables are on one server.
 */
export function addedUp(text: string, { keys, sums }: Adding, subject: Subject): string | null {
  const { spread } = subject;
  if (spread === null) return null;
  const words = wordsOf(text);
  const readsOthers = ELSEWHERE.some((name) => words.has(name));
  if (readsOthers || recordRelations(text, subject.schema, false).length > 0) return null;
  const own = withTables(text, preamble(text, { ...subject, schema: spread.parts, spread: null }));
  const columns = [...keys, ...sums.map((name) => `sum(s.${name})`)].join(", ");
  return `SELECT ${columns} FROM cluster('${spread.cluster}', view(${own})) AS s GROUP BY ${keys.join(", ")}`;
}
