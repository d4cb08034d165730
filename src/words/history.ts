import { shortCommit } from "../model/labels.ts";
import type { CutRun, HistoryAnswer, HistoryEntry, WorseSince } from "../respond/history/history.ts";
import type { Comparison } from "../respond/compare/comparison.ts";
import {
  counted,
  countText,
  datasetText,
  differenceIntervalText,
  differenceText,
  intervalName,
  meanText,
  meanWithHalf,
  NOTHING,
  outOf,
} from "./figures.ts";
import { hasGoodSide, scoreOf, shownType, type Score } from "./score.ts";
import { plainText, say, type Name, type Sentence } from "./sentence.ts";
import { labelOf, markOf, standingOf } from "./standings.ts";

/** The members of a request that say which way scores are good. */
type Naming = Parameters<typeof scoreOf>[2];

/** The headline score of a history; null without one. */
export function historyScore({ dimensions, headline }: HistoryAnswer, naming: Naming): Score | null {
  const dimension = headline === null ? undefined : dimensions[headline];
  return dimension === undefined ? null : scoreOf(dimension, shownType(dimension), naming);
}

/** Since when the runs are worse, or that no loss is shown that lasts. */
export function historySentence(answer: HistoryAnswer, naming: Naming): Sentence {
  const { entries, name, worse_since: since } = answer;
  const score = historyScore(answer, naming);
  const latest = entries.at(-1);
  if (latest === undefined || score === null) return say`No finished run of ${named(name)} has a value.`;
  if (entries.length + answer.cut.length === 1) return say`${named(name)} has one run.`;
  if (latest.position === null)
    return say`The latest of ${countText(entries.length)} runs, ${labelled(latest)}, has no value in ${named(score.name)}.`;
  if (since !== null) return worseSentence(answer, since, score);
  const reference = runOf(answer, latest.reference) ?? latest;
  const { against_reference: against } = latest;
  if (against?.verdict === "regressed" && hasGoodSide(score)) {
    const mean = (value: number | null) => meanText(value, score.value_type);
    const figures = say`${mean(against.candidate_mean)} against ${mean(against.baseline_mean)}`;
    const shows = isShownByNext(against, answer.confidence) ? "shows" : "may show";
    return say`${labelled(latest)} is worse than ${labelled(reference)}: ${figures}. One more run ${shows} whether it stays so.`;
  }
  const runs = counted(latest.position - (reference.position ?? 0) + 1, "run");
  return say`No loss that lasts is shown over ${runs} since ${labelled(reference)}.`;
}

/**
 * Whether a loss is so clear that, where it is as large as it looks, the next run tells it as one that lasts in 95 % or
 * more: it is some 1.65 standard errors beyond what a verdict takes.
 */
export function isShownByNext({ p_value_adjusted: p }: Comparison, confidence: number): boolean {
  return p !== null && p <= (1 - confidence) ** 2 / 10;
}

/** A run that an answer names. */
function runOf({ entries, cut }: HistoryAnswer, id: string | null): CutRun | undefined {
  return [...entries, ...cut].find((one) => one.evaluation_call_id === id);
}

function worseSentence(answer: HistoryAnswer, since: WorseSince, score: Score): Sentence {
  const [first, good] = [runOf(answer, since.evaluation_call_id), runOf(answer, since.last_good)];
  if (first === undefined || good === undefined) throw new RangeError("a loss lies between two runs");
  const isNext = first.position === (good.position ?? 0) + 1;
  const commits = (isNext ? [first] : [good, first]).flatMap(({ commit }) => commit ?? []).map(shortCommit);
  const place = isNext
    ? say`${labelled(first)}`
    : say`a run after ${labelled(good)} and up to ${labelled(first)}`;
  const known = commits.length === (isNext ? 1 : 2);
  const commit = known ? say`, commit${isNext ? "" : "s"} ${named(commits.join(".."))}` : say``;
  return say`Worse since ${place}${commit}${lossText(since, score, answer.confidence)}.`;
}

/** `: 69.7% against 95.0% before, −25.3 points (95% interval −33.8 to −16.9)`; nothing where too few rows tell. */
function lossText(
  { before_mean: before, after_mean: after, confidence_interval: interval }: WorseSince,
  { value_type: type }: Score,
  confidence: number,
): string {
  if (before === null || after === null) return "";
  const range =
    interval === null ? "" : ` (${intervalName(confidence)} ${differenceIntervalText(interval, type)})`;
  return `: ${meanText(after, type)} against ${meanText(before, type)} before, ${differenceText(after - before, type)}${range}`;
}

const COLUMNS = [
  "run",
  "model",
  "dataset",
  "commit",
  "branch",
  "user",
  "rows",
  "mean",
  "run before",
  "reference",
] as const;

/** A column of a history, by its name. */
export type HistoryColumn = (typeof COLUMNS)[number];

/** The columns of a history, by name: model and dataset where they are not the same in all runs, and known users. */
export function historyColumns({ entries }: HistoryAnswer): readonly HistoryColumn[] {
  const shown = {
    model: entries.map((one) => one.model),
    dataset: entries.map((one) => datasetText(one.dataset, one)),
    user: [null, ...entries.map((one) => one.user)],
  };
  return COLUMNS.filter((name) => !(name in shown) || new Set(shown[name as keyof typeof shown]).size > 1);
}

/** What columns are headed with, but for those that are by their names. */
export const HISTORY_HEADS: Readonly<Partial<Record<HistoryColumn, string>>> = {
  "run before": "against the run before",
  reference: "against the reference",
};

/** What stands below the table of a history. */
export const HISTORY_NOTE = 'Each verdict is that of its pair alone; "worse since" takes two runs in a row.';

/** The cells of one entry. The run since which the latest is worse is marked in the last one. */
export function historyCells(
  answer: HistoryAnswer,
  entry: HistoryEntry,
  naming: Naming,
): Readonly<Record<HistoryColumn, string>> {
  const score = historyScore(answer, naming);
  const own = entry.scores[answer.headline ?? 0];
  const isFirst = answer.worse_since?.evaluation_call_id === entry.evaluation_call_id;
  const against = againstText(entry.against_reference, score);
  return {
    run: entry.label,
    model: entry.model ?? NOTHING,
    dataset: datasetText(entry.dataset, entry),
    commit: entry.commit === null ? NOTHING : shortCommit(entry.commit),
    branch: entry.branch ?? NOTHING,
    user: entry.user ?? NOTHING,
    rows: outOf(own?.scored_row_count ?? 0, entry.row_count),
    mean: meanWithHalf(
      own?.row_mean ?? null,
      own?.confidence_interval ?? null,
      score?.value_type ?? "continuous",
    ),
    "run before": againstText(entry.against_previous, score),
    reference: isFirst ? `${against} ◄ worse since here` : against,
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

function labelled({ label, evaluation_call_id: id }: CutRun): Name {
  return { text: label, full: id };
}

function named(text: string): Name {
  return { text, full: text };
}

/** The gates of a history. */
export const HISTORY_GATES = ["regressed", "worse-since"] as const;

/**
 * Why a gate is met: the latest run is worse than the one before, or has a loss that lasts; null where it is not met.
 */
export function historyReason(
  gate: (typeof HISTORY_GATES)[number],
  answer: HistoryAnswer,
  naming: Naming,
): string | null {
  const latest = answer.entries.at(-1);
  const score = historyScore(answer, naming);
  if (latest === undefined || score === null) return null;
  if (gate === "worse-since")
    return answer.worse_since === null ? null : `${gate}: ${plainText(historySentence(answer, naming))}`;
  const { against_previous: against } = latest;
  const before = runOf(answer, against?.baseline ?? null);
  if (against?.verdict !== "regressed" || before === undefined) return null;
  const said = againstText(against, score).slice(2);
  return `${gate}: ${latest.label} against ${before.label}, the run before, in ${score.name}: ${said}`;
}
