import type { EvaluationSummary, ResultRow } from "../index.ts";
import { writeJson, type Json } from "../model/json.ts";
import { rateOf, type GsmAnswers } from "./answers.ts";
import { gsmEvaluationId } from "./calls.ts";
import { percent, textTable, type PrintedColumn } from "../text/text-table.ts";
import { zeroEvalGsmRuns } from "./zeroeval-gsm.ts";
import { countText } from "../words/figures.ts";

/** Lists models by pass rate, over all their rows and over the rows that all models have. */
export function modelTable(answers: GsmAnswers, colour: boolean): string {
  const ranked = byRate(answers.all.evaluations);
  const onCommon = byRate(answers.common.evaluations);
  const columns: PrintedColumn[] = [
    { head: "#", align: "right" },
    { head: "Model" },
    { head: "Trials", align: "right" },
    { head: "answered", align: "right" },
    { head: "correct", align: "right" },
    { head: "published", align: "right" },
    { head: `correct on ${countText(answers.common.row_count)}`, align: "right" },
    { head: "#", align: "right" },
    { head: "" },
  ];
  const rows = ranked.map((evaluation, i) => {
    const id = evaluation.evaluation_call_id;
    const place = onCommon.findIndex((other) => other.evaluation_call_id === id);
    const common = onCommon[place];
    return [
      String(i + 1),
      nameOf(evaluation),
      countText(evaluation.trial_count),
      percent(rateOf(evaluation, "answered")),
      percent(rateOf(evaluation)),
      percent(publishedAccuracy(id)),
      percent(common === undefined ? null : rateOf(common)),
      String(place + 1),
      movement(i - place),
    ];
  });
  return textTable(columns, rows, colour);
}

/**
 * Lists the rows on which the models differ most, with one mark per model; models are numbered as in the table of
 * models.
 */
export function differenceTable(answers: GsmAnswers, colour: boolean): string {
  const ids = byRate(answers.all.evaluations).map((evaluation) => evaluation.evaluation_call_id);
  const columns: PrintedColumn[] = [
    { head: "Row" },
    { head: "right", align: "right" },
    ...ids.map((_, i) => ({ head: String(i + 1), align: "right" as const })),
  ];
  const rows = answers.telling.map((row) => {
    const marks = ids.map((id) => mark(row, id));
    const right = marks.filter((text) => text === "✓").length;
    return [rowName(row.raw_data_row), `${right} of ${ids.length}`, ...marks];
  });
  return textTable(columns, rows, colour);
}

/** Divides the common rows: all models right, none right, models differ. */
export function divisionOf(answers: GsmAnswers) {
  const total = answers.common.row_count;
  const all = total - answers.anyWrong;
  const none = total - answers.anyRight;
  return { all, none, differ: total - all - none };
}

export function bestModel(answers: GsmAnswers): string {
  const best = answers.common.evaluations.find((one) => one.evaluation_call_id === answers.best);
  return best === undefined ? answers.best : nameOf(best);
}

function byRate(evaluations: readonly EvaluationSummary[]): EvaluationSummary[] {
  return evaluations.toSorted((a, b) => (rateOf(b) ?? -1) - (rateOf(a) ?? -1));
}

export function nameOf(evaluation: EvaluationSummary): string {
  return evaluation.display_name ?? evaluation.evaluation_call_id;
}

function publishedAccuracy(id: string): number | null {
  const run = zeroEvalGsmRuns.find(({ model }) => gsmEvaluationId(model) === id);
  return run === undefined ? null : run.published.accuracy / 100;
}

function movement(places: number): string {
  if (places === 0) return "";
  return places > 0 ? `↑${places}` : `↓${-places}`;
}

/** Formats `{"question":17}` as `question 17`. */
function rowName(row: Json): string {
  return writeJson(row).replaceAll(/[{}"]/g, "").replaceAll(":", " ").replaceAll(",", ", ");
}

function mark(row: ResultRow, id: string): string {
  const correct = row.evaluations.find((entry) => entry.evaluation_call_id === id)?.trials[0]?.scores[
    "correct"
  ];
  if (correct === undefined) return "";
  return correct === true ? "✓" : "✗";
}
