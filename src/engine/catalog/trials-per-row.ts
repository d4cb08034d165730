import { compileHasRepeated, compileMostTrials } from "../../compile/catalog/trials-per-row.ts";
import type { Session } from "../../store/session.ts";

/** Adds to `known` the most trials that a row has in each evaluation: where it is one, nothing needs a mean by row. */
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

/**
 * The bits of a word distinguish evaluations whose keys lie this close; DuckDB takes long to plan statements with more
 * parts.
 */
const TOGETHER = 62;

/** Groups keys that lie within {@link TOGETHER} of the lowest key of their group. */
function neighbours(keys: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const key of keys.toSorted((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && key - last[0] <= TOGETHER) last.push(key);
    else groups.push([key]);
  }
  return groups;
}
