import type { PrintedColumn } from "../../text/text-table.ts";
import { shortenedText } from "../../text/text-width.ts";
import type { EvalResultsResponse, EvaluationEntry, ResultRow, Summary } from "../../index.ts";
import { writeJson } from "../../model/json.ts";
import { counted, countText, meanText, meanWithHalf, NOTHING, outOf } from "../../words/figures.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { sliceText } from "../../words/slices.ts";
import { scoreName, shownType } from "../../words/score.ts";
import { dimensionsOf, scoreCell } from "./score-cells.ts";
import { screenTable, type TableView } from "./screen-table.ts";

/**
 * Formats the rows by evaluation with their scores, then the summary. A view that limits the records gets whole rows:
 * those that make at most so many records, at least one.
 */
export function resultTables(
  response: EvalResultsResponse,
  evaluations: readonly EvaluationEntry[],
  view: TableView,
): string {
  const ids = new Set([
    ...(response.summary?.evaluations.map((one) => one.evaluation_call_id) ?? []),
    ...response.rows.flatMap((row) => row.evaluations.map((one) => one.evaluation_call_id)),
  ]);
  const names = evaluationLabels(evaluations.filter(({ id }) => ids.has(id)));
  const rows = response.rows.slice(0, wholeRows(response.rows, view.most ?? Infinity));
  const parts = [`${counted(response.total_rows, "row")}, ${countText(rows.length)} shown`];
  if (rows.length > 0) {
    const left = rows.length < response.rows.length ? `the first ${counted(rows.length, "row")}` : null;
    parts.push(rowTable(rows, names, view, left));
  }
  if (response.summary !== null) parts.push(titledSummary(response.summary, names, view));
  return parts.join("\n\n");
}

/** Formats the summary of a response, under its title. */
export function titledSummary(summary: Summary, names: Names, view: TableView): string {
  const title = `Summary of ${counted(summary.row_count, "row")}`;
  const notes = summary.notes === undefined ? [] : [summary.notes.join("\n")];
  const tables = [
    summaryTable(summary, names, view),
    ...passKTable(summary, names, view),
    ...sliceTable(summary, names, view),
  ];
  return [title, ...tables, ...notes].join("\n\n");
}

/** pass@k and pass^k, where they were asked for and some score has them. */
function passKTable({ evaluations }: Summary, names: Names, view: TableView): string[] {
  const lines = evaluations.flatMap(({ evaluation_call_id: id, scorer_stats: all }) =>
    all.flatMap((stats) =>
      Object.entries(stats.pass_k_row_count ?? {}).map(([k, rows], i) => [
        ...(i === 0 ? [names.get(id) ?? id, scoreName(stats)] : ["", ""]),
        k,
        meanText(stats.pass_at_k?.[k] ?? null, "binary"),
        meanText(stats.pass_hat_k?.[k] ?? null, "binary"),
        `${outOf(rows, stats.scored_row_count ?? rows)} rows`,
      ]),
    ),
  );
  const heads = ["k", "pass@k", "pass^k", "over"].map((head) => ({ head, align: "right" as const }));
  const columns = [{ head: "evaluation", labels: true }, { head: "score", labels: true }, ...heads];
  return lines.length === 0 ? [] : [screenTable(columns, lines, view)];
}

/** The means of every slice, where slices were asked for. */
function sliceTable({ slicing, evaluations }: Summary, names: Names, view: TableView): string[] {
  if (slicing === undefined) return [];
  const lines = evaluations.flatMap(({ evaluation_call_id: id, scorer_stats: all }) =>
    all.flatMap((stats) =>
      (stats.slices ?? []).map((slice, i) => {
        const place = i === 0 ? [names.get(id) ?? id, scoreName(stats)] : ["", ""];
        const { mean, interval, count } =
          slice.descriptive === true
            ? { mean: slice.mean, interval: null, count: slice.trial_count }
            : {
                mean: slice.row_mean,
                interval: slice.confidence_interval ?? null,
                count: slice.scored_row_count,
              };
        return [
          ...place,
          sliceText(slice.value),
          countText(count),
          meanWithHalf(mean, interval, shownType(stats)),
        ];
      }),
    ),
  );
  const noun = slicing.descriptive === true ? "trials" : "rows";
  const columns = [
    { head: "evaluation", labels: true },
    { head: "score", labels: true },
    { head: slicing.fields.join(", "), labels: true, named: true },
    { head: noun, align: "right" as const },
    { head: `mean of ${noun}`, align: "right" as const },
  ];
  const said =
    slicing.descriptive === true ? ["These are outcomes: they describe, and nothing is tested."] : [];
  return [screenTable(columns, lines, view), ...said];
}

function wholeRows(rows: readonly ResultRow[], most: number): number {
  let records = 0;
  const tooMany = rows.findIndex(({ evaluations }) => (records += evaluations.length) > most);
  return tooMany === -1 ? rows.length : Math.max(1, tooMany);
}

type Names = ReadonlyMap<string, string>;

function rowTable(rows: readonly ResultRow[], names: Names, view: TableView, left: string | null): string {
  const dimensions = dimensionsOf(rows);
  const columns: PrintedColumn[] = [
    { head: "row" },
    { head: "evaluation", labels: true },
    { head: "trials", align: "right" },
    ...dimensions.map(({ name }) => ({ head: name, align: "right" as const, named: true })),
  ];
  const lines = rows.flatMap((row) =>
    row.evaluations.map((entry, i) => [
      i === 0 ? rowLabel(row) : "",
      names.get(entry.evaluation_call_id) ?? entry.evaluation_call_id,
      String(entry.trials.length),
      ...dimensions.map(({ path }) =>
        scoreCell(
          entry.trials.map((trial) => trial.scores),
          path,
        ),
      ),
    ]),
  );
  return screenTable(columns, lines, view, left);
}

const LABEL_WIDTH = 32;

/** The row itself where the request asked for it, otherwise the first 12 characters of its digest. */
function rowLabel(row: ResultRow): string {
  if (row.raw_data_row === null) return row.row_digest.slice(0, 12);
  return shortenedText(writeJson(row.raw_data_row), LABEL_WIDTH);
}

function summaryTable(summary: Summary, names: Names, view: TableView): string {
  const uncertain = summary.evaluations.some(({ scorer_stats: stats }) =>
    stats.some(({ row_mean: mean }) => mean !== undefined),
  );
  const lines = summary.evaluations.flatMap((evaluation) => {
    const name = names.get(evaluation.evaluation_call_id) ?? evaluation.evaluation_call_id;
    const trials = countText(evaluation.trial_count);
    if (evaluation.scorer_stats.length === 0) return [[name, NOTHING, trials, NOTHING, NOTHING]];
    return evaluation.scorer_stats.map((stats, i) => [
      i === 0 ? name : "",
      scoreName(stats),
      `${countText(stats.trial_count)} of ${trials}`,
      meanText(stats.numeric_mean, stats.rate === true ? "binary" : "continuous"),
      meanText(stats.pass_rate, "binary"),
      ...(uncertain ? [rowMean(stats)] : []),
    ]);
  });
  const numbers = ["trials", "mean", "pass rate", ...(uncertain ? ["mean of rows ± 95%"] : [])];
  const columns = [
    { head: "evaluation", labels: true },
    { head: "score", labels: true },
    ...numbers.map((head) => ({ head, align: "right" as const })),
  ];
  return screenTable(columns, lines, view);
}

type Stats = Summary["evaluations"][number]["scorer_stats"][number];

/** The mean over rows, and half of its 95 % interval. */
function rowMean(stats: Stats): string {
  return meanWithHalf(stats.row_mean ?? null, stats.confidence_interval ?? null, shownType(stats));
}
