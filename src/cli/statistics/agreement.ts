import { Option } from "commander";
import type {
  AgreementRequest,
  AgreementResponse,
  CertifiedRate,
  JudgeCertificate,
  RatersAnswer,
} from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { raterTables } from "../tables/rater-tables.ts";
import { agreementReason } from "../gates/judge-agreement.ts";
import { type JudgeGate, parseGates } from "../gates/parse-gate.ts";
import {
  type EvalcubeCommand,
  type Format,
  formatFor,
  formatOption,
  type ProjectOptions,
} from "../options/options.ts";
import { type AskedCommand, asking, refuseWithoutEvaluation } from "../request/flagged-request.ts";
import {
  confidenceOption,
  evaluationOption,
  filterOption,
  memberOption,
  readNumber,
} from "../request/request-options.ts";
import { usageFault } from "../../request/meaningless.ts";
import { GateFailure } from "../terminal/failure.ts";
import { screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";
import type { PrintedColumn } from "../../text/text-table.ts";
import { counted, countText, intervalName, intervalText, meanText } from "../../words/figures.ts";
import { scoreName } from "../../words/score.ts";

interface AgreementOptions extends ProjectOptions {
  readonly failOn?: readonly string[];
  readonly format?: Format;
}

export function agreementCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("agreement")
    .description("measure how far two scores agree, trial by trial")
    .onProject(
      evaluationOption(),
      memberOption("a", "--a <dimension>", "the score that counts as the truth, such as feedback.correct"),
      memberOption("b", "--b <dimension>", "the score that counts as the judge, such as judge.correct"),
      memberOption("raters", "--raters <dimension...>", "two scores or more, or one of feedback: its people"),
      filterOption(),
      confidenceOption("intervals"),
      memberOption(
        "at_least",
        "--at-least <share>",
        "certify a judge that is shown to find so many of the true and of the false labels",
      ).argParser(readNumber),
      new Option(
        "--fail-on <gate...>",
        "end with status 3: judge<0.6 (the lower limit of kappa; quoted for the shell), judge-not-certified",
      ),
      formatOption(),
    )
    .argument("[request]", "a JSON file, or - for standard input; flags replace its members")
    .example(
      "evalcube agreement --db evals.duckdb --evaluation latest --a feedback.correct --b judge.correct",
    )
    .action(asking(terminal, agreement));
}

async function agreement({ options, terminal, ask }: AskedCommand<AgreementOptions>): Promise<void> {
  const { gates, certified } = readGates(options.failOn ?? []);
  const { signal, stdout } = terminal;
  const answer: AgreementResponse | RatersAnswer = await ask(
    (engine, project, request) => engine.agreement(project, request as AgreementRequest, { signal }),
    (request) => {
      refuseWithoutEvaluation(request);
      refuseGates(request, gates, certified);
    },
  );
  await noteAll(terminal, answer.warnings);
  const isJson = formatFor(options.format, stdout) === "json";
  await print(stdout, `${isJson ? JSON.stringify(answer) : tablesOf(answer, tableView(stdout))}\n`);
  if (isOfRaters(answer)) return;
  const reasons = [
    ...gates.map((gate) => agreementReason(gate, answer)),
    certified ? certificateReason(answer) : null,
  ];
  const met = reasons.filter((reason) => reason !== null);
  if (met.length > 0) throw new GateFailure(met);
}

function isOfRaters(answer: AgreementResponse | RatersAnswer): answer is RatersAnswer {
  return "raters" in answer;
}

function tablesOf(answer: AgreementResponse | RatersAnswer, view: TableView): string {
  return isOfRaters(answer) ? raterTables(answer.raters, view) : agreementTable(answer, view);
}

const NOT_CERTIFIED = "judge-not-certified";

function readGates(texts: readonly string[]) {
  const parts = texts.flatMap((text) => text.split(",")).map((part) => part.trim());
  const gates = parseGates(parts.filter((part) => part !== NOT_CERTIFIED)).map((gate): JudgeGate => {
    if (gate.kind === "judge") return gate;
    throw usageFault(
      ["--fail-on"],
      `agreement has the gates judge<N, on the lower limit of kappa, and ${NOT_CERTIFIED}, not ${gate.text}`,
    );
  });
  return { gates, certified: parts.includes(NOT_CERTIFIED) };
}

/** Refuses gates on a judge where raters are asked about, and on a certificate that nobody asks for. */
function refuseGates(request: unknown, gates: readonly JudgeGate[], certified: boolean): void {
  const { raters, at_least: atLeast } = isJsonObject(request) ? request : {};
  if (raters != null && (certified || gates.length > 0))
    throw usageFault(["--fail-on"], "gates are on a judge in b; raters have none");
  if (certified && atLeast == null)
    throw usageFault(["--fail-on"], `${NOT_CERTIFIED} needs a share: --at-least 0.8`);
}

/** Why a judge has no certificate, in one line; null where it has. */
function certificateReason({ certificate, a, b }: AgreementResponse): string | null {
  if (certificate === undefined || certificate.certified) return null;
  return `${NOT_CERTIFIED}: ${scoreName(b)} against ${scoreName(a)} ${certificateText(certificate)}`;
}

function share(value: number | null): string {
  return meanText(value, "binary");
}

/** `finds 85.0% of 60 true labels, at least 73.4% (80.0% is asked; 131 labels are needed); 90.0% of …`. */
function certificateText({ at_least: atLeast, sensitivity, specificity }: JudgeCertificate): string {
  const told = ({ estimate, lower, n, needed }: CertifiedRate, label: string) => {
    const shown = n === 0 ? "" : `, at least ${share(lower)}`;
    const more = needed === null || needed === 0 ? "" : `; about ${counted(needed, "label")} would do`;
    return `${share(estimate)} of ${countText(n)} ${label} labels${shown}${more}`;
  };
  return `finds ${told(sensitivity, "true")}, and ${told(specificity, "false")} (asked: ${share(atLeast)})`;
}

/** Formats the measures that exist with their intervals, the confusion matrix, and the corrected means. */
function agreementTable(answer: AgreementResponse, view: TableView): string {
  const { a, b, n_both, n_only_a, n_only_b, row_count: rows } = answer;
  const counts = `${countText(n_both)} trials with both, on ${countText(rows)} rows; ${countText(n_only_a)} with ${scoreName(a)} only, ${countText(n_only_b)} with ${scoreName(b)} only`;
  const parts = [
    `${scoreName(a)} against ${scoreName(b)}: ${counts}.`,
    screenTable(measureColumns(answer), measureRows(answer), view),
    certificateLine(answer),
    confusionTable(answer, view),
    correctedTable(answer, view),
  ];
  return parts.filter((part) => part !== null).join("\n\n");
}

function certificateLine({ certificate, b }: AgreementResponse): string | null {
  if (certificate === undefined) return null;
  const is = certificate.certified ? "is certified" : "is not certified";
  return `${scoreName(b)} ${is}: it ${certificateText(certificate)}.`;
}

type Range = readonly [low: number, high: number] | null;

const right = (head: string): PrintedColumn => ({ head, align: "right" });

function measureColumns({ confidence }: AgreementResponse): PrintedColumn[] {
  return [{ head: "measure" }, right("value"), right(intervalName(confidence))];
}

function measureRows(answer: AgreementResponse): string[][] {
  const { judge, weighted_kappa: weighted } = answer;
  const measures: readonly (readonly [string, number | null, Range?])[] = [
    ["agreement", answer.raw_agreement, answer.raw_agreement_interval],
    ["Cohen's kappa", answer.cohen_kappa, answer.cohen_kappa_interval],
    ["weighted kappa, linear", weighted?.linear ?? null],
    ["weighted kappa, quadratic", weighted?.quadratic ?? null],
    ["Krippendorff's alpha", answer.krippendorff_alpha],
    ["accuracy", judge?.accuracy ?? null],
    ["precision", judge?.precision ?? null],
    ["recall", judge?.recall ?? null],
    ["F1", judge?.f1 ?? null],
    ["Pearson", answer.pearson],
    ["Spearman", answer.spearman],
    ["Kendall's tau-b", answer.kendall_tau_b],
  ];
  return measures
    .filter(([, value]) => value !== null)
    .map(([name, value, interval]) => [
      name,
      meanText(value, "continuous"),
      intervalText(interval ?? null, "continuous"),
    ]);
}

/** Larger matrices are for programs. */
const MOST_CATEGORIES = 12;

function confusionTable(
  { a, b, confusion_matrix: matrix }: AgreementResponse,
  view: TableView,
): string | null {
  if (matrix === null || matrix.categories.length > MOST_CATEGORIES) return null;
  const names = matrix.categories.map(String);
  const columns = [{ head: `${scoreName(a)} \\ ${scoreName(b)}` }, ...names.map(right)];
  const rows = matrix.counts.map((counts, i) => [names[i] ?? "", ...counts.map(countText)]);
  return screenTable(columns, rows, view);
}

function correctedTable(answer: AgreementResponse, view: TableView): string | null {
  const means = (answer.corrected_means ?? []).filter(({ estimate }) => estimate !== null);
  if (means.length === 0) return null;
  const columns = [
    { head: "evaluation", labels: true },
    right("corrected mean"),
    right(intervalName(answer.confidence)),
    right("rows with both"),
    right("judge only"),
  ];
  const rows = means.map((one) => [
    one.evaluation_call_id,
    meanText(one.estimate, "continuous"),
    intervalText(one.confidence_interval, "continuous"),
    countText(one.n_labelled),
    countText(one.n_unlabelled),
  ]);
  return screenTable(columns, rows, view);
}
