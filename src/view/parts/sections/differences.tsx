import type { VNode } from "preact";
import { differencesHint, isCompared, type ComparedEvaluation } from "../../model/differences.ts";
import { termsOf, type Shown } from "../../model/shown.ts";
import { Axis } from "../../plots/axis.tsx";
import { DotInterval } from "../../plots/dot-interval.tsx";
import { scaleOver, type Scale } from "../../plots/scale.ts";
import { StackedBar } from "../../plots/stacked-bar.tsx";
import { adjustedIntervalName } from "../../words/claim-figures.ts";
import { countText, differenceIntervalText, differenceText, probabilityText } from "../../words/figures.ts";
import { sidesOf, toneOf } from "../../words/standings.ts";
import { Name } from "../name.tsx";
import { Prose, Section, Wide } from "../section.tsx";
import { tickText } from "../tick-text.ts";
import { dotKind, Verdict } from "../verdict.tsx";

/** How each evaluation differs from the baseline; nothing where the score is not compared. */
export function DifferencesPart({ shown }: { readonly shown: Shown }): VNode | null {
  const all = shown.evaluations.filter(isCompared);
  const { baseline } = shown;
  if (baseline === null || all.length === 0) return null;
  const label = `Differences from ${baseline.name.text}`;
  const scale = scaleOver([0, ...all.flatMap(reachOf)], 6);
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
      <Wide label={label}>
        <table aria-label={label}>
          <thead>
            <Heads shown={shown} scale={scale} />
          </thead>
          <tbody>
            {all.map((one) => (
              <Line key={one.name.id} shown={shown} one={one} scale={scale} />
            ))}
          </tbody>
        </table>
      </Wide>
    </Section>
  );
}

/** How far the picture of a comparison reaches. */
function reachOf({ comparison }: ComparedEvaluation): number[] {
  const { difference, adjusted_confidence_interval: interval, value_type: type } = comparison;
  const effect = comparison.minimum_detectable_effect;
  const reach = [
    ...(difference === null ? [] : [difference]),
    ...(interval ?? []),
    ...(effect === null ? [] : [-effect, effect]),
  ];
  return type === "binary" ? reach.map((end) => Math.max(-1, Math.min(1, end))) : reach;
}

function Heads({ shown, scale }: { readonly shown: Shown; readonly scale: Scale }): VNode {
  const { improved, regressed } = sidesOf(shown.told);
  return (
    <tr>
      <th scope="col" class="name">
        Evaluation
      </th>
      <th scope="col" class="figure">
        Difference
      </th>
      <th scope="col" class="plotted">
        <span class="unseen">{adjustedIntervalName(termsOf(shown.answers))}</span>
        <Axis scale={scale} label={(tick) => tickText(tick, shown.told.value_type, "difference")} />
      </th>
      <th scope="col" class="verdicts">
        Verdict
      </th>
      <th scope="col" class="figure">
        p
      </th>
      <th scope="col" class="moved">
        Rows {improved}, same, {regressed}
      </th>
      <th scope="col" class="figure">
        Shared rows
      </th>
    </tr>
  );
}

interface LineProps {
  readonly shown: Shown;
  readonly one: ComparedEvaluation;
  readonly scale: Scale;
}

function Line({ shown, one, scale }: LineProps): VNode {
  const { comparison, name, standing } = one;
  const { difference, adjusted_confidence_interval: interval } = comparison;
  const { value_type: type } = shown.told;
  const sure = adjustedIntervalName(termsOf(shown.answers));
  return (
    <tr>
      <th scope="row" class="name">
        <Name {...name} />
      </th>
      <td class="figure strong">{differenceText(difference, type)}</td>
      <td class="plotted">
        {difference === null ? null : (
          <DotInterval
            scale={scale}
            value={difference}
            interval={interval}
            kind={dotKind(standing, shown.told)}
            band={comparison.minimum_detectable_effect}
            zero
            label={`${differenceText(difference, type)}, ${sure} ${differenceIntervalText(interval, type)}`}
          />
        )}
      </td>
      <td class="verdicts">
        <Verdict standing={standing} score={shown.told} />
      </td>
      <td class="figure">{probabilityText(comparison.p_value_adjusted)}</td>
      <td class="moved">
        <Moved shown={shown} one={one} />
      </td>
      <td class="figure">{countText(comparison.n_common)}</td>
    </tr>
  );
}

function Moved({ shown, one: { comparison } }: Omit<LineProps, "scale">): VNode {
  const { rows_improved: better, rows_tied: same, rows_regressed: worse } = comparison;
  const { improved, regressed } = sidesOf(shown.told);
  const good = toneOf("improved", shown.told);
  const bad = toneOf("regressed", shown.told);
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
