import { Option, type Command } from "commander";
import type { AgreementRequest } from "../../index.ts";
import { withProject } from "../options/database.ts";
import { withExample } from "../options/example.ts";
import { databaseOption, formatOption, projectOption } from "../options/options.ts";
import type { Format, ProjectOptions } from "../options/options.ts";
import { askRequest, filtersFlag, withFlags } from "../request/flagged-request.ts";
import { evaluationOption, filterOption } from "../request/request-options.ts";
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
    if (format === "json") return await print(stdout, `${JSON.stringify(answer)}\n`);
    await note(terminal, answer.warnings.map((warning) => `note: ${warning}\n`).join(""));
    return await print(stdout, `${agreementTable(answer, tableView(stdout))}\n`);
  });
}
