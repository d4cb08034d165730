import { access, writeFile } from "node:fs/promises";
import { InvalidArgumentError, Option, type Command } from "commander";
import { EvalcubeError } from "../../errors.ts";
import type { Engine } from "../../index.ts";
import type { Report } from "../../view/make-report.ts";
import type { ReportOptions } from "../../view/report-options.ts";
import { countText } from "../../view/words/figures.ts";
import { fullNames } from "../../view/words/names.ts";
import { judgeGates, needsBoard } from "../gates/judge-gates.ts";
import { parseGates, refuseJudgeGates, type Gate } from "../gates/parse-gate.ts";
import { readBoard } from "../gates/read-board.ts";
import { withProject } from "../options/database.ts";
import { withExample } from "../options/example.ts";
import { databaseOption, projectOption, type ProjectOptions } from "../options/options.ts";
import { askRequest, withFlags } from "../request/flagged-request.ts";
import { evaluationOption } from "../request/request-options.ts";
import { usageFault } from "../request/usage-fault.ts";
import { GateFailure } from "../terminal/failure.ts";
import { readRequest } from "../terminal/input.ts";
import { untilClosed } from "../terminal/output.ts";
import { note, write, type Terminal } from "../terminal/terminal.ts";
import { comparisonOptions, REQUEST, type ComparisonFlags } from "./comparison-options.ts";

interface ReportFlags extends ProjectOptions, ComparisonFlags {
  readonly out: string;
  readonly evaluation?: readonly string[];
  readonly baseline?: string;
  readonly passK?: readonly number[];
  readonly outputs?: "fit" | "all" | "none";
  readonly maxSize?: number;
  readonly title?: string;
  readonly force?: true;
}

const STDOUT = "-";

export function reportCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("report")
    .description("write one HTML file that shows and compares evaluations")
    .addOption(databaseOption())
    .addOption(projectOption())
    .requiredOption("--out <file>", "where to write it; - for standard output")
    .addOption(evaluationOption())
    .option(
      "--baseline <id>",
      "the evaluation to compare with, named likewise; without it the best of several",
    )
    .option("--pass-k <numbers>", "of k trials of a row: values of k, as 1,2,4", readNumbers)
    .addOption(
      new Option("--outputs <rows>", "whose outputs it holds: as many rows as fit (default)").choices([
        "fit",
        "all",
        "none",
      ]),
    )
    .option("--max-size <size>", "how large it may be (1.5MB)", readSize)
    .option("--title <text>", "a title in the place of the project")
    .option("--force", "replace a file of this name")
    .argument("[request]", REQUEST)
    .action((path: string | undefined, flags: ReportFlags) => report(path, flags, terminal));
  for (const option of comparisonOptions()) command.addOption(option);
  withExample(
    command,
    "evalcube report --db evals.duckdb --project acme/qa --scorer correct --out report.html",
  );
}

async function report(path: string | undefined, flags: ReportFlags, terminal: Terminal): Promise<void> {
  const { out, force } = flags;
  const gates = parseGates(flags.failOn ?? []);
  refuseJudgeGates(gates);
  if (out !== STDOUT && force !== true) await refuseExisting(out);
  const asked = withFlags(await readRequest(path, terminal), membersOf(flags));
  await withProject(terminal, flags, async (engine, project) => {
    const { makeReport } = await import("../on-use/on-use.ts");
    const { made, reasons } = await askRequest(engine, project, asked, async (members) => {
      const options = { ...(members as ReportOptions), signal: terminal.signal };
      const one = await makeReport(engine, project, options);
      return { made: one, reasons: await judge(engine, project, one, gates, terminal.signal) };
    });
    await save(out, made.html, terminal);
    await note(terminal, `${describe(made, out)}\n`);
    if (reasons.length > 0) throw new GateFailure(reasons);
  });
}

/** Members of the options by the flags that give them; a request may name evaluations as queries do. */
function membersOf(flags: ReportFlags): Parameters<typeof withFlags>[1] {
  return {
    evaluations: ["--evaluation", flags.evaluation],
    baseline: ["--baseline", flags.baseline],
    scorers: ["--scorer", flags.scorer],
    lower_is_better: ["--lower-is-better", flags.lowerIsBetter],
    higher_is_better: ["--higher-is-better", flags.higherIsBetter],
    confidence: ["--confidence", flags.confidence],
    adjust: ["--adjust", flags.adjust],
    margin: ["--margin", flags.margin],
    cluster_by: ["--cluster-by", flags.clusterBy],
    count_errors_as: ["--count-errors-as", flags.countErrorsAs],
    pass_k: ["--pass-k", flags.passK],
    outputs: ["--outputs", flags.outputs],
    max_bytes: ["--max-size", flags.maxSize],
    title: ["--title", flags.title],
  };
}

/** What makes gates fail, as sentences. Throws `RequestError` where there is nothing that a gate could judge. */
async function judge(
  engine: Engine,
  project: string,
  { answers }: Report,
  gates: readonly Gate[],
  signal: AbortSignal,
): Promise<string[]> {
  if (gates.length === 0) return [];
  const { baseline, comparison: answer, scorers, request, summary, margin } = answers;
  if (baseline === null || answer === null)
    throw usageFault(["--fail-on"], "there are no two evaluations here that can be compared");
  if (margin === null && gates.some(({ kind }) => kind === "not-equivalent"))
    throw usageFault(["--fail-on"], "not-equivalent needs --margin, the difference that counts as none");
  const candidates = summary.evaluations
    .filter((one) => one.evaluation_call_id !== baseline && one.trial_count > 0)
    .map((one) => one.evaluation_call_id);
  const sides = { lower_is_better: answers.lowerIsBetter, higher_is_better: answers.higherIsBetter };
  const asked = { ...request, baseline, candidates, scorers, ...sides };
  const board = gates.some(needsBoard) ? await readBoard(engine, project, asked, gates, signal) : null;
  const compared = { answer, request: asked, names: fullNames(answers.evaluations) };
  const judged = judgeGates(gates, compared, { board, agreements: [] });
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
