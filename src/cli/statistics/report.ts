import { access, writeFile } from "node:fs/promises";
import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { EvalcubeError } from "../../errors.ts";
import type { Engine } from "../../index.ts";
import { argumentsWithIds } from "../../request/argument-names.ts";
import { resolveNames } from "../../request/resolve-names.ts";
import { scopeOf } from "../../view/model/answers.ts";
import type { Report } from "../../view/make-report.ts";
import type { ReportOptions } from "../../view/report-options.ts";
import { countText } from "../../words/figures.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { gateNotes, judgeGates, readFigures } from "../gates/judge-gates.ts";
import { parseGates, refuseJudgeGates, refuseWithoutMargin, type Gate } from "../gates/parse-gate.ts";
import { type ProjectOptions, type EvalcubeCommand } from "../options/options.ts";
import { asking, type AskedCommand } from "../request/flagged-request.ts";
import { byOptions } from "../request/by-model.ts";
import { costOptions } from "../request/prices.ts";
import { evaluationOption, memberOption } from "../request/request-options.ts";
import { comparedSides } from "../../words/comparison-words.ts";
import { usageFault } from "../../request/meaningless.ts";
import { GateFailure, UsageError } from "../terminal/failure.ts";
import { untilClosed } from "../terminal/output.ts";
import { note, noteAll, write, type Terminal } from "../terminal/terminal.ts";
import { comparisonOptions, REQUEST_WITH_MEMBERS } from "./comparison-options.ts";

interface ReportFlags extends ProjectOptions {
  readonly out: string;
  readonly failOn?: readonly string[];
  readonly force?: true;
}

const STDOUT = "-";

export function reportCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("report")
    .description("write one HTML file that shows and compares evaluations")
    .onProject(...reportOptions())
    .argument(...REQUEST_WITH_MEMBERS)
    .example("evalcube report --db evals.duckdb --project acme/qa --scorer correct --out report.html")
    .action(asking(terminal, report));
}

function reportOptions(): Option[] {
  return [
    new Option("--out <file>", "where to write it; - for standard output").makeOptionMandatory(),
    evaluationOption(),
    memberOption(
      "baseline",
      "--baseline <id>",
      "the evaluation to compare with, named likewise; without it the best of several",
    ),
    memberOption(
      "runs",
      "--runs <which>",
      "the latest two runs of one name, the latest of each name, or all; without it latest, where a name has two",
    ).choices(["latest", "names", "all"]),
    memberOption("name", "--name <name>", "of the latest two: whose runs; without it one that got worse"),
    memberOption("pass_k", "--pass-k <numbers>", "of k trials of a row: values of k, as 1,2,4").argParser(
      readNumbers,
    ),
    memberOption(
      "outputs",
      "--outputs <rows>",
      "whose outputs it holds: as many rows as fit (default)",
    ).choices(["fit", "all", "none"]),
    memberOption("max_bytes", "--max-size <size>", "how large it may be (1.5MB)").argParser(readSize),
    memberOption("title", "--title <text>", "a title instead of the project"),
    new Option("--force", "replace a file of this name"),
    ...byOptions("nothing, auto (default), or ", true, true),
    ...comparisonOptions(),
    ...costOptions(),
  ];
}

async function report({ options, terminal, ask }: AskedCommand<ReportFlags>): Promise<void> {
  const { out, force } = options;
  refuseOtherFormat(out);
  const gates = parseGates(options.failOn ?? []);
  refuseJudgeGates(gates);
  if (out !== STDOUT && force !== true) await refuseExisting(out);
  const { signal } = terminal;
  const { made, reasons } = await ask(async (engine, project, members) => {
    const { makeReport } = await import("../on-use/on-use.ts");
    const question = members as ReportOptions;
    const one = await makeReport(engine, project, { ...question, signal });
    const evaluations = await engine.listEvaluations(project);
    const { notes } = resolveNames(evaluations, members, question, argumentsWithIds);
    await noteAll(terminal, notes);
    return { made: one, reasons: await judge(engine, project, one, gates, terminal) };
  });
  await save(out, made.html, terminal);
  await note(terminal, `${describe(made, out)}\n`);
  if (reasons.length > 0) throw new GateFailure(reasons);
}

/** A device has no name that says what is in it. */
function refuseOtherFormat(out: string): void {
  const { dir, base, name, ext } = path.parse(out);
  if (out === STDOUT || /^\.html?$/i.test(ext) || dir === "/dev") return;
  const stem = ext === "." || name === "" ? base.replace(/\.$/, "") : name;
  throw new UsageError(`report writes HTML: name it ${stem}.html`);
}

/** What makes gates fail, as sentences. Throws `RequestError` where there is nothing that a gate could judge. */
async function judge(
  engine: Engine,
  project: string,
  { answers }: Report,
  gates: readonly Gate[],
  terminal: Terminal,
): Promise<string[]> {
  const { signal } = terminal;
  if (gates.length === 0) return [];
  const { baseline, comparison: answer, question, summary } = answers;
  const { scorers, margin, prices, lower_is_better, higher_is_better } = question;
  if (baseline === null || answer === null)
    throw usageFault(["--fail-on"], "there are no two evaluations here that can be compared");
  refuseWithoutMargin(gates, margin);
  const candidates = summary.evaluations
    .filter((one) => one.evaluation_call_id !== baseline && one.trial_count > 0)
    .map((one) => one.evaluation_call_id);
  const asked = {
    ...scopeOf(question),
    baseline,
    candidates,
    scorers,
    prices,
    lower_is_better,
    higher_is_better,
  };
  const sides = comparedSides(answer);
  const names = evaluationLabels(answers.evaluations);
  const compared = { answer, request: asked, sides, names };
  const judged = judgeGates(gates, compared, await readFigures(engine, project, compared, gates, signal));
  await noteAll(terminal, [...gateNotes(gates, compared), ...judged.flatMap(({ notes = [] }) => notes)]);
  return judged.flatMap(({ reasons }) => reasons.map(({ text }) => text));
}

async function refuseExisting(file: string): Promise<void> {
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there)
    throw new EvalcubeError("file_exists", `${file} is there already; --force replaces it, or name another`);
}

/** A file is written as a whole or not at all. */
async function save(out: string, html: string, { stdout }: Terminal): Promise<void> {
  if (out === STDOUT) return untilClosed(() => write(stdout, html));
  const { replaceFile } = await import("../on-use/on-use.ts");
  await replaceFile(out, (temporary) => writeFile(temporary, html));
}

function describe({ html, rows }: Report, out: string): string {
  const bytes = Buffer.byteLength(html);
  const size = bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
  const left =
    rows.left.rowsNotHere === 0 ? "" : `; ${countText(rows.left.rowsNotHere)} more rows are not in it`;
  const inputs = { whole: "", line: "; inputs are cut to a line", none: "; inputs are left out" }[
    rows.left.inputs
  ];
  const name = out === STDOUT ? "report" : out;
  return `${name}: ${size}, outputs of ${countText(rows.withOutputs)} of ${countText(rows.rows)} rows${inputs}${left}`;
}

function readNumbers(text: string): readonly number[] {
  const numbers = text.split(",").map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.some(Number.isNaN)) throw new InvalidArgumentError("It takes whole numbers, such as 1,2,4.");
  return numbers;
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

function readSize(text: string): number {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?) ?(|[kMG]B|[KMG]iB)$/.exec(text) ?? [];
  const bytes = Math.floor(Number(digits) * (UNITS[unit] ?? 1));
  if (digits === "" || bytes < 1) throw new InvalidArgumentError("It takes a size such as 1.5MB or 800kB.");
  return bytes;
}
