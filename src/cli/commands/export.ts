import type { Command } from "commander";
import { Option } from "commander";
import type { EvalResultsRequest, ExportFormat } from "../../index.ts";
import { withProject } from "../options/database.ts";
import { withExample, databaseOption, projectOption, type ProjectOptions } from "../options/options.ts";
import { askRequest, readFlaggedRequest } from "../request/flagged-request.ts";
import { REQUEST_ARGUMENT, requestOptions, type RequestFlags } from "../request/request-options.ts";
import { csvSafeOption, exportTarget, formatOf, outOption, untilClosed } from "../terminal/output.ts";
import { note } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface ExportOptions extends ProjectOptions, RequestFlags {
  readonly format?: ExportFormat;
  readonly out: string;
  readonly csvSafe?: boolean;
}

export function exportCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("export")
    .description("write the trials of a request, one record each, to a file")
    .addOption(databaseOption())
    .addOption(projectOption())
    .addOption(
      new Option("--format <format>", "what to write, where the ending of --out does not say it").choices([
        "parquet",
        "csv",
        "jsonl",
        "json",
        "arrow",
      ]),
    )
    .addOption(outOption().makeOptionMandatory())
    .addOption(csvSafeOption())
    .argument(...REQUEST_ARGUMENT);
  for (const option of requestOptions()) command.addOption(option);
  withExample(command, "evalcube export --db evals.duckdb --evaluation latest --out trials.parquet");
  command.action((path: string | undefined, options: ExportOptions) => exportTable(path, options, terminal));
}

async function exportTable(
  path: string | undefined,
  options: ExportOptions,
  terminal: Terminal,
): Promise<void> {
  const target = exportTarget(formatOf(options.format, options.out), options.out, terminal);
  const asked = await readFlaggedRequest(path, options, terminal);
  const warnings: string[] = [];
  const onWarning = (warning: string) => void warnings.push(`note: ${warning}\n`);
  const csvSafe = options.csvSafe === true;
  const writing = { ...target, csvSafe, signal: terminal.signal, onWarning };
  await withProject(terminal, options, (engine, project) =>
    untilClosed(async () => {
      const { trials } = await askRequest(engine, project, asked, (request) =>
        engine.exportResults(project, request as EvalResultsRequest, writing),
      );
      await note(terminal, `${warnings.join("")}${trials} trials\n`);
    }),
  );
}
