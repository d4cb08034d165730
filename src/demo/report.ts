import { shellWord } from "../model/messages.ts";
import type { DemoAnswers } from "./answers.ts";
import { gsmEvaluationId } from "./calls.ts";
import type { FigureSource } from "./figures.ts";
import { bestModel, differenceTable, divisionOf, modelTable, nameOf } from "./gsm-report.ts";
import { tauBenchAirline } from "./tau-bench-airline.ts";
import { strong, percent, textTable } from "../text/text-table.ts";
import { zeroEvalGsm } from "./zeroeval-gsm.ts";
import { countText } from "../words/figures.ts";
import type { Summary } from "../index.ts";

/** The style of the report: the path of the database, and whether the reader's screen shows colours. */
interface ReportStyle {
  readonly database: string;
  readonly colour: boolean;
}

/** Renders the demo's text, at most 100 columns wide. */
export function renderReport(answers: DemoAnswers, style: ReportStyle): string {
  const title = (text: string): string => strong(text, style.colour);
  return [
    title("1  Which model is better?"),
    modelsText(answers, style.colour),
    title("2  On which rows do they differ?"),
    differencesText(answers, style.colour),
    title("3  Does it work every time?"),
    trialsText(answers, style.colour),
    title("Go on"),
    indent(nextSteps(style.database)),
    title("Figures"),
    indent([zeroEvalGsm.source, tauBenchAirline.source].map(citation).join("\n")),
  ].join("\n\n");
}

function modelsText({ gsm }: DemoAnswers, colour: boolean): string {
  const questions = countText(gsm.all.row_count);
  const common = countText(gsm.common.row_count);
  const partial = gsm.all.evaluations.filter(({ trial_count }) => trial_count < gsm.all.row_count);
  const names = partial.map(nameOf).join(", ");
  return indent(
    [
      `${zeroEvalGsm.source.title}: ${gsm.all.evaluations.length} models, ${questions} school mathematics questions, one trial each.`,
      "answered and correct are pass rates; published is what the authors print for correct.",
      ...(partial.length > 0
        ? [`${names} ran only ${common} questions: the last columns compare on those.`]
        : []),
      "",
      modelTable(gsm, colour),
    ].join("\n"),
  );
}

function differencesText({ gsm }: DemoAnswers, colour: boolean): string {
  const { all, none, differ } = divisionOf(gsm);
  return indent(
    [
      `Of ${countText(gsm.common.row_count)} common rows, all models pass ${countText(all)}, none passes ${countText(none)}, and on ${countText(differ)} they differ.`,
      `Sorted by difference, then those that ${bestModel(gsm)} fails and most others pass:`,
      "",
      differenceTable(gsm, colour),
    ].join("\n"),
  );
}

function trialsText({ tau }: DemoAnswers, colour: boolean): string {
  return indent(
    [
      `${tauBenchAirline.source.title}: an agent books flights, ${countText(tau.row_count)} tasks, ${tauBenchAirline.trials} trials each.`,
      "pass^k is the chance that k trials of a task all succeed.",
      "",
      scorerTable(tau, colour),
      "",
      passHatTable(tau, colour),
    ].join("\n"),
  );
}

function citation(source: FigureSource): string {
  const repository = source.repository.replace("https://", "");
  return `${repository} @${source.commit.slice(0, 7)}, ${source.licence}, ${source.attribution}`;
}

export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "   ");
}

/** Lists means, pass rates and trial counts by scorer. */
function scorerTable(summary: Summary, colour: boolean): string {
  const rows = summary.evaluations.flatMap((evaluation) =>
    evaluation.scorer_stats.map((stats) => [
      nameOf(evaluation),
      stats.scorer_key,
      countText(stats.trial_count),
      stats.numeric_mean?.toFixed(3) ?? "–",
      percent(stats.pass_rate, 1),
    ]),
  );
  return textTable(
    [
      { head: "Model" },
      { head: "Scorer" },
      { head: "Trials", align: "right" },
      { head: "mean", align: "right" },
      { head: "pass rate", align: "right" },
    ],
    rows,
    colour,
  );
}

/** Lists pass^k beside the published figures. */
function passHatTable({ evaluations }: Summary, colour: boolean): string {
  const solved = evaluations[0]?.scorer_stats.find(({ scorer_key: key }) => key === "solved");
  const rows = tauBenchAirline.publishedPassHat.map((published, i) => {
    const own = solved?.pass_hat_k?.[i + 1]?.toFixed(3) ?? "–";
    return [`pass^${i + 1}`, own, published.toFixed(3)];
  });
  return textTable(
    [{ head: "" }, { head: "here", align: "right" }, { head: "published", align: "right" }],
    rows,
    colour,
  );
}

/** Suggests commands to try next, which a shell runs as they are printed. */
function nextSteps(database: string): string {
  const file = shellWord(database);
  const where = `--db ${file} --project ${zeroEvalGsm.project}`;
  const ids = ["gpt-4o-2024-08-06", "gpt-4o-mini-2024-07-18"].map((model) => `"${gsmEvaluationId(model)}"`);
  return [
    "Every evaluation of the project:",
    `  npx evalcube evaluations ${where} --format table`,
    "Two models, the rows first on which they differ (without --format table as JSON):",
    `  echo '{"evaluation_call_ids": [${ids.join(", ")}],`,
    `    "sort_by": [{"field": "scores.correct", "mode": "difference", "direction": "desc"}],`,
    `    "include_raw_data_rows": true, "include_summary": true, "limit": 5}' |`,
    `  npx evalcube query ${where} --format table -`,
    "Your own evaluations, call records with one JSON object a line:",
    `  npx evalcube ingest --db ${file} calls.ndjson`,
  ].join("\n");
}
