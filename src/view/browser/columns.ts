import { useMemo } from "preact/hooks";
import { isByUsage } from "../../model/field-path.ts";
import { writeJson } from "../../model/json.ts";
import type { Answers } from "../model/answers.ts";
import { pageNames } from "../model/page-names.ts";
import { defaultCandidate } from "../model/sliced.ts";
import { bestFirst, headlineOf, meanOf, scoreNamed, statsOf } from "../model/scores.ts";
import { queryOf, showsOf, type RowColumnsShown } from "../row-parts/rows-state.ts";
import { useAsked } from "../row-parts/use-asked.ts";
import type { RowSource, RowDetail, RowLine } from "../rows/row-source.ts";
import { START, type Address } from "./address.ts";
import type { UsedAddress } from "./use-address.ts";
import type { Score } from "../../words/score.ts";

/**
 * The rows of answers in the score that an address names, and the members of the address that name nothing here. They
 * are asked for as soon as there are means, drawn or not.
 */
export function usePageRows(
  source: RowSource | null,
  answers: Answers | null,
  { address, change }: Pick<UsedAddress, "address" | "change">,
) {
  const score = answers === null ? null : (scoreNamed(answers, address.score) ?? headlineOf(answers));
  const columns = useMemo(
    () => (answers === null ? NO_COLUMNS : columnsOf(answers, score)),
    [answers?.evaluations, answers?.baseline, answers?.comparison, score?.key, score?.value_type],
  );
  const { state, unknown } = knownState(address, columns);
  const at = new Map(answers?.evaluations.map(({ id }, i) => [id, i]));
  const places = columns.names.flatMap(({ id }) => at.get(id) ?? []);
  const ordered = useMemo(
    () => (source === null ? null : orderedRows(source, places)),
    [source, places.join()],
  );
  const query = score === null ? null : queryOf(columns, state);
  const asked = useAsked(
    ordered === null || query === null ? null : (signal) => ordered.find(query, signal),
    [ordered, JSON.stringify(query)],
  );
  const hasSteps = answers?.steps !== undefined;
  const success = answers?.steps?.tools.success ?? null;
  const lost = address.score === null || address.score === score?.key ? [] : [address.score];
  return {
    score,
    unknown: [...unknown, ...lost],
    rows: { source: ordered, asked, columns, hasSteps, success, state, change },
  };
}

const NO_COLUMNS: RowColumnsShown = { names: [], baseline: null, candidate: null, score: null };

/** What the columns of rows mean in these answers. */
function columnsOf(answers: Answers, score: Score | null): RowColumnsShown {
  const { baseline, summary } = answers;
  const candidate = defaultCandidate(answers, score?.key ?? "");
  const names = pageNames(answers);
  if (score === null) return { names, baseline, candidate, score };
  const stats = statsOf(summary, score);
  return { names: bestFirst(names, ({ id }) => meanOf(stats.get(id)), score), baseline, candidate, score };
}

/** A row state without what names nothing in these columns, and the members that do so. */
function knownState(
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
  const { by } = question;
  const ids = new Set(evaluations.map(({ id }) => id));
  const isAll = wanted === null || (wanted.every((id) => ids.has(id)) && new Set(wanted).size === ids.size);
  const differs: Readonly<Record<string, boolean>> = {
    project: address.project !== null && address.project !== project,
    runs: address.runs !== null && address.runs !== answers.runs,
    name: address.name !== null && address.name !== question.name,
    evaluation: !isAll,
    baseline: address.baseline !== null && address.baseline !== baseline,
    "lower-is-better": !areAmong(address.lower_is_better, question.lower_is_better),
    "higher-is-better": !areAmong(address.higher_is_better, question.higher_is_better),
    "cluster-by": address.cluster_by !== null && address.cluster_by !== question.cluster_by,
    by: address.by !== null && (isByUsage(by) || address.by.join() !== [by ?? []].flat().join()),
    filters: address.filters !== "" && address.filters !== writeJson(question.filters ?? []),
  };
  return Object.keys(differs).filter((name) => differs[name] === true);
}

/** Names the evaluation of what is wanted by its place in the source. */
function placedAt(places: readonly number[]) {
  return <Wanted extends { readonly evaluation: number }>(wanted: Wanted): Wanted => ({
    ...wanted,
    evaluation: places[wanted.evaluation] ?? -1,
  });
}

/** The same rows with the evaluations in another order: those at these places of the source. */
function orderedRows(source: RowSource, places: readonly number[]): RowSource {
  const line = (one: RowLine): RowLine => ({
    ...one,
    values: places.map((place) => one.values[place]),
    firsts: places.map((place) => one.firsts[place]),
    outputs: one.outputs.length === 0 ? [] : places.map((place) => one.outputs[place]),
  });
  const row = (one: RowDetail): RowDetail => ({
    ...one,
    editedInputs: one.editedInputs === null ? null : places.map((place) => one.editedInputs?.[place]),
    editedBytes: places.map((place) => one.editedBytes[place] ?? null),
    trials: places.map((place) => one.trials[place] ?? []),
  });
  const there = placedAt(places);
  const rowOf = async (asked: Promise<RowDetail | null>) => {
    const found = await asked;
    return found === null ? null : row(found);
  };
  return {
    find: async (query, signal) => {
      const list = await source.find(query, signal);
      const at = (place: number) => {
        const found = list.at(place);
        return found === undefined ? undefined : line(found);
      };
      return { ...list, at };
    },
    all: async function* (query, signal) {
      for await (const some of source.all(query, signal)) yield some.map(row);
    },
    detail: (digest, signal) => rowOf(source.detail(digest, signal)),
    steps: (wanted, signal) => source.steps(there(wanted), signal),
    strip: (wanted, signal) => source.strip(there(wanted), signal),
    beside: (trials, signal) => source.beside(trials.map(there), signal),
    pair: (wanted, signal) => source.pair({ ...wanted, trials: wanted.trials.map(there) }, signal),
    whole: (wanted, signal) => rowOf(source.whole(there(wanted), signal)),
  };
}
