import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import {
  firstSorting,
  pressed,
  sorted,
  withoutValue,
  type SortColumn,
  type Sorting,
} from "../../model/leaderboard.ts";
import { usageOf } from "../../model/cost.ts";
import { meanOf } from "../../model/scores.ts";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { Axis } from "../../plots/axis.tsx";
import { DotInterval } from "../../plots/dot-interval.tsx";
import { Glyph } from "../../plots/glyph.tsx";
import { scaleOver, type Scale } from "../../plots/scale.ts";
import { countText, differenceText, intervalText, meanText, NOTHING, rankText } from "../../words/figures.ts";
import { Name } from "../name.tsx";
import { Prose, Section, Wide } from "../section.tsx";
import { tickText } from "../tick-text.ts";
import { dotKind, Verdict } from "../verdict.tsx";

/** The evaluations by mean, with what is shown against the baseline. */
export function LeaderboardPart({ shown }: { readonly shown: Shown }): VNode {
  const first = firstSorting(shown);
  const [chosen, choose] = useState<Sorting | null>(null);
  const sorting = chosen ?? first;
  const press = (column: SortColumn) => choose(pressed(column, sorting, first));
  const scale = scaleOver(
    shown.evaluations.flatMap(({ stats }) => stats?.confidence_interval ?? meanOf(stats) ?? []),
    5,
  );
  return (
    <Section kind="leaderboard" title="Leaderboard">
      <Prose more="Intervals that overlap do not say that two evaluations are alike; the verdict does.">
        Mean of{" "}
        <code>
          <Name text={shown.told.name} />
        </code>{" "}
        over rows, 95% interval.
      </Prose>
      <Wide label="Leaderboard">
        <table aria-label="Leaderboard">
          <thead>
            <Heads shown={shown} sorting={sorting} press={press} scale={scale} />
          </thead>
          <tbody>
            {sorted(shown.evaluations, sorting).map((one) => (
              <Line key={one.name.id} shown={shown} one={one} scale={scale} />
            ))}
          </tbody>
        </table>
      </Wide>
    </Section>
  );
}

interface HeadsProps {
  readonly shown: Shown;
  readonly sorting: Sorting;
  readonly press: (column: SortColumn) => void;
  readonly scale: Scale;
}

function Heads({ shown, sorting, press, scale }: HeadsProps): VNode {
  const { told, evaluations, baseline } = shown;
  const head = (column: SortColumn, kind: string, text: string) => (
    <SortHead column={column} kind={kind} sorting={sorting} press={press}>
      {text}
    </SortHead>
  );
  return (
    <tr>
      {head("evaluation", "name", "Evaluation")}
      {head("mean", "figure", "Mean")}
      {ranked(shown) ? (
        <th scope="col" class="figure">
          Rank
        </th>
      ) : null}
      <th scope="col" class="plotted">
        <span class="unseen">95% interval</span>
        <Axis scale={scale} label={(tick) => tickText(tick, told.value_type, "mean")} />
      </th>
      {head("rows", "figure", "Rows")}
      {head("no-value", "figure", "No value")}
      {withCost(shown) ? (
        <th scope="col" class="figure">
          Cost
        </th>
      ) : null}
      {evaluations.length < 2 ? null : (
        <th scope="col" class="against">
          Against {baseline === null ? NOTHING : <Name {...baseline.name} />}
        </th>
      )}
    </tr>
  );
}

function withCost({ evaluations }: Shown): boolean {
  return evaluations.some((one) => usageOf(one, "cost") !== null);
}

function ranked({ evaluations }: Shown): boolean {
  return evaluations.some(({ rankInterval }) => rankInterval !== null);
}

interface SortHeadProps {
  readonly column: SortColumn;
  readonly kind: string;
  readonly sorting: Sorting;
  readonly press: (column: SortColumn) => void;
  readonly children: ComponentChildren;
}

function SortHead({ column, kind, sorting, press, children }: SortHeadProps): VNode {
  const own = sorting.column === column;
  return (
    <th scope="col" class={kind} {...(own ? { "aria-sort": sorting.direction } : {})}>
      <button type="button" class="sort" onClick={() => press(column)}>
        {children}
        {own ? (
          <span class="arrow">
            <Glyph mark={sorting.direction === "ascending" ? "▲" : "▼"} />
          </span>
        ) : null}
      </button>
    </th>
  );
}

interface LineProps {
  readonly shown: Shown;
  readonly one: ShownEvaluation;
  readonly scale: Scale;
}

function Line({ shown, one, scale }: LineProps): VNode {
  const { value_type: type } = shown.told;
  const { name, stats, isBaseline } = one;
  const mean = meanOf(stats);
  const interval = stats?.confidence_interval ?? null;
  const missing = withoutValue(one);
  return (
    <tr {...(isBaseline && shown.evaluations.length > 1 ? { class: "baseline" } : {})}>
      <th scope="row" class="name">
        <Name {...name} />
      </th>
      <td class="figure strong">{meanText(mean, type)}</td>
      {ranked(shown) ? <td class="figure">{rankText(one.rankInterval)}</td> : null}
      <td class="plotted">
        {mean === null ? null : (
          <DotInterval
            scale={scale}
            value={mean}
            interval={interval}
            kind={isBaseline ? "baseline" : dotKind(one.standing, shown.told)}
            label={`${meanText(mean, type)}, 95% interval ${intervalText(interval, type)}`}
          />
        )}
      </td>
      <td class="figure">{stats === undefined ? NOTHING : countText(stats.scored_row_count ?? 0)}</td>
      <td class="figure">{missing === null || missing === 0 ? NOTHING : countText(missing)}</td>
      {withCost(shown) ? (
        <td class="figure">{meanText(usageOf(one, "cost")?.mean ?? null, "money")}</td>
      ) : null}
      {shown.evaluations.length < 2 ? null : (
        <td class="against">
          <Against shown={shown} one={one} />
        </td>
      )}
    </tr>
  );
}

function Against({ shown, one }: Omit<LineProps, "scale">): VNode {
  if (one.isBaseline) return <span class="hint">baseline</span>;
  if (one.standing === null)
    return <span class="hint">{shown.awaited === "comparison" ? "comparing" : "not compared"}</span>;
  const difference = one.comparison?.difference ?? null;
  return (
    <>
      <Verdict standing={one.standing} score={shown.told} />{" "}
      {difference === null ? null : (
        <span class="hint">{differenceText(difference, shown.told.value_type)}</span>
      )}
    </>
  );
}
