import { compileHasRepeated, compileMostTrials } from "../../compile/catalog/trials-per-row.ts";
import type { Session } from "../../store/session.ts";

/**
 * Puts into `known` how many trials the rows of each evaluation have at most: where it is one, nothing needs a mean
 * by row.
 */
export async function readTrialsPerRow(
  session: Session,
  known: Map<number, number>,
  keys: readonly number[],
): Promise<void> {
  const unread = keys.filter((key) => !known.has(key));
  for (const near of neighbours(unread)) {
    const [found] = await session.all(compileHasRepeated(near));
    if (found?.repeated === true) {
      for (const { key, most } of await session.all(compileMostTrials(near))) known.set(key, most);
    } else for (const key of near) known.set(key, 1);
  }
}

/** So many evaluations can be told apart by the bits of a word; DuckDB takes long to plan statements of more parts. */
const TOGETHER = 62;

/** Keys in groups that lie within {@link TOGETHER}. */
function neighbours(keys: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const key of keys.toSorted((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && key - last[0] <= TOGETHER) last.push(key);
    else groups.push([key]);
  }
  return groups;
}
