import { COUNTINGS, type Lacking } from "../../model/counting.ts";
import { fieldText } from "../../model/field-path.ts";
import { nameText } from "../../model/name-text.ts";

/** How many values are right, where all are right or wrong. */
export interface Rate {
  readonly right: number;
  readonly known: number;
}

/** Trials of one kind without a value. */
interface LackingTrials {
  readonly of: Lacking;
  readonly count: number;
  /** What they count as; null where they count nowhere. */
  readonly countAs: number | null;
}

/** The trials without a value of one evaluation in one dimension. */
interface UnscoredTrials {
  readonly evaluationId: string;
  readonly path: readonly string[];
  /** All trials of the evaluation. */
  readonly trials: number;
  readonly lacking: readonly LackingTrials[];
  /** Whether so many trials of the evaluation count nowhere that its rates are told with them. */
  readonly many: boolean;
  /** null where the values are others, or nothing is to be told. */
  readonly rate: Rate | null;
  /** Whether a row may have several trials, so that a rate of trials is none of rows. */
  readonly repeated: boolean;
}

/** What is said of failed trials: what they count as, and what a rate would be if they counted. */
export interface ErrorNotes {
  readonly counted: readonly string[];
  readonly ends: readonly string[];
}

/** Of each kind; of more, how many there are. */
const MOST_NOTES = 20;

export function errorNotes(series: readonly UnscoredTrials[]): ErrorNotes {
  return { counted: shortened(countedNotes(series)), ends: shortened(series.flatMap(endsNote)) };
}

function shortened(notes: readonly string[]): string[] {
  const left = notes.length - MOST_NOTES;
  if (left <= 0) return [...notes];
  return [
    ...notes.slice(0, MOST_NOTES),
    `trials without a value: ${left} more notes of this kind are left out`,
  ];
}

/** One sentence for the dimensions of an evaluation of which the same is said. */
function countedNotes(series: readonly UnscoredTrials[]): string[] {
  const notes = new Map<string, { readonly names: string[]; readonly id: string; readonly text: string }>();
  for (const { evaluationId: id, path, trials, lacking } of series)
    for (const { of, count, countAs } of lacking) {
      if (countAs === null || count === 0) continue;
      const text = `${COUNTINGS[of].says} ${countAs} (${count} of ${trials})`;
      const key = JSON.stringify([id, text]);
      const note = notes.get(key) ?? { names: [], id, text };
      note.names.push(nameText(fieldText(path)));
      notes.set(key, note);
    }
  return [...notes.values()].map(({ names, id, text }) => `${JSON.stringify(id)}, ${listed(names)}: ${text}`);
}

const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const left = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

function endsNote({ evaluationId, path, lacking, rate, repeated }: UnscoredTrials): string[] {
  const left = lacking.filter(({ count, countAs }) => countAs === null && count > 0);
  if (rate === null || left.length === 0) return [];
  const count = left.reduce((sum, one) => sum + one.count, 0);
  const all = rate.known + count;
  const [low, high] = [rate.right, rate.right + count].map(
    (right) => `${Number(((100 * right) / all).toFixed(1))}%`,
  );
  const which = `${left.map(nounOf).join(" and ")} ${count === 1 ? "is" : "are"}`;
  const what = repeated ? "over trials, between" : "between";
  return [
    `${JSON.stringify(evaluationId)}, ${nameText(fieldText(path))}: ${what} ${low} and ${high} if ${which} counted as wrong or as right`,
  ];
}

/** `the failed trial`, `the 3 trials without a verdict`. */
function nounOf({ of, count }: LackingTrials): string {
  const trials = count === 1 ? "the trial" : `the ${count} trials`;
  if (of === "null") return `${trials} without a verdict`;
  return trials.replace("trial", "failed trial");
}
