import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../model/answers.ts";
import { usageOf } from "../../model/cost.ts";
import { namesById } from "../../model/page-names.ts";
import { bestFirst, meanOf, valuesIn } from "../../model/scores.ts";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { Axis } from "../../plots/axis.tsx";
import { DotInterval } from "../../plots/dot-interval.tsx";
import { Glyph } from "../../plots/glyph.tsx";
import { type Scale, scaleOver } from "../../plots/scale.ts";
import {
  countText,
  differenceText,
  intervalText,
  meanText,
  NOTHING,
  rankText,
} from "../../../words/figures.ts";
import { leftOutSentence } from "../../../words/left-out.ts";
import { Name, SentenceText } from "../name.tsx";
import { Prose, Section } from "../section.tsx";
import { type Column, figures, names, Table } from "../table.tsx";
import { tickText } from "../tick-text.ts";
import { dotKind, Verdict } from "../verdict.tsx";

/** The evaluations by mean, with what is shown against the baseline. */
export function LeaderboardPart({ shown }: { readonly shown: Shown }): VNode {
  const first = firstSorting(shown);
  const [chosen, choose] = useState<Sorting | null>(null);
  const sorting = chosen ?? first;
  const head: Heads = (column, text) => {
    const way = sorting.column === column ? sorting.direction : undefined;
    const press = () => choose(pressed(column, sorting, first));
    return { head: <SortHead {...{ text, way, press }} />, sorted: way };
  };
  const scale = scaleOver(
    shown.evaluations.flatMap(({ stats }) => stats?.confidence_interval ?? meanOf(stats) ?? []),
    5,
  );
  return (
    <Section kind="leaderboard" title="Leaderboard">
      <Prose more="Intervals that overlap do not say that two evaluations are alike; the verdict does.">
        Mean of{" "}
        <code>
          <Name text={shown.score.name} />
        </code>{" "}
        over rows, 95% interval.
      </Prose>
      <Table
        label="Leaderboard"
        columns={columnsOf(shown, scale, head)}
        lines={sorted(shown.evaluations, sorting)}
        keyOf={({ name }) => name.id}
        isBaseline={({ isBaseline }) => isBaseline && shown.evaluations.length > 1}
      />
      <LeftOutLine answers={shown.answers} />
    </Section>
  );
}

/** What counts in nothing on the page, and why. */
export function LeftOutLine({ answers }: { readonly answers: Answers }): VNode | null {
  const called = namesById(answers);
  const left = answers.left_out.map((one) => ({
    ...one,
    name: called.get(one.id) ?? { text: one.id, full: one.id },
  }));
  const sentence = leftOutSentence(left);
  return sentence === null ? null : (
    <p class="hint">
      <SentenceText sentence={sentence} />
    </p>
  );
}

type Heads = (column: SortColumn, text: string) => Pick<Column<ShownEvaluation>, "head" | "sorted">;

function columnsOf(shown: Shown, scale: Scale, head: Heads): Column<ShownEvaluation>[] {
  const { score, evaluations, baseline } = shown;
  const { value_type: type } = score;
  const axis = (
    <>
      <span class="unseen">95% interval</span>
      <Axis scale={scale} label={(tick) => tickText(tick, type, "mean")} />
    </>
  );
  const all: (Column<ShownEvaluation> | false)[] = [
    { ...names<ShownEvaluation>(({ name }) => name), ...head("evaluation", "Evaluation") },
    { ...figures(({ stats }) => meanText(meanOf(stats), type), "", true), ...head("mean", "Mean") },
    evaluations.some(({ rankInterval }) => rankInterval !== null) &&
      figures(({ rankInterval }) => rankText(rankInterval), "Rank"),
    { head: axis, kind: "plotted", cell: (one) => <Interval shown={shown} one={one} scale={scale} /> },
    { ...figures(rowsText, ""), ...head("rows", "Rows") },
    { ...figures(noValueText, ""), ...head("no-value", "No value") },
    evaluations.some((one) => usageOf(one, "cost") !== null) &&
      figures((one) => meanText(usageOf(one, "cost")?.mean ?? null, "money"), "Cost"),
    evaluations.length > 1 && {
      head: <>Against {baseline === null ? NOTHING : <Name {...baseline.name} />}</>,
      kind: "against",
      cell: (one) => <Against shown={shown} one={one} />,
    },
  ];
  return all.filter((column) => column !== false);
}

function rowsText({ stats }: ShownEvaluation): string {
  return stats === undefined ? NOTHING : countText(stats.scored_row_count ?? 0);
}

function noValueText(one: ShownEvaluation): string {
  const trials = withoutValue(one) ?? 0;
  return trials === 0 ? NOTHING : countText(trials);
}

interface SortHeadProps {
  readonly text: string;
  readonly way: Sorting["direction"] | undefined;
  readonly press: () => void;
}

function SortHead({ text, way, press }: SortHeadProps): VNode {
  return (
    <button type="button" class="sort" onClick={press}>
      {text}
      {way === undefined ? null : (
        <span class="arrow">
          <Glyph mark={way === "ascending" ? "▲" : "▼"} />
        </span>
      )}
    </button>
  );
}

interface IntervalProps {
  readonly shown: Shown;
  readonly one: ShownEvaluation;
  readonly scale: Scale;
}

function Interval({ shown: { score }, one, scale }: IntervalProps): VNode | null {
  const mean = meanOf(one.stats);
  const interval = one.stats?.confidence_interval ?? null;
  if (mean === null) return null;
  const { value_type: type } = score;
  return (
    <DotInterval
      scale={scale}
      value={mean}
      interval={interval}
      kind={one.isBaseline ? "baseline" : dotKind(one.standing, score)}
      label={`${meanText(mean, type)}, 95% interval ${intervalText(interval, type)}`}
    />
  );
}

function Against({ shown, one }: Omit<IntervalProps, "scale">): VNode {
  if (one.isBaseline) return <span class="hint">baseline</span>;
  if (one.standing === null)
    return <span class="hint">{shown.awaited === "comparison" ? "comparing" : "not compared"}</span>;
  const difference = one.comparison?.difference ?? null;
  return (
    <>
      <Verdict standing={one.standing} score={shown.score} comparison={one.comparison} />{" "}
      {difference === null ? null : (
        <span class="hint">{differenceText(difference, shown.score.value_type)}</span>
      )}
    </>
  );
}

/** What sorts the leaderboard beside names, by column. */
const FIGURES = {
  mean: ({ stats }: ShownEvaluation) => meanOf(stats),
  rows: ({ stats }: ShownEvaluation) => stats?.scored_row_count ?? null,
  "no-value": withoutValue,
};

/** A column that sorts the leaderboard. */
type SortColumn = "evaluation" | keyof typeof FIGURES;

/** How the leaderboard is sorted. */
interface Sorting {
  readonly column: SortColumn;
  readonly direction: "ascending" | "descending";
}

/** The best mean first. */
function firstSorting({ score }: Shown): Sorting {
  return { column: "mean", direction: score.lower_is_better ? "ascending" : "descending" };
}

/** The sorting after a press on the head of a column: the other way round, or the usual way of a new column. */
function pressed(column: SortColumn, now: Sorting, first: Sorting): Sorting {
  if (now.column === column)
    return { column, direction: now.direction === "ascending" ? "descending" : "ascending" };
  if (column === "mean") return first;
  return { column, direction: column === "evaluation" ? "ascending" : "descending" };
}

/** The evaluations in this order, those without the figure last, equal ones in the order of the page. */
function sorted(evaluations: readonly ShownEvaluation[], { column, direction }: Sorting): ShownEvaluation[] {
  const isAscending = direction === "ascending";
  if (column !== "evaluation")
    return bestFirst(evaluations, FIGURES[column], { lower_is_better: isAscending });
  const sign = isAscending ? 1 : -1;
  return evaluations.toSorted((a, b) => sign * a.name.text.localeCompare(b.name.text, "en"));
}

/**
 * Trials of an evaluation that have no value in the score: all of them where it has no such score; null where it is not
 * known.
 */
function withoutValue({ stats, summary }: ShownEvaluation): number | null {
  if (stats === undefined) return summary?.trial_count ?? null;
  return stats.expected_trial_count === undefined ? null : stats.expected_trial_count - valuesIn(stats);
}
