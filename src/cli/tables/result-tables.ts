import type { PrintedColumn } from "../../demo/text-table.ts";
import { grouped, percent } from "../../demo/text-table.ts";
import { shortenedText } from "../../demo/text-width.ts";
import type { EvalResultsResponse, EvaluationEntry, ResultRow, Summary } from "../../index.ts";
import { writeJson } from "../../model/json.ts";
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
  const names = evaluationNames(evaluations);
  const rows = response.rows.slice(0, wholeRows(response.rows, view.most ?? Infinity));
  const parts = [`${grouped(response.total_rows)} rows, ${grouped(rows.length)} shown`];
  if (rows.length > 0) {
    const left = rows.length < response.rows.length ? `the first ${grouped(rows.length)} rows` : null;
    parts.push(rowTable(rows, names, view, left));
  }
  if (response.summary !== null) parts.push(titledSummary(response.summary, names, view));
  return parts.join("\n\n");
}

/** Formats the summary of a response, under its title. */
export function titledSummary(summary: Summary, names: Names, view: TableView): string {
  return `Summary of ${grouped(summary.row_count)} rows\n\n${summaryTable(summary, names, view)}`;
}

function wholeRows(rows: readonly ResultRow[], most: number): number {
  let records = 0;
  const tooMany = rows.findIndex(({ evaluations }) => (records += evaluations.length) > most);
  return tooMany === -1 ? rows.length : Math.max(1, tooMany);
}

type Names = ReadonlyMap<string, string>;

/** Display names by evaluation id; the id itself where there is no display name or several evaluations share it. */
export function evaluationNames(evaluations: readonly EvaluationEntry[]): Names {
  const uses = new Map<string, number>();
  for (const { display_name: name } of evaluations)
    if (name !== null) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    evaluations.map(({ id, display_name: name }) => [id, name !== null && uses.get(name) === 1 ? name : id]),
  );
}

function rowTable(rows: readonly ResultRow[], names: Names, view: TableView, left: string | null): string {
  const dimensions = dimensionsOf(rows);
  const columns: PrintedColumn[] = [
    { head: "row" },
    { head: "evaluation" },
    { head: "trials", align: "right" },
    ...dimensions.map(({ name }) => ({ head: name, align: "right" as const })),
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
    const trials = grouped(evaluation.trial_count);
    if (evaluation.scorer_stats.length === 0) return [[name, "–", trials, "–", "–"]];
    return evaluation.scorer_stats.map((stats, i) => [
      i === 0 ? name : "",
      stats.path === null ? stats.scorer_key : `${stats.scorer_key}.${stats.path}`,
      `${grouped(stats.trial_count)} of ${trials}`,
      stats.numeric_mean?.toPrecision(5) ?? "–",
      percent(stats.pass_rate),
      ...(uncertain ? [rowMean(stats)] : []),
    ]);
  });
  const numbers = ["trials", "mean", "pass rate", ...(uncertain ? ["mean of rows ± 95 %"] : [])];
  const columns = [
    { head: "evaluation" },
    { head: "score" },
    ...numbers.map((head) => ({ head, align: "right" as const })),
  ];
  return screenTable(columns, lines, view);
}

type Stats = Summary["evaluations"][number]["scorer_stats"][number];

/** The mean over rows, and half of its 95 % interval. */
function rowMean({ row_mean: mean, confidence_interval: interval, value_type: type }: Stats): string {
  if (mean === null || mean === undefined) return "–";
  const written = (value: number) => (type === "binary" ? percent(value) : value.toPrecision(5));
  if (interval === null || interval === undefined) return written(mean);
  const half = (interval[1] - interval[0]) / 2;
  return `${written(mean)} ± ${type === "binary" ? percent(half) : half.toPrecision(2)}`;
}
