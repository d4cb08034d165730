import type { Name } from "./sentence.ts";

/** What an evaluation is called. */
export interface EvaluationName extends Name {
  readonly id: string;
}

interface Called {
  readonly id: string;
  readonly display_name: string | null;
}

/** Display names by evaluation id; the id itself where there is no name, or where it could stand for another evaluation. */
export function fullNames(evaluations: readonly Called[]): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  const use = (name: string) => uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const { id, display_name: name } of evaluations) {
    use(id);
    if (name !== null && name !== id) use(name);
  }
  return new Map(
    evaluations.map(({ id, display_name: name }) => [
      id,
      name !== null && name.trim() !== "" && uses.get(name) === 1 ? name : id,
    ]),
  );
}

/**
 * Names for a page that shows these evaluations, in their order: {@link fullNames} without the words that end all of them,
 * unless two would be alike or one empty.
 */
export function evaluationNames(evaluations: readonly Called[]): EvaluationName[] {
  const names = [...fullNames(evaluations)].map(([id, full]) => ({ id, full }));
  const length = commonEnding(names.map(({ full }) => full));
  const short = names.map(({ full }) => full.slice(0, full.length - length).trimEnd());
  const clear = !short.includes("") && new Set(short).size === short.length;
  return names.map((name, i) => ({ ...name, text: clear ? (short[i] ?? name.full) : name.full }));
}

/** How many characters end all names, from a space on; one name has nothing in common with others. */
function commonEnding([first, ...others]: readonly string[]): number {
  if (first === undefined || others.length === 0) return 0;
  let common = first.length;
  for (const other of others) common = sameEnd(first, other, common);
  const space = first.indexOf(" ", first.length - common);
  return space === -1 ? 0 : first.length - space;
}

function sameEnd(a: string, b: string, most: number): number {
  const length = Math.min(most, b.length);
  for (let i = 1; i <= length; i++)
    if (a.charCodeAt(a.length - i) !== b.charCodeAt(b.length - i)) return i - 1;
  return length;
}
