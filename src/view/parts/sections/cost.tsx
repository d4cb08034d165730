import type { VNode } from "preact";
import { spendingOf, successCost, type Spending, type UsageKind } from "../../model/cost.ts";
import { meanOf } from "../../model/scores.ts";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { scaleFromZero, scaleOver } from "../../plots/scale.ts";
import { Scatter } from "../../plots/scatter.tsx";
import { intervalText, meanText } from "../../../words/figures.ts";
import { Name } from "../name.tsx";
import { Prose, Section } from "../section.tsx";
import { figures, names, Table, type Column } from "../table.tsx";
import { tickText } from "../tick-text.ts";

interface Measure {
  readonly kind: UsageKind;
  readonly title: string;
  readonly head: string;
}

/** The measures of what was used, in the order of the page. */
const MEASURES: readonly Measure[] = [
  { kind: "total_tokens", title: "tokens of a row", head: "Tokens" },
  { kind: "latency_seconds", title: "seconds of a row", head: "Latency, s" },
  { kind: "cost", title: "cost of a row", head: "Cost" },
];

/** What the better one costs; nothing where neither latency nor tokens are known. */
export function CostPart({ shown }: { readonly shown: Shown }): VNode | null {
  const known = MEASURES.map((measure) => ({ ...measure, spent: spendingOf(shown, measure.kind) })).filter(
    ({ spent }) => spent.length > 0,
  );
  if (known.length === 0) return null;
  return (
    <Section kind="cost" title="Cost and speed">
      <Prose more="Faint in a picture: another evaluation has a better mean and uses less.">
        Means over rows, 95% intervals.
      </Prose>
      <div class="charts">
        {known.map(({ kind, title, spent }) => (
          <Chart key={kind} shown={shown} title={title} spent={spent} />
        ))}
      </div>
      <Table
        label="Cost and speed"
        columns={[
          names(({ name }: ShownEvaluation) => name),
          figures(
            ({ stats }: ShownEvaluation) => meanText(meanOf(stats), shown.score.value_type),
            "Mean",
            true,
          ),
          ...known.flatMap(columnsOf),
        ]}
        lines={shown.evaluations}
        keyOf={({ name }) => name.id}
        isBaseline={({ isBaseline }) => isBaseline}
      />
      {shown.answers.steps === undefined ? null : <SuccessTable shown={shown} />}
    </Section>
  );
}

/** What each trial that passed took, with what failed trials took; nothing where none passed. */
function SuccessTable({ shown }: { readonly shown: Shown }): VNode | null {
  const known = MEASURES.filter(({ kind }) =>
    shown.evaluations.some((one) => (successCost(one, kind)?.value ?? 0) > 0),
  );
  if (known.length === 0) return null;
  return (
    <>
      <Prose more="Dominated: another one succeeds as often and takes as little, one of both better; no verdict.">
        Cost of a success: what all trials took, those that failed too, for each that passed.
      </Prose>
      <Table
        label="Cost of a success"
        columns={[
          names(({ name }: ShownEvaluation) => name),
          ...known.flatMap((measure) => successColumns(shown, measure)),
        ]}
        lines={shown.evaluations}
        keyOf={({ name }) => name.id}
        isBaseline={({ isBaseline }) => isBaseline}
      />
    </>
  );
}

function successColumns({ evaluations }: Shown, { kind, head }: Measure): Column<ShownEvaluation>[] {
  const type = typeOf(kind);
  const beside = (one: ShownEvaluation) => {
    const id = successCost(one, kind)?.dominated_by;
    const better = evaluations.find(({ name }) => name.id === id);
    return better === undefined ? null : (
      <>
        dominated by <Name {...better.name} />
      </>
    );
  };
  return [
    figures((one) => meanText(successCost(one, kind)?.value ?? null, type), head, true),
    figures((one) => intervalText(successCost(one, kind)?.confidence_interval ?? null, type), "95% interval"),
    { head: "Beside others", cell: beside },
  ];
}

function typeOf(kind: UsageKind): "money" | "continuous" {
  return kind === "cost" ? "money" : "continuous";
}

interface ChartProps {
  readonly shown: Shown;
  readonly title: string;
  readonly spent: readonly Spending[];
}

function Chart({ shown, title, spent }: ChartProps): VNode {
  const { score } = shown;
  const x = scaleFromZero(
    spent.flatMap(({ usage }) => [usage.mean, ...(usage.confidence_interval ?? [])]),
    5,
  );
  const y = scaleOver(
    spent.flatMap(({ mean, interval }) => [mean, ...(interval ?? [])]),
    5,
  );
  return (
    <figure class="chart">
      <figcaption>
        Mean of <Name text={score.name} /> against {title}
      </figcaption>
      <Scatter
        x={x}
        y={y}
        xLabel={(tick) => tickText(tick, "continuous", "mean")}
        yLabel={(tick) => tickText(tick, score.value_type, "mean")}
        dots={spent.map(({ one, mean, interval, usage, beaten }) => ({
          name: one.name.short,
          x: usage.mean,
          xInterval: usage.confidence_interval,
          y: mean,
          yInterval: interval,
          faint: beaten,
          baseline: one.isBaseline,
        }))}
      />
    </figure>
  );
}

interface Known {
  readonly kind: UsageKind;
  readonly head: string;
  readonly spent: readonly Spending[];
}

function columnsOf({ kind, head, spent }: Known): Column<ShownEvaluation>[] {
  const type = typeOf(kind);
  const usages = new Map(spent.map(({ one, usage }) => [one, usage]));
  const text = (member: "mean" | "p50" | "p90") => (one: ShownEvaluation) =>
    meanText(usages.get(one)?.[member] ?? null, type);
  return [
    figures(text("mean"), head),
    figures((one) => intervalText(usages.get(one)?.confidence_interval ?? null, type), "95% interval"),
    figures(text("p50"), "p50"),
    figures(text("p90"), "p90"),
  ];
}
