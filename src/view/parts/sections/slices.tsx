import type { ComponentChildren, VNode } from "preact";
import { condition, meansBySlice, type SliceMean } from "../../model/sliced.ts";
import { comparisonsIn, type Shown, type ShownEvaluation } from "../../model/shown.ts";
import type { Comparison } from "../../../respond/compare/comparison.ts";
import type { Slice } from "../../../respond/compare/slices.ts";
import type { SliceValue, Slicing } from "../../../respond/summary/slicing.ts";
import {
  countText,
  differenceIntervalText,
  differenceText,
  intervalText,
  meanText,
  probabilityText,
} from "../../words/figures.ts";
import { sidesOf } from "../../words/standings.ts";
import {
  contributionText,
  isShownAlone,
  sliceNotes,
  sliceSentence,
  sliceStanding,
  sliceText,
} from "../../words/slices.ts";
import { bracketed, framed, Name } from "../name.tsx";
import type { LatestActions, PageActions } from "../page-actions.ts";
import { RowsHead, Section, Wide } from "../section.tsx";
import { Verdict } from "../verdict.tsx";

interface SlicesProps {
  readonly shown: Shown;
  readonly candidate: ShownEvaluation | null;
  readonly latest: LatestActions;
}

/** How the values of a field differ: of the candidate against the baseline, or the means of one evaluation. */
export function SlicesPart({ shown, candidate, latest }: SlicesProps): VNode | null {
  const { comparison: answer, summary } = shown.answers;
  const slicing = answer?.slicing ?? summary.slicing;
  if (slicing === undefined || slicing.fields.length === 0) return null;
  const own = comparisonsIn(shown.answers, shown.score.name).get(candidate?.name.id ?? "");
  const compared = own?.slices === undefined ? null : own;
  if (candidate !== null && compared === null) return null;
  const said = compared === null ? null : sliceSentence(compared, slicing);
  return (
    <Section kind="slices" title="Slices">
      {said === null ? null : <p>{framed(said)}</p>}
      <CandidateChoice shown={shown} candidate={candidate} latest={latest} />
      {compared === null ? (
        <MeansTable shown={shown} slicing={slicing} latest={latest} />
      ) : (
        <ComparedTable shown={shown} comparison={compared} slicing={slicing} latest={latest} />
      )}
    </Section>
  );
}

function CandidateChoice({ shown, candidate, latest }: SlicesProps): VNode | null {
  const others = shown.evaluations.filter((one) => !one.isBaseline);
  if (others.length < 2) return null;
  return (
    <label class="field candidate">
      <span>Candidate</span>
      <select
        value={candidate?.name.id}
        disabled={latest.current === undefined}
        onChange={(event) => latest.current?.chooseCandidate(event.currentTarget.value)}
      >
        {others.map(({ name }) => (
          <option key={name.id} value={name.id} selected={name.id === candidate?.name.id}>
            {bracketed(name.text)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TableProps {
  readonly shown: Shown;
  readonly slicing: Slicing;
  readonly latest: LatestActions;
}

interface SliceCells {
  readonly value: readonly SliceValue[];
  readonly cells: readonly ComponentChildren[];
}

interface SliceTableProps extends TableProps {
  readonly heads: readonly string[];
  readonly lines: readonly SliceCells[];
}

function SliceTable({ slicing, latest, heads, lines }: SliceTableProps): VNode {
  const addFilters = latest.current?.addFilters;
  const unfiltered =
    addFilters !== undefined && lines.some(({ value }) => condition(slicing, value) === null);
  return (
    <>
      <Wide label="Slices">
        <table aria-label="Slices">
          <thead>
            <tr>
              <th scope="col">{slicing.fields.join(", ")}</th>
              {heads.map((head) => (
                <th key={head} scope="col" class={head === "Verdict" ? "verdicts" : "figure"}>
                  {head}
                </th>
              ))}
              {addFilters === undefined ? null : <RowsHead />}
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <SliceLine key={JSON.stringify(line.value)} {...{ line, heads, slicing, addFilters }} />
            ))}
          </tbody>
        </table>
      </Wide>
      {unfiltered ? (
        <p class="hint">No filter keeps the rows of a value of attributes, or of a member of a list.</p>
      ) : null}
    </>
  );
}

interface SliceLineProps extends Pick<SliceTableProps, "heads" | "slicing"> {
  readonly line: SliceCells;
  readonly addFilters: PageActions["addFilters"];
}

function SliceLine({ line: { value, cells }, heads, slicing, addFilters }: SliceLineProps): VNode {
  const filters = condition(slicing, value);
  const text = sliceText(value);
  return (
    <tr>
      <th scope="row" class="name">
        <Name text={text} />
      </th>
      {cells.map((cell, i) => (
        <td key={heads[i]} class={heads[i] === "Verdict" ? "verdicts" : "figure"}>
          {cell}
        </td>
      ))}
      {addFilters === undefined ? null : (
        <td>
          {filters === null ? null : (
            <button type="button" class="small" onClick={() => addFilters(filters)}>
              Show rows<span class="unseen"> of {bracketed(text, 60)}</span>
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

function ComparedTable({ comparison, ...props }: TableProps & { readonly comparison: Comparison }): VNode {
  const { shown, slicing } = props;
  const { improved, regressed } = sidesOf(shown.told);
  const slices = comparison.slices ?? [];
  const heads = ["Rows", "Baseline", "Candidate", "Difference", "95% interval", "p adjusted"];
  return (
    <>
      <SliceTable
        {...props}
        heads={[...heads, `${improved}/same/${regressed}`, "Verdict", "Contribution"]}
        lines={slices.map((slice) => ({ value: slice.value, cells: cellsOf(slice, shown) }))}
      />
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

function cellsOf(slice: Slice, { told }: Shown): ComponentChildren[] {
  const { value_type: type } = told;
  const { rows_improved: better, rows_tied: same, rows_regressed: worse } = slice;
  return [
    countText(slice.n_common),
    meanText(slice.baseline_mean, type),
    meanText(slice.candidate_mean, type),
    differenceText(slice.difference, type),
    `${differenceIntervalText(slice.confidence_interval, type)}${isShownAlone(slice) ? "*" : ""}`,
    probabilityText(slice.p_value_adjusted),
    [better, same, worse].map(countText).join("/"),
    <Verdict key="verdict" standing={sliceStanding(slice)} score={told} />,
    contributionText(slice, type),
  ];
}

function MeansTable(props: TableProps): VNode {
  const { shown } = props;
  const { value_type: type } = shown.told;
  const cells = ({ rows, mean, interval }: SliceMean) => [
    countText(rows),
    meanText(mean, type),
    intervalText(interval, type),
  ];
  return (
    <SliceTable
      {...props}
      heads={["Rows", "Mean", "95% interval"]}
      lines={meansBySlice(shown).map((one) => ({ value: one.value, cells: cells(one) }))}
    />
  );
}
