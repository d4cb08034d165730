import type { VNode } from "preact";
import { condition } from "../../model/sliced.ts";
import { comparisonsIn, termsOf, type Shown, type ShownEvaluation } from "../../model/shown.ts";
import type { Comparison } from "../../../respond/compare/comparison.ts";
import type { Slice } from "../../../respond/compare/slices.ts";
import type { RowSlice, SlicedRows, Slicing, SummarySlicing } from "../../../respond/summary/slicing.ts";
import {
  countText,
  differenceText,
  intervalText,
  meanText,
  probabilityText,
} from "../../../words/figures.ts";
import { sliceIntervalCell, sliceTerms } from "../../../words/claim-figures.ts";
import { sideWords } from "../../../words/standings.ts";
import {
  contributionText,
  isShownAlone,
  sliceLabel,
  sliceNotes,
  sliceSentence,
  sliceStanding,
} from "../../../words/slices.ts";
import { Choice } from "../choice.tsx";
import { bracketed, framed } from "../name.tsx";
import type { LatestActions } from "../page-actions.ts";
import { Section } from "../section.tsx";
import { figures, names, rowButtons, Table, type Column } from "../table.tsx";
import { Verdict } from "../verdict.tsx";

interface SlicesProps {
  readonly shown: Shown;
  readonly candidate: ShownEvaluation | null;
  readonly latest: LatestActions;
}

/** How the values of a field differ: of the candidate against the baseline, or the means of one evaluation. */
export function SlicesPart({ shown, candidate, latest }: SlicesProps): VNode | null {
  const { comparison: answer, summary } = shown.answers;
  if (summary.slicing?.descriptive === true)
    return <DescribedPart {...{ shown, candidate, latest }} slicing={summary.slicing} />;
  const slicing = answer?.slicing ?? summary.slicing;
  if (slicing === undefined || slicing.fields.length === 0) return null;
  const own = comparisonsIn(shown.answers, shown.score.key).get(candidate?.name.id ?? "");
  const compared = own?.slices === undefined ? null : own;
  if (candidate !== null && compared === null) return null;
  const said = compared === null ? null : sliceSentence(compared, slicing);
  return (
    <Section kind="slices" title="Slices">
      {said === null ? null : <p>{framed(said)}</p>}
      <CandidateChoice shown={shown} candidate={candidate} latest={latest} />
      {compared === null ? (
        <SliceTable
          {...{ slicing, latest }}
          columns={meansColumns(shown)}
          lines={(shown.evaluations[0]?.stats?.slices ?? []).filter((one) => one.descriptive !== true)}
        />
      ) : (
        <ComparedTable {...{ shown, slicing, latest }} comparison={compared} />
      )}
    </Section>
  );
}

interface DescribedProps extends SlicesProps {
  readonly slicing: SummarySlicing;
}

/** Trials by what they tell of themselves: how many there are, and their means. Nothing is compared. */
function DescribedPart({ shown, candidate, latest, slicing }: DescribedProps): VNode {
  const { value_type: type } = shown.score;
  const baseline = shown.evaluations.find((one) => one.isBaseline);
  const sides = [baseline, candidate].flatMap((one) => one ?? []);
  const columns = (sides.length === 0 ? shown.evaluations.slice(0, 1) : sides).flatMap(({ name, stats }) => {
    const own = new Map(
      (stats?.slices ?? []).flatMap((one) =>
        one.descriptive === true ? [[JSON.stringify(one.value), one] as const] : [],
      ),
    );
    const of = ({ value }: SlicedRows) => own.get(JSON.stringify(value));
    return [
      figures<SlicedRows>((line) => countText(of(line)?.trial_count ?? 0), `${name.text}: trials`),
      figures<SlicedRows>((line) => meanText(of(line)?.mean ?? null, type), "Mean"),
    ];
  });
  return (
    <Section kind="slices" title="Outcomes of trials">
      <p class="hint">These are outcomes, so they describe: nothing is compared by them.</p>
      <CandidateChoice shown={shown} candidate={candidate} latest={latest} />
      <SliceTable {...{ slicing, latest, columns }} lines={slicing.values} />
    </Section>
  );
}

function CandidateChoice({ shown, candidate, latest }: SlicesProps): VNode | null {
  const others = shown.evaluations.filter((one) => !one.isBaseline);
  if (others.length < 2) return null;
  return (
    <div class="candidate">
      <Choice
        label="Candidate"
        value={candidate?.name.id ?? ""}
        disabled={latest.current === undefined}
        options={others.map(({ name }) => [name.id, name.short])}
        choose={(id) => latest.current?.chooseCandidate(id)}
      />
    </div>
  );
}

interface SliceTableProps<One> {
  readonly slicing: Slicing;
  readonly latest: LatestActions;
  readonly columns: readonly Column<One>[];
  readonly lines: readonly One[];
}

function SliceTable<One extends Pick<Slice, "value" | "range">>({
  slicing,
  latest,
  columns,
  lines,
}: SliceTableProps<One>): VNode {
  const add = latest.current?.view?.addFilters;
  const press = ({ value }: One) => {
    const filters = condition(slicing, value);
    return filters === null ? null : () => add?.(filters);
  };
  const textOf = sliceLabel;
  const named = (one: One) => ({ text: textOf(one), full: textOf(one) });
  return (
    <>
      <Table
        label="Slices"
        columns={[names(named, slicing.fields.join(", ")), ...columns, ...rowButtons(add && press, textOf)]}
        lines={lines}
        keyOf={({ value }) => JSON.stringify(value)}
      />
      {add === undefined || lines.every((one) => press(one) !== null) ? null : (
        <p class="hint">
          No filter keeps the rows of a value of attributes, of a member of a list, or of what a run took.
        </p>
      )}
    </>
  );
}

interface ComparedTableProps extends Pick<SlicesProps, "shown" | "latest"> {
  readonly slicing: Slicing;
  readonly comparison: Comparison;
}

function ComparedTable({ shown, slicing, latest, comparison }: ComparedTableProps): VNode {
  const slices = comparison.slices ?? [];
  return (
    <>
      <SliceTable {...{ slicing, latest }} columns={comparedColumns(shown)} lines={slices} />
      {slices.some(isShownAlone) ? (
        <p class="hint">* Alone it would have shown; among the slices of this answer it does not.</p>
      ) : null}
      {sliceNotes(slicing, comparison).map((note) => (
        <p key={note} class="hint">
          {bracketed(note, 2000)}.
        </p>
      ))}
    </>
  );
}

function comparedColumns({ score, answers }: Shown): Column<Slice>[] {
  const terms = sliceTerms(termsOf(answers));
  const { value_type: type } = score;
  const { improved, regressed } = sideWords(score);
  return [
    figures((slice) => countText(slice.n_common), "Rows"),
    figures((slice) => meanText(slice.baseline_mean, type), "Baseline"),
    figures((slice) => meanText(slice.candidate_mean, type), "Candidate"),
    figures((slice) => differenceText(slice.difference, type), "Difference"),
    figures((slice) => sliceIntervalCell(slice, type, terms), "95% interval"),
    figures((slice) => probabilityText(slice.p_value_adjusted), "p adjusted"),
    figures(
      ({ rows_improved: better, rows_tied: same, rows_regressed: worse }) =>
        [better, same, worse].map(countText).join("/"),
      `${improved}/same/${regressed}`,
    ),
    {
      head: "Verdict",
      kind: "verdicts",
      cell: (slice) =>
        slice.reason === undefined ? <Verdict standing={sliceStanding(slice)} score={score} /> : "not judged",
    },
    figures((slice) => contributionText(slice, type), "Contribution"),
  ];
}

function meansColumns({ score: { value_type: type } }: Shown): Column<RowSlice>[] {
  return [
    figures((slice) => countText(slice.scored_row_count), "Rows"),
    figures((slice) => meanText(slice.row_mean, type), "Mean"),
    figures((slice) => intervalText(slice.confidence_interval ?? null, type), "95% interval"),
  ];
}
