import { useMemo } from "preact/hooks";
import { writeJson } from "../../model/json.ts";
import type { Answers } from "../answers.ts";
import { bestFirst, meanOf, scoresOf, statsOf } from "../model/scores.ts";
import { showsOf, type RowColumnsShown } from "../row-parts/rows-state.ts";
import { orderedRows, placesAmong } from "../rows/ordered-rows.ts";
import type { RowSource } from "../rows/row-source.ts";
import { START, type Address } from "./address.ts";
import { evaluationNames } from "../words/names.ts";
import type { Score } from "../words/score.ts";

/** The score of a name; null where no score is called so. */
export function scoreNamed({ summary, whole, question }: Answers, name: string | null): Score | null {
  return scoresOf(whole ?? summary, question).find(({ key }) => key === name) ?? null;
}

/** The name of a score that the answers do not have. */
export function lostScore(answers: Answers, name: string | null): string[] {
  return name === null || scoreNamed(answers, name) !== null ? [] : [name];
}

/** What the columns of rows mean in these answers. */
export function columnsOf(answers: Answers, score: Score | null): RowColumnsShown {
  const { evaluations, baseline, summary } = answers;
  const names = evaluationNames(evaluations);
  if (score === null) return { names, baseline, score: null };
  const stats = statsOf(summary, score);
  const mean = ({ id }: { readonly id: string }) => meanOf(stats.get(id));
  return { names: bestFirst(names, mean, score), baseline, score };
}

/** The rows of a source with their evaluations in the order of the columns. */
export function useOrdered(
  source: RowSource | null,
  { names }: RowColumnsShown,
  evaluations: readonly { readonly id: string }[],
): RowSource | null {
  const places = placesAmong(names, evaluations);
  return useMemo(() => (source === null ? null : orderedRows(source, places)), [source, places.join()]);
}

/** A row state without what names nothing in these columns, and the members that do so. */
export function knownState(
  state: Address,
  { names, score, baseline }: RowColumnsShown,
): { readonly state: Address; readonly unknown: readonly string[] } {
  const isKnown = (wanted: string | null) => wanted === null || names.some(({ id }) => id === wanted);
  const { order, with: others, show } = state;
  const goodOrder = typeof order === "string" || isKnown(order.evaluation);
  const goodShow = showsOf(score, baseline).includes(show);
  return {
    state: {
      ...state,
      order: goodOrder ? order : START.order,
      show: goodShow ? show : START.show,
      with: others.filter(isKnown),
    },
    unknown: [
      ...(goodOrder ? [] : [order.evaluation]),
      ...(goodShow ? [] : ["show"]),
      ...others.filter((id) => !isKnown(id)),
    ],
  };
}

function areAmong(wanted: readonly string[] | null, given: readonly string[] | null | undefined): boolean {
  return (wanted ?? []).every((name) => given?.includes(name) === true);
}

/** Members of an address that ask a report for something other than what it was made of; only a view can do that. */
export function fixedMembers(address: Address, answers: Answers): string[] {
  const { project, evaluations, baseline, question } = answers;
  const { evaluations: wanted } = address;
  const ids = new Set(evaluations.map(({ id }) => id));
  const isAll = wanted === null || (wanted.every((id) => ids.has(id)) && new Set(wanted).size === ids.size);
  const differs: Readonly<Record<string, boolean>> = {
    project: address.project !== null && address.project !== project,
    evaluation: !isAll,
    baseline: address.baseline !== null && address.baseline !== baseline,
    "lower-is-better": !areAmong(address.lower_is_better, question.lower_is_better),
    "higher-is-better": !areAmong(address.higher_is_better, question.higher_is_better),
    "cluster-by": address.cluster_by !== null && address.cluster_by !== question.cluster_by,
    by: address.by !== null && address.by.join() !== [question.by ?? []].flat().join(),
    filters: address.filters !== "" && address.filters !== writeJson(question.filters ?? []),
  };
  return Object.keys(differs).filter((name) => differs[name] === true);
}
