import type { DissentingTrial, RaterAgreement, RaterDissent, RaterPair } from "../../index.ts";
import { cellsOf, figure, type CellColumn } from "../../text/text-table.ts";
import { counted, countText, meanText } from "../../words/figures.ts";
import { screenTable, type TableView } from "./screen-table.ts";

const figureText = (value: number | null) => meanText(value, "continuous");
const share = (value: number | null) => meanText(value, "binary");

const PAIRS: readonly CellColumn<RaterPair>[] = [
  { head: "rater", labels: true, telling: 6, cell: ({ a }) => a },
  { head: "and", labels: true, telling: 6, cell: ({ b }) => b },
  figure("trials", 5, ({ n }) => countText(n)),
  figure("agreement", 4, ({ percent }) => share(percent)),
  figure("Cohen's kappa", 3, ({ cohen_kappa: kappa }) => figureText(kappa)),
  figure("alpha", 2, ({ alpha_nominal: own }) => figureText(own)),
  figure("AC1", 1, ({ gwet_ac1: own }) => figureText(own)),
];

const RATERS: readonly CellColumn<RaterDissent>[] = [
  { head: "rater", labels: true, telling: 3, cell: ({ rater }) => rater },
  figure("ratings", 1, ({ n }) => countText(n)),
  figure("differs", 2, ({ disagreement }) => share(disagreement)),
];

/** So many characters of a digest are enough to name a row. */
const DIGITS = 12;

const DISSENT: readonly CellColumn<DissentingTrial>[] = [
  { head: "row", whole: true, telling: 2, cell: ({ row_digest: digest }) => digest.slice(0, DIGITS) },
  { head: "trial", labels: true, telling: 1, cell: (one) => one.predict_and_score_call_id },
  { head: "ratings", telling: 3, cell: ({ ratings }) => ratingsText(ratings) },
];

function ratingsText(ratings: DissentingTrial["ratings"]): string {
  return Object.entries(ratings)
    .map(([rater, value]) => `${rater}: ${String(value)}`)
    .join(", ");
}

/** Formats how far raters agree: all of them, each two, each one, and the trials on which they differ most. */
export function raterTables(found: RaterAgreement, view: TableView): string {
  const { alpha } = found;
  const all = [
    ["agreement", share(found.percent)],
    ["Krippendorff's alpha, nominal", figureText(alpha.nominal)],
    ["Krippendorff's alpha, ordinal", figureText(alpha.ordinal)],
    ["Krippendorff's alpha, interval", figureText(alpha.interval)],
    ["Gwet's AC1", figureText(found.gwet_ac1)],
  ];
  const tables = [
    cellsOf(PAIRS, found.pairs),
    cellsOf(RATERS, found.by_rater),
    cellsOf(DISSENT, found.most_dissent),
  ].filter(({ rows }) => rows.length > 0);
  return [
    `${counted(found.rating_count, "rating")} of ${counted(found.unit_count, "trial")} with two or more.`,
    screenTable([{ head: "measure" }, { head: "value", align: "right" }], all, view),
    ...tables.map(({ columns, rows }) => screenTable(columns, rows, view)),
  ].join("\n\n");
}
