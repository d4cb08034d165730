import { Option, type Command } from "commander";
import type { AgreementRequest } from "../../index.ts";
import { agreementReason } from "../gates/judge-agreement.ts";
import { parseGates, type JudgeGate } from "../gates/parse-gate.ts";
import { withProject } from "../options/database.ts";
import {
  withExample,
  databaseOption,
  formatOption,
  projectOption,
  type Format,
  type ProjectOptions,
} from "../options/options.ts";
import { askRequest, filtersFlag, withFlags } from "../request/flagged-request.ts";
import { evaluationOption, filterOption } from "../request/request-options.ts";
import { usageFault, GateFailure } from "../terminal/failure.ts";
import { agreementTable } from "../tables/agreement-table.ts";
import { tableView } from "../tables/screen-table.ts";
import { readRequest } from "../terminal/input.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";

interface AgreementOptions extends ProjectOptions {
  readonly evaluation?: readonly string[];
  readonly filter?: readonly string[];
  readonly a?: string;
  readonly b?: string;
  readonly confidence?: string;
  readonly failOn?: readonly string[];
  readonly format: Format;
}

export function agreementCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("agreement")
    .description("measure how far two scores agree, trial by trial")
    .addOption(databaseOption())
    .addOption(projectOption())
    .addOption(evaluationOption())
    .option("--a <dimension>", "the score that counts as the truth, such as feedback.correct")
    .option("--b <dimension>", "the score that counts as the judge, such as judge.correct")
    .addOption(filterOption())
    .addOption(new Option("--confidence <share>", "of the intervals (0.95)"))
    .addOption(
      new Option(
        "--fail-on <gate...>",
        "end with status 3 where the lower limit of kappa is low: judge<0.6; quoted for the shell",
      ),
    )
    .addOption(formatOption("table"))
    .argument("[request]", "a JSON file, or - for standard input; flags replace its members")
    .action((path: string | undefined, options: AgreementOptions) => agreement(path, options, terminal));
  withExample(
    command,
    "evalcube agreement --db evals.duckdb --project acme/qa --evaluation latest --a feedback.correct --b judge.correct",
  );
}

async function agreement(
  path: string | undefined,
  options: AgreementOptions,
  terminal: Terminal,
): Promise<void> {
  const { evaluation, a, b, filter, confidence, format } = options;
  const gates = readGates(options.failOn ?? []);
  const asked = withFlags(await readRequest(path, terminal), {
    evaluations: ["--evaluation", evaluation],
    a: ["--a", a],
    b: ["--b", b],
    filters: filtersFlag(filter),
    confidence: ["--confidence", confidence === undefined ? undefined : Number(confidence)],
  });
  const { signal, stdout } = terminal;
  await withProject(terminal, options, async (engine, project) => {
    const answer = await askRequest(engine, project, asked, (request) =>
      engine.agreement(project, request as AgreementRequest, { signal }),
    );
    if (format === "table")
      await note(terminal, answer.warnings.map((warning) => `note: ${warning}\n`).join(""));
    const text = format === "json" ? JSON.stringify(answer) : agreementTable(answer, tableView(stdout));
    await print(stdout, `${text}\n`);
    const met = gates.map((gate) => agreementReason(gate, answer)).filter((reason) => reason !== null);
    if (met.length > 0) throw new GateFailure(met);
  });
}

function readGates(texts: readonly string[]): JudgeGate[] {
  return parseGates(texts).map((gate) => {
    if (gate.kind === "judge") return gate;
    throw usageFault(
      ["--fail-on"],
      `agreement has one gate, judge<N, on the lower limit of kappa, not ${gate.text}`,
    );
  });
}
