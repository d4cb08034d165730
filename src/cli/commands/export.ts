import { Option } from "commander";
import type { EvalResultsRequest, ExportFormat } from "../../index.ts";
import { exportedRequest } from "../../request/exported-request.ts";
import { type ProjectOptions, type EvalcubeCommand } from "../options/options.ts";
import { asking, refuseWithoutEvaluation, type AskedCommand } from "../request/flagged-request.ts";
import { REQUEST_ARGUMENT, requestOptions } from "../request/request-options.ts";
import { csvSafeOption, exportTarget, formatOf, outOption, untilClosed } from "../terminal/output.ts";
import { note, type Terminal } from "../terminal/terminal.ts";

interface ExportOptions extends ProjectOptions {
  readonly format?: ExportFormat;
  readonly out: string;
  readonly csvSafe?: boolean;
  readonly inputs: boolean;
  readonly details: boolean;
}

export function exportCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const format = new Option("--format <format>", "what to write, where the ending of --out does not say it");
  program
    .command("export")
    .description("write the trials of a request, one record each, to a file")
    .onProject(
      format.choices(["parquet", "csv", "jsonl", "json", "arrow"]),
      outOption().makeOptionMandatory(),
      csvSafeOption(),
      new Option("--no-inputs", "leave out the values of the rows"),
      new Option("--no-details", "leave out what outputs tell beside their scores"),
      ...requestOptions(),
    )
    .argument(...REQUEST_ARGUMENT)
    .example("evalcube export --db evals.duckdb --evaluation latest --out trials.parquet")
    .action(asking(terminal, exportTable));
}

async function exportTable({ options, terminal, ask }: AskedCommand<ExportOptions>): Promise<void> {
  const target = exportTarget(formatOf(options.format, options.out), options.out, terminal);
  const warnings: string[] = [];
  const onWarning = (warning: string) => void warnings.push(`note: ${warning}\n`);
  const csvSafe = options.csvSafe === true;
  const { inputs, details } = options;
  const withInputs = (request: EvalResultsRequest): EvalResultsRequest =>
    inputs ? exportedRequest(request) : { ...request, include_raw_data_rows: false };
  const writing = { ...target, csvSafe, details, signal: terminal.signal, onWarning };
  await ask(
    (engine, project, request) =>
      untilClosed(async () => {
        const asked = withInputs(request as EvalResultsRequest);
        const { trials } = await engine.exportResults(project, asked, writing);
        await note(terminal, `${warnings.join("")}${trials} trials\n`);
      }),
    refuseWithoutEvaluation,
  );
}
