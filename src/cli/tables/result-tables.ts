import type { PrintedColumn } from "../../demo/text-table.ts";
import { grouped, percent, textTable } from "../../demo/text-table.ts";
import type { EvalResultsResponse, EvaluationEntry, ResultRow, Summary } from "../../index.ts";
import { writeJson } from "../../model/json.ts";
import { dimensionsOf, scoreCell } from "./score-cells.ts";

/** Formats the rows by evaluation with their scores, then the summary. */
export function resultTables(
  response: EvalResultsResponse,
  evaluations: readonly EvaluationEntry[],
  colour: boolean,
): string {
  const names = evaluationNames(evaluations);
  const parts = [`${grouped(response.total_rows)} rows, ${grouped(response.rows.length)} shown`];
  if (response.rows.length > 0) parts.push(rowTable(response.rows, names, colour));
  if (response.summary !== null)
    parts.push(
      `Summary of ${grouped(response.summary.row_count)} rows`,
      summaryTable(response.summary, names, colour),
    );
  return parts.join("\n\n");
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

function rowTable(rows: readonly ResultRow[], names: Names, colour: boolean): string {
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
  return textTable(columns, lines, colour);
}

const LABEL_WIDTH = 32;

/** The row itself where the request asked for it, otherwise the first 12 characters of its digest. */
function rowLabel(row: ResultRow): string {
  if (row.raw_data_row === null) return row.row_digest.slice(0, 12);
  const text = writeJson(row.raw_data_row);
  return text.length <= LABEL_WIDTH ? text : `${text.slice(0, LABEL_WIDTH - 1)}…`;
}

function summaryTable(summary: Summary, names: Names, colour: boolean): string {
  const lines = summary.evaluations.flatMap((evaluation) => {
    const name = names.get(evaluation.evaluation_call_id) ?? evaluation.evaluation_call_id;
    const trials = grouped(evaluation.trial_count);
    if (evaluation.scorer_stats.length === 0) return [[name, "–", trials, "–", "–"]];
    return evaluation.scorer_stats.map((stats, i) => [
      i === 0 ? name : "",
      stats.path === null || stats.path === undefined
        ? stats.scorer_key
        : `${stats.scorer_key}.${stats.path}`,
      `${grouped(stats.trial_count)} of ${trials}`,
      stats.numeric_mean?.toPrecision(5) ?? "–",
      percent(stats.pass_rate),
    ]);
  });
  return textTable(
    [
      { head: "evaluation" },
      { head: "score" },
      { head: "trials", align: "right" },
      { head: "mean", align: "right" },
      { head: "pass rate", align: "right" },
    ],
    lines,
    colour,
  );
}
