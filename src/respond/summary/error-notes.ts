import { grouped } from "../../model/grouped.ts";
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
  return {
    counted: shortened(onceEach(series.flatMap(countedNotes))),
    ends: shortened(onceEach(series.flatMap(endsNote))),
  };
}

function shortened(notes: readonly string[]): string[] {
  const left = notes.length - MOST_NOTES;
  if (left <= 0) return [...notes];
  return [
    ...notes.slice(0, MOST_NOTES),
    `trials without a value: ${left} more notes of this kind are left out`,
  ];
}

/** What is said of one dimension of an evaluation. */
interface SeriesNote {
  readonly id: string;
  readonly path: readonly string[];
  readonly text: string;
}

/** One sentence for the dimensions of an evaluation of which the same is said. */
function onceEach(notes: readonly SeriesNote[]): string[] {
  const alike = grouped(notes, ({ id, text }) => JSON.stringify([id, text]));
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const names = [first, ...others].map(({ path }) => nameText(fieldText(path)));
    return [`${JSON.stringify(first.id)}, ${listed(names)}: ${first.text}`];
  });
}

function countedNotes({ evaluationId: id, path, trials, lacking }: UnscoredTrials): SeriesNote[] {
  return lacking.flatMap(({ of, count, countAs }) =>
    countAs === null || count === 0
      ? []
      : [{ id, path, text: `${COUNTINGS[of].says} ${countAs} (${count} of ${trials})` }],
  );
}

const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const left = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

function endsNote({ evaluationId: id, path, lacking, rate, repeated }: UnscoredTrials): SeriesNote[] {
  const left = lacking.filter(({ count, countAs }) => countAs === null && count > 0);
  if (rate === null || left.length === 0) return [];
  const count = left.reduce((sum, one) => sum + one.count, 0);
  const all = rate.known + count;
  const [low, high] = [rate.right, rate.right + count].map(
    (right) => `${Number(((100 * right) / all).toFixed(1))}%`,
  );
  const which = `${left.map(nounOf).join(" and ")} ${count === 1 ? "is" : "are"}`;
  const what = repeated ? "over trials, between" : "between";
  return [{ id, path, text: `${what} ${low} and ${high} if ${which} counted as wrong or as right` }];
}

/** `the failed trial`, `the 3 trials without a verdict`. */
function nounOf({ of, count }: LackingTrials): string {
  const trials = count === 1 ? "the trial" : `the ${count} trials`;
  if (of === "null") return `${trials} without a verdict`;
  return trials.replace("trial", "failed trial");
}
