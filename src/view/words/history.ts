import { shortCommit } from "../../model/labels.ts";
import type { HistoryAnswer, HistoryEntry } from "../../respond/history/history.ts";
import type { Comparison } from "../../respond/compare/comparison.ts";
import { countText, differenceText, meanText, meanWithHalf, NOTHING, outOf } from "./figures.ts";
import { hasGoodSide, scoreOf, shownType, type Score } from "./score.ts";
import { say, type Name, type Sentence } from "./sentence.ts";
import { labelOf, markOf, sidesOf, standingOf } from "./standings.ts";

/** The members of a request that say which way scores are good. */
type Naming = Parameters<typeof scoreOf>[2];

/** The headline score of a history; null without one. */
export function historyScore({ dimensions, headline }: HistoryAnswer, naming: Naming): Score | null {
  const dimension = headline === null ? undefined : dimensions[headline];
  return dimension === undefined ? null : scoreOf(dimension, shownType(dimension), naming);
}

/** Since when the runs are worse, or that they are not shown to be. */
export function historySentence(answer: HistoryAnswer, naming: Naming): Sentence {
  const { entries, name } = answer;
  const score = historyScore(answer, naming);
  const latest = entries.at(-1);
  if (latest === undefined || score === null) return say`No finished run of ${named(name)} has a value.`;
  const runs = `${countText(entries.length)} runs`;
  if (entries.length === 1) return say`There is one finished run of ${named(name)}.`;
  const best = bestOf(answer);
  if (best === undefined || meanOf(answer, latest) === null)
    return say`The latest of ${runs}, ${labelled(latest)}, has no value in ${named(score.name)}.`;
  const since = worseOf(answer);
  if (since !== null) return worseSentence(since, best, score);
  const most = extremeOf(score);
  if (best === latest) return say`The latest, ${labelled(latest)}, is the ${most} of ${runs}.`;
  const worse = sidesOf(score).regressed;
  return say`The latest of ${runs}, ${labelled(latest)}, is not shown ${worse} than the ${most}, ${labelled(best)}.`;
}

interface Worse {
  readonly first: HistoryEntry;
  readonly before: HistoryEntry;
}

function worseOf({ entries, worse_since: since }: HistoryAnswer): Worse | null {
  const find = (id: string | undefined) => entries.find((one) => one.evaluation_call_id === id);
  const [first, before] = [find(since?.evaluation_call_id), find(since?.last_good)];
  return first === undefined || before === undefined ? null : { first, before };
}

function worseSentence({ first, before }: Worse, best: HistoryEntry, score: Score): Sentence {
  const { regressed } = sidesOf(score);
  const head = say`${regressed.charAt(0).toUpperCase()}${regressed.slice(1)} since ${labelled(first)}`;
  const commit = first.commit === null ? say`` : say`, commit ${named(shortCommit(first.commit))}`;
  const mean = (value: number | null | undefined) => meanText(value ?? null, score.value_type);
  const { candidate_mean: own, baseline_mean: other } = first.against_best ?? {};
  const figures = say`: ${mean(own)} against ${mean(other)} of ${labelled(best)}, the ${extremeOf(score)}`;
  const last = before === best ? say`` : say`; ${labelled(before)} before it was not shown ${regressed}`;
  return say`${head}${commit}${figures}${last}.`;
}

/** The entry with the best mean, of those that tie the first. */
export function bestOf(answer: HistoryAnswer): HistoryEntry | undefined {
  const { entries, dimensions, headline } = answer;
  const sign = headline !== null && dimensions[headline]?.lower_is_better === true ? -1 : 1;
  const valued = entries.filter((one) => meanOf(answer, one) !== null);
  const gain = (one: HistoryEntry) => sign * (meanOf(answer, one) ?? 0);
  return valued.toSorted((a, b) => gain(b) - gain(a))[0];
}

function meanOf({ headline }: HistoryAnswer, { scores }: HistoryEntry): number | null {
  return scores[headline ?? 0]?.row_mean ?? null;
}

/** The columns of a history, by name. */
export const HISTORY_COLUMNS = ["run", "commit", "branch", "rows", "mean", "run before", "best"] as const;

/** The cells of one entry. The first of those that are worse than the best is marked in the last one. */
export function historyCells(
  answer: HistoryAnswer,
  entry: HistoryEntry,
  naming: Naming,
): Readonly<Record<(typeof HISTORY_COLUMNS)[number], string>> {
  const score = historyScore(answer, naming);
  const own = entry.scores[answer.headline ?? 0];
  const isFirst = answer.worse_since?.evaluation_call_id === entry.evaluation_call_id;
  const best = entry === bestOf(answer) && score !== null ? extremeOf(score) : null;
  const against = best ?? againstText(entry.against_best, score);
  return {
    run: entry.label,
    commit: entry.commit === null ? NOTHING : shortCommit(entry.commit),
    branch: entry.branch ?? NOTHING,
    rows: outOf(own?.scored_row_count ?? 0, entry.row_count),
    mean: meanWithHalf(
      own?.row_mean ?? null,
      own?.confidence_interval ?? null,
      score?.value_type ?? "continuous",
    ),
    "run before": againstText(entry.against_previous, score),
    best: isFirst
      ? `${against} ◄ ${score === null ? "worse" : sidesOf(score).regressed} since here`
      : against,
  };
}

/** `▼ worse, −15.0 points`. */
function againstText(comparison: Comparison | null, score: Score | null): string {
  if (comparison === null || score === null) return NOTHING;
  const standing = standingOf(comparison);
  const difference =
    comparison.difference === null ? "" : `, ${differenceText(comparison.difference, score.value_type)}`;
  return `${markOf(standing)} ${labelOf(standing, score)}${difference}`;
}

/** What the best one is: of a number of which nobody said which side is good, the highest. */
function extremeOf(score: Score): string {
  return hasGoodSide(score) ? "best" : "highest";
}

function labelled({ label, evaluation_call_id: id }: HistoryEntry): Name {
  return { text: label, full: id };
}

function named(text: string): Name {
  return { text, full: text };
}

/** Why the gate `regressed` is met: the latest run is worse than the one before; null where it is not. */
export function regressedReason(answer: HistoryAnswer, naming: Naming): string | null {
  const [before, latest] = answer.entries.slice(-2);
  const score = historyScore(answer, naming);
  if (latest === undefined || before === undefined || score === null) return null;
  if (latest.against_previous?.verdict !== "regressed") return null;
  const said = againstText(latest.against_previous, score).slice(2);
  return `regressed: ${latest.label} against ${before.label}, the run before, in ${score.name}: ${said}`;
}
