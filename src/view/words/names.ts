import { evaluationLabels, type Labelled } from "../../model/labels.ts";
import type { Name } from "./sentence.ts";

/** What an evaluation is called. */
export interface EvaluationName extends Name {
  readonly id: string;
}

/** Names for a page that shows these evaluations, in their order: labels, of names without the words that end all of them. */
export function evaluationNames(evaluations: readonly Labelled[]): EvaluationName[] {
  const labels = evaluationLabels(withoutEnding(evaluations));
  return evaluations.map(({ id, display_name: name }) => {
    const called = name !== null && name.trim() !== "";
    return { id, text: labels.get(id) ?? id, full: called ? `${name} (${id})` : id };
  });
}

/** The same, but that names lack the words that end all of them, unless two would be alike or one empty. */
function withoutEnding(evaluations: readonly Labelled[]): readonly Labelled[] {
  const names = [...new Set(evaluations.map(({ display_name: name }) => name ?? ""))];
  if (names.length < 2 || names.some((name) => name.trim() === "")) return evaluations;
  const length = commonEnding(names);
  const short = new Map(names.map((name) => [name, name.slice(0, name.length - length).trimEnd()]));
  if (new Set([...short.values(), ""]).size <= names.length) return evaluations;
  return evaluations.map((one) => ({ ...one, display_name: short.get(one.display_name ?? "") ?? null }));
}

/** How many characters end all names, from a space on. */
function commonEnding([first = "", ...others]: readonly string[]): number {
  let common = first;
  for (const other of others) while (!other.endsWith(common)) common = common.slice(1);
  const space = common.indexOf(" ");
  return space === -1 ? 0 : common.length - space;
}
