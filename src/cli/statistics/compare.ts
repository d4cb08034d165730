import { Option } from "commander";
import type { CompareRequest, Engine } from "../../index.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { comparisonMarkdown } from "../reports/comparison-markdown.ts";
import { comparisonTable, comparisonText } from "../tables/comparison-tables.ts";
import { comparedSides, type Compared, type Side } from "../../words/comparison-words.ts";
import { gateNotes, judgeGates, readFigures, type JudgedGate } from "../gates/judge-gates.ts";
import { parseGates, refuseJudgeGates, refuseWithoutMargin, type Gate } from "../gates/parse-gate.ts";
import { junitReport } from "../reports/junit.ts";
import { GateFailure } from "../terminal/failure.ts";
import { asking, type AskedCommand } from "../request/flagged-request.ts";
import { costOptions } from "../request/prices.ts";
import { modelOptions } from "../request/by-model.ts";
import { memberOption } from "../request/request-options.ts";
import {
  formatOption,
  type ProjectOptions,
  type ReportFormat,
  type EvalcubeCommand,
} from "../options/options.ts";
import { tableView, type TableView } from "../tables/screen-table.ts";
import { comparisonOptions, REQUEST_WITH_MEMBERS } from "./comparison-options.ts";
import { writeWhole } from "../options/write-whole.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

interface CompareOptions extends ProjectOptions {
  readonly failOn?: readonly string[];
  readonly format?: ReportFormat | "text";
  readonly junit?: string;
}

const BY = "model: of models, named as such, their latest evaluations of the tasks that both have; auto; or ";
const EXAMPLE = `evalcube compare --db evals.duckdb --fail-on regressed "correct<90%"`;

export function compareCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("compare")
    .description("compare evaluations with a baseline on the rows that they share")
    .onProject(
      memberOption(
        "baseline",
        "--baseline <id>",
        "what to compare with: previous (default), an id, a name, NAME~1, latest, model:NAME or a label",
      ),
      memberOption("candidates", "--candidate <id...>", "evaluations to compare, named likewise (latest)"),
      memberOption(
        "corrected_by",
        "--corrected-by <dimension>",
        "a score that people gave on some rows, such as feedback.correct; it corrects the others, which are judges",
        (human: string) => ({ human }),
      ),
      formatOption(undefined, ["text", "table", "json", "markdown"], "text"),
      ...modelOptions(BY),
      new Option("--junit <file>", "where to write the gates and comparisons as JUnit XML"),
      ...comparisonOptions(),
      ...costOptions(),
    )
    .argument(...REQUEST_WITH_MEMBERS)
    .example(EXAMPLE)
    .action(asking(terminal, compare));
}

async function compare({ options, terminal, ask }: AskedCommand<CompareOptions>): Promise<void> {
  const { signal, stdout } = terminal;
  const format = options.format ?? (stdout.isTTY === true ? "text" : "json");
  const gates = parseGates(options.failOn ?? []);
  const { compared, judged } = await ask((engine, project, members) =>
    judge(engine, project, members as CompareRequest, gates, signal),
  );
  if (options.junit !== undefined) await writeWhole(options.junit, junitReport(compared, judged));
  if (format !== "markdown") await noteAll(terminal, compared.answer.warnings);
  await noteAll(terminal, [...gateNotes(gates, compared), ...judged.flatMap(({ notes = [] }) => notes)]);
  await print(stdout, `${written(compared, judged, format, tableView(stdout))}\n`);
  const met = judged.flatMap(({ reasons }) => reasons);
  if (met.length > 0) throw new GateFailure(met.map(({ text }) => text));
}

interface Judged {
  readonly compared: Compared;
  readonly judged: readonly JudgedGate[];
}

async function judge(
  engine: Engine,
  project: string,
  request: CompareRequest,
  gates: readonly Gate[],
  signal: AbortSignal,
): Promise<Judged> {
  refuseWithoutMargin(gates, request.margin);
  if (request.corrected_by == null) refuseJudgeGates(gates);
  const answer = await engine.compareEvaluations(project, request, { signal });
  const sides = comparedSides(answer);
  const compared: Compared = { answer, request, sides, names: await labelsOf(engine, project, sides) };
  const figures = await readFigures(engine, project, compared, gates, signal);
  return { compared, judged: judgeGates(gates, compared, figures) };
}

/** Labels of what is compared, by id; models have none. */
async function labelsOf(engine: Engine, project: string, sides: readonly Side[]) {
  const ids = new Set(sides.flatMap(({ baseline, candidate }) => [baseline, candidate]));
  const list = await engine.listEvaluations(project);
  return evaluationLabels(list.filter(({ id }) => ids.has(id)));
}

function written(
  compared: Compared,
  judged: readonly JudgedGate[],
  format: ReportFormat | "text",
  view: TableView,
): string {
  switch (format) {
    case "json":
      return JSON.stringify(compared.answer);
    case "markdown":
      return comparisonMarkdown(compared, judged);
    case "table":
      return comparisonTable(compared, view);
    case "text":
      return comparisonText(compared, view);
  }
}
