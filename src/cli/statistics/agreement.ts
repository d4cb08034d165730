import { Option } from "commander";
import type { AgreementRequest } from "../../index.ts";
import { agreementReason } from "../gates/judge-agreement.ts";
import { parseGates, type JudgeGate } from "../gates/parse-gate.ts";
import {
  formatFor,
  formatOption,
  type Format,
  type ProjectOptions,
  type EvalcubeCommand,
} from "../options/options.ts";
import { asking, refuseWithoutEvaluation, type Asked } from "../request/flagged-request.ts";
import {
  confidenceOption,
  evaluationOption,
  filterOption,
  memberOption,
} from "../request/request-options.ts";
import { usageFault } from "../../request/meaningless.ts";
import { GateFailure } from "../terminal/failure.ts";
import { agreementTable } from "../tables/agreement-table.ts";
import { tableView } from "../tables/screen-table.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

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
      filterOption(),
      confidenceOption("intervals"),
      new Option(
        "--fail-on <gate...>",
        "end with status 3 where the lower limit of kappa is low: judge<0.6; quoted for the shell",
      ),
      formatOption(),
    )
    .argument("[request]", "a JSON file, or - for standard input; flags replace its members")
    .example(
      "evalcube agreement --db evals.duckdb --project acme/qa --evaluation latest --a feedback.correct --b judge.correct",
    )
    .action(asking(terminal, agreement));
}

async function agreement({ options, terminal, ask }: Asked<AgreementOptions>): Promise<void> {
  const gates = readGates(options.failOn ?? []);
  const { signal, stdout } = terminal;
  const answer = await ask(
    (engine, project, request) => engine.agreement(project, request as AgreementRequest, { signal }),
    refuseWithoutEvaluation,
  );
  await noteAll(terminal, answer.warnings);
  const isJson = formatFor(options.format, stdout) === "json";
  await print(stdout, `${isJson ? JSON.stringify(answer) : agreementTable(answer, tableView(stdout))}\n`);
  const met = gates.map((gate) => agreementReason(gate, answer)).filter((reason) => reason !== null);
  if (met.length > 0) throw new GateFailure(met);
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
