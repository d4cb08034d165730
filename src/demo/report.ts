import type { DemoAnswers } from "./answers.ts";
import type { FigureSource } from "./figures.ts";
import { bestModel, differenceTable, divisionOf, modelTable } from "./gsm-report.ts";
import { nextSteps } from "./next-steps.ts";
import { tauBenchAirline } from "./tau-bench-airline.ts";
import { passHatTable, scorerTable } from "./tau-report.ts";
import { strong } from "./text-table.ts";
import { zeroEvalGsm } from "./zeroeval-gsm.ts";
import { countText } from "../view/words/figures.ts";

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
  const names = partial
    .map((evaluation) => evaluation.display_name ?? evaluation.evaluation_call_id)
    .join(", ");
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
      `${tauBenchAirline.source.title}: an agent books flights, ${countText(tau.rows.length)} tasks, ${tauBenchAirline.trials} trials each.`,
      "pass^k is the chance that k trials of a task all succeed.",
      "",
      scorerTable(tau.summary, colour),
      "",
      passHatTable(tau, colour),
    ].join("\n"),
  );
}

function citation(source: FigureSource): string {
  const repository = source.repository.replace("https://", "");
  return `${repository} @${source.commit.slice(0, 7)}, ${source.licence}, ${source.attribution}`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "   ");
}
