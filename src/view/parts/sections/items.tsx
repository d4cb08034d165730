import type { VNode } from "preact";
import type { Item } from "../../../respond/items/items.ts";
import { countText, intervalName, intervalText, meanText, probabilityText } from "../../../words/figures.ts";
import type { Shown } from "../../model/shown.ts";
import type { LatestActions } from "../page-actions.ts";
import { Prose, Section } from "../section.tsx";
import { type Column, figures, names, rowButtons, Table } from "../table.tsx";

interface ItemsProps {
  readonly shown: Shown;
  readonly latest: LatestActions;
}

/** What single rows tell of the evaluations; nothing in another score than the headline, and with fewer than three. */
export function ItemsPart({ shown, latest }: ItemsProps): VNode | null {
  const { items } = shown.answers;
  if (items === null || items.scorer_key !== shown.score.scorer_key || items.path !== shown.score.path)
    return null;
  const add = latest.current?.view?.addFilters;
  const press =
    add === undefined
      ? undefined
      : ({ row_digest: digest }: Item) =>
          () =>
            add([{ query: { $expr: { $eq: [{ $getField: "row_digest" }, { $literal: digest }] } } }]);
  const flagged = items.rows.filter(({ flags, discrimination: r }) => flags.length > 0 || (r ?? 0) < 0);
  return (
    <Section kind="items" title="Items">
      <Prose more="Discrimination is the correlation, over the evaluations, of a row with the mean over the other rows. Where it is negative, the worse evaluations answer the row better: its reference may be wrong. Unstable rows are those on which the trials of one evaluation differ.">
        {items.sentence}
      </Prose>
      {flagged.length === 0 ? null : (
        <Table
          label="Items"
          columns={[
            names(({ row_digest: digest }: Item) => ({ text: shortOf(digest), full: digest }), "Row"),
            ...columnsOf(items.confidence),
            ...rowButtons(press, ({ row_digest: digest }) => shortOf(digest)),
          ]}
          lines={flagged}
          keyOf={({ row_digest: digest }) => digest}
        />
      )}
    </Section>
  );
}

function shortOf(digest: string): string {
  return digest.slice(0, 12);
}

function columnsOf(confidence: number): Column<Item>[] {
  return [
    figures((one) => meanText(one.mean, one.passed_count === null ? "continuous" : "binary"), "Mean"),
    figures((one) => countText(one.evaluation_count), "Evaluations"),
    figures((one) => meanText(one.discrimination, "continuous"), "Discrimination", true),
    figures((one) => intervalText(one.discrimination_interval, "continuous"), intervalName(confidence)),
    figures((one) => probabilityText(one.p_value_adjusted), "p adjusted"),
    { head: "Flags", cell: ({ flags }) => flags.join(", ").replaceAll("_", " ") },
  ];
}
