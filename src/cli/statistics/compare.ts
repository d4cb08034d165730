import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { CompareRequest, Engine } from "../../index.ts";
import { fullNames } from "../../view/words/names.ts";
import { comparisonMarkdown } from "../reports/comparison-markdown.ts";
import { comparisonTable } from "../tables/comparison-tables.ts";
import type { Compared } from "../tables/comparison-words.ts";
import { judgeGates, needsBoard, type JudgedGate } from "../gates/judge-gates.ts";
import { parseGates, refuseJudgeGates, type Gate } from "../gates/parse-gate.ts";
import { readAgreements } from "../gates/judge-agreement.ts";
import { readBoard } from "../gates/read-board.ts";
import { junitReport } from "../reports/junit.ts";
import { withProject } from "../options/database.ts";
import { GateFailure } from "../terminal/failure.ts";
import { readRequest } from "../terminal/input.ts";
import { withExample } from "../options/example.ts";
import { databaseOption, projectOption, reportFormatOption } from "../options/options.ts";
import type { ProjectOptions, ReportFormat } from "../options/options.ts";
import { askRequest, withFlags } from "../request/flagged-request.ts";
import { usageFault } from "../request/usage-fault.ts";
import { tableView, type TableView } from "../tables/screen-table.ts";
import { comparisonOptions, REQUEST, type ComparisonFlags } from "./comparison-options.ts";
import { note, print } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface CompareOptions extends ProjectOptions, ComparisonFlags {
  readonly baseline: string;
  readonly candidate: readonly string[];
  readonly correctedBy?: string;
  readonly format: ReportFormat;
  readonly junit?: string;
}

const JUNIT_HELP = "where to write the gates and comparisons as JUnit XML";
const EXAMPLE = `evalcube compare --db evals.duckdb --baseline latest~1 --candidate latest --fail-on regressed "correct<90%"`;

export function compareCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("compare")
    .description("compare evaluations with a baseline on the rows that they share")
    .addOption(databaseOption())
    .addOption(projectOption())
    .requiredOption(
      "--baseline <id>",
      "the evaluation to compare with: an id, a name, latest, latest~1 or model:<name>",
    )
    .requiredOption("--candidate <id...>", "evaluations to compare, named likewise")
    .option(
      "--corrected-by <dimension>",
      "a score that people gave on some rows, such as feedback.correct; it corrects the others, which are judges",
    )
    .addOption(reportFormatOption())
    .option("--junit <file>", JUNIT_HELP)
    .argument("[request]", REQUEST)
    .action((path: string | undefined, options: CompareOptions) => compare(path, options, terminal));
  for (const option of comparisonOptions()) command.addOption(option);
  withExample(command, EXAMPLE);
}

async function compare(path: string | undefined, options: CompareOptions, terminal: Terminal): Promise<void> {
  const asked = withFlags(await readRequest(path, terminal), membersOf(options));
  const { signal, stdout } = terminal;
  const { format } = options;
  const gates = parseGates(options.failOn ?? []);
  await withProject(terminal, options, async (engine, project) => {
    const { compared, judged } = await askRequest(engine, project, asked, (members) =>
      judge(engine, project, members as CompareRequest, gates, signal),
    );
    if (options.junit !== undefined) await writeReport(options.junit, junitReport(compared, judged));
    if (format === "table")
      await note(terminal, compared.answer.warnings.map((warning) => `note: ${warning}\n`).join(""));
    await print(stdout, `${written(compared, judged, format, tableView(stdout))}\n`);
    const met = judged.flatMap(({ reasons }) => reasons);
    if (met.length > 0) throw new GateFailure(met.map(({ text }) => text));
  });
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
  if (gates.some(({ kind }) => kind === "not-equivalent") && request.margin == null)
    throw usageFault(["--fail-on"], "not-equivalent needs --margin, the difference that counts as none");
  if (request.corrected_by == null) refuseJudgeGates(gates);
  const answer = await engine.compareEvaluations(project, request, { signal });
  const compared: Compared = { answer, request, names: fullNames(await engine.listEvaluations(project)) };
  const board = gates.some(needsBoard) ? await readBoard(engine, project, request, gates, signal) : null;
  const agreements = gates.some(({ kind }) => kind === "judge")
    ? await readAgreements(engine, project, compared, signal)
    : [];
  return { compared, judged: judgeGates(gates, compared, { board, agreements }) };
}

/** Written as a whole or not at all. */
async function writeReport(file: string, text: string): Promise<void> {
  const { replaceFile } = await import("../on-use/on-use.ts");
  await replaceFile(file, (temporary) => writeFile(temporary, text));
}

function membersOf(options: CompareOptions) {
  const { baseline, candidate, scorer, confidence, adjust, margin } = options;
  const { clusterBy, correctedBy, countErrorsAs } = options;
  return {
    baseline: ["--baseline", baseline],
    candidates: ["--candidate", candidate],
    scorers: ["--scorer", scorer],
    confidence: ["--confidence", confidence],
    adjust: ["--adjust", adjust],
    margin: ["--margin", margin],
    lower_is_better: ["--lower-is-better", options.lowerIsBetter],
    higher_is_better: ["--higher-is-better", options.higherIsBetter],
    cluster_by: ["--cluster-by", clusterBy],
    corrected_by: ["--corrected-by", correctedBy === undefined ? undefined : { human: correctedBy }],
    count_errors_as: ["--count-errors-as", countErrorsAs],
  } as const;
}

function written(
  compared: Compared,
  judged: readonly JudgedGate[],
  format: ReportFormat,
  view: TableView,
): string {
  switch (format) {
    case "json":
      return JSON.stringify(compared.answer);
    case "markdown":
      return comparisonMarkdown(compared, judged);
    case "table":
      return comparisonTable(compared, view);
  }
}
