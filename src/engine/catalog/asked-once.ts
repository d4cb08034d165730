import { createHash } from "node:crypto";
import type { Query } from "../../store/query.ts";
import type { Session } from "../../store/session.ts";
import { statement } from "../../store/sql.ts";

/** Asks a statement once until the next write. */
export type Ask = <Row>(query: Query<Row>) => Promise<readonly Row[]>;

/** What statements answered since the last write, by a hash of each and its values. */
export type Answers = Map<string, readonly unknown[]>;

/** Each has few records, such as a kind of values or the range of a dimension. */
const MAX_ANSWERS = 1000;

export function askedOnce(session: Session, answers: Answers): Ask {
  return async <Row>(query: Query<Row>) => {
    const asked = JSON.stringify([query.name, statement(query.sql, session.dialect)]);
    const key = createHash("sha256").update(asked).digest("base64");
    const known = answers.get(key);
    if (known !== undefined) return known as readonly Row[];
    const found = await session.all(query);
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(key, found);
    return found;
  };
}

/** Each may have the numbers of all trials of its evaluations. */
const MAX_MADE = 8;

/**
 * What was made for a key since the last write, else what `make` makes. Where the one who makes it is stopped, whoever
 * waits for it makes it again.
 */
export async function madeOnce<T>(
  made: Map<string, Promise<T>>,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
  const known = made.get(key);
  if (known !== undefined) {
    const [found] = await Promise.allSettled([known]);
    if (found.status === "fulfilled") return found.value;
  }
  const making = make();
  if (made.size >= MAX_MADE) made.clear();
  made.set(key, making);
  making.catch(() => made.get(key) === making && made.delete(key));
  return await making;
}
