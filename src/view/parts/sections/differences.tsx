import { shownType } from "../../../words/score.ts";
import type { VNode } from "preact";
import { termsOf, type Shown, type ShownEvaluation } from "../../model/shown.ts";
import { Axis } from "../../plots/axis.tsx";
import { DotInterval } from "../../plots/dot-interval.tsx";
import { scaleOver, type Scale } from "../../plots/scale.ts";
import { StackedBar } from "../../plots/stacked-bar.tsx";
import { adjustedIntervalName, type ComparisonTerms, intervalBeside } from "../../../words/claim-figures.ts";
import {
  countText,
  differenceIntervalText,
  differenceText,
  probabilityText,
} from "../../../words/figures.ts";
import { sideWords, toneOf, type Standing } from "../../../words/standings.ts";
import { Name } from "../name.tsx";
import { Prose, Section } from "../section.tsx";
import { figures, names, Table, type Column } from "../table.tsx";
import { tickText } from "../tick-text.ts";
import { dotKind, Verdict } from "../verdict.tsx";
import type { Comparison } from "../../../respond/compare/comparison.ts";

/** How each evaluation differs from the baseline; nothing where the score is not compared. */
export function DifferencesPart({ shown }: { readonly shown: Shown }): VNode | null {
  const all = shown.evaluations.filter(isCompared);
  const { baseline } = shown;
  if (baseline === null || all.length === 0) return null;
  const label = `Differences from ${baseline.name.text}`;
  const terms = termsOf(shown.answers);
  const scale = scaleOver([0, ...all.flatMap((one) => reachOf(one, terms))], 6);
  return (
    <Section
      kind="differences"
      title={
        <>
          Differences from <Name {...baseline.name} />
        </>
      }
    >
      <Prose more={differencesHint(shown, all)}>Paired: candidate − baseline on shared rows.</Prose>
      <Table label={label} columns={columnsOf(shown, scale)} lines={all} keyOf={({ name }) => name.id} />
    </Section>
  );
}

/** How far the picture of a comparison reaches. */
function reachOf({ comparison }: ComparedEvaluation, terms: ComparisonTerms): number[] {
  const { difference } = comparison;
  const { interval } = intervalBeside(comparison, terms);
  const effect = comparison.minimum_detectable_effect;
  const reach = [
    ...(difference === null ? [] : [difference]),
    ...(interval ?? []),
    ...(effect === null ? [] : [-effect, effect]),
  ];
  return shownType(comparison) === "binary" ? reach.map((end) => Math.max(-1, Math.min(1, end))) : reach;
}

function columnsOf(shown: Shown, scale: Scale): Column<ComparedEvaluation>[] {
  const { score, answers } = shown;
  const { value_type: type } = score;
  const { improved, regressed } = sideWords(score);
  const sure = adjustedIntervalName(termsOf(answers));
  const axis = (
    <>
      <span class="unseen">{sure}</span>
      <Axis scale={scale} label={(tick) => tickText(tick, type, "difference")} />
    </>
  );
  return [
    names(({ name }) => name),
    figures(({ comparison }) => differenceText(comparison.difference, type), "Difference", true),
    { head: axis, kind: "plotted", cell: (one) => <Interval {...{ shown, one, scale }} /> },
    {
      head: "Verdict",
      kind: "verdicts",
      cell: (one) => <Verdict {...one} score={score} />,
    },
    figures(({ comparison }) => probabilityText(comparison.p_value_adjusted), "p"),
    {
      head: `Rows ${improved}, same, ${regressed}`,
      kind: "moved",
      cell: (one) => <Moved shown={shown} one={one} />,
    },
    figures(({ comparison }) => countText(comparison.n_common), "Shared rows"),
  ];
}

interface IntervalProps {
  readonly shown: Shown;
  readonly one: ComparedEvaluation;
  readonly scale: Scale;
}

function Interval({ shown: { score, answers }, one, scale }: IntervalProps): VNode | null {
  const { standing, comparison } = one;
  const { difference } = comparison;
  if (difference === null) return null;
  const { name, interval } = intervalBeside(comparison, termsOf(answers));
  const range = differenceIntervalText(interval, score.value_type);
  return (
    <DotInterval
      scale={scale}
      value={difference}
      interval={interval}
      kind={dotKind(standing, score)}
      band={comparison.minimum_detectable_effect}
      zero
      label={`${differenceText(difference, score.value_type)}, ${name} ${range}`}
    />
  );
}

function Moved({ shown, one: { comparison } }: Omit<IntervalProps, "scale">): VNode {
  const { rows_improved: better, rows_tied: same, rows_regressed: worse } = comparison;
  const { improved, regressed } = sideWords(shown.score);
  const good = toneOf("improved", shown.score);
  const bad = toneOf("regressed", shown.score);
  const label = `${countText(better)} ${improved}, ${countText(same)} same, ${countText(worse)} ${regressed}`;
  return (
    <span class="moved-rows">
      <span class={`number ${good}`} aria-hidden="true">
        {countText(better)}
      </span>
      <StackedBar
        label={label}
        height={9}
        parts={[
          { kind: `up ${good}`, count: better },
          { kind: "same", count: same },
          { kind: `down ${bad}`, count: worse },
        ]}
      />
      <span class={`number ${bad}`} aria-hidden="true">
        {countText(worse)}
      </span>
    </span>
  );
}

/** An evaluation that was compared with the baseline. */
interface ComparedEvaluation extends ShownEvaluation {
  readonly comparison: Comparison;
  readonly standing: Standing;
}

function isCompared(one: ShownEvaluation): one is ComparedEvaluation {
  return one.comparison !== null && one.standing !== null;
}

/** Names of the methods of adjustment. */
const ADJUSTMENTS = {
  ranges: "Ryan–Einot–Gabriel–Welsch",
  holm: "Holm",
  "benjamini-hochberg": "Benjamini–Hochberg",
  none: null,
} as const;

/** How differences are to be read. */
function differencesHint({ answers: { comparison } }: Shown, all: readonly ComparedEvaluation[]): string {
  const paired = "Since each row is its own control, these intervals can be narrower than those above.";
  const banded = all.some((one) => one.comparison.minimum_detectable_effect !== null);
  const band = banded
    ? " A difference at the edge of the shaded band would have been found four times in five."
    : "";
  if (comparison === null || comparison.family_size < 2) return `${paired}${band}`;
  const method = ADJUSTMENTS[comparison.adjust];
  const size = countText(comparison.family_size);
  const family =
    comparison.ranks === null ? `the ${size} comparisons on this page` : `all ${size} pairs of evaluations`;
  const adjusted =
    method === null
      ? `p values are not adjusted for ${family}.`
      : `p values and intervals are adjusted for ${family} (${method}).`;
  return `${paired} ${adjusted}${band}`;
}
