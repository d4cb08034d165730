import { Option, type Command } from "commander";
import type { EvalResultsRequest, ExportFormat } from "../../index.ts";
import { withProject } from "../options/database.ts";
import {
  databaseOption,
  projectOption,
  type ProjectOptions,
  type EvalcubeCommand,
} from "../options/options.ts";
import { askRequest, readFlaggedRequest, refuseWithoutEvaluation } from "../request/flagged-request.ts";
import { REQUEST_ARGUMENT, requestOptions } from "../request/request-options.ts";
import { csvSafeOption, exportTarget, formatOf, outOption, untilClosed } from "../terminal/output.ts";
import { note, type Terminal } from "../terminal/terminal.ts";

interface ExportOptions extends ProjectOptions {
  readonly format?: ExportFormat;
  readonly out: string;
  readonly csvSafe?: boolean;
}

export function exportCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const format = new Option("--format <format>", "what to write, where the ending of --out does not say it");
  program
    .command("export")
    .description("write the trials of a request, one record each, to a file")
    .with(
      databaseOption(),
      projectOption(),
      format.choices(["parquet", "csv", "jsonl", "json", "arrow"]),
      outOption().makeOptionMandatory(),
      csvSafeOption(),
      ...requestOptions(),
    )
    .argument(...REQUEST_ARGUMENT)
    .example("evalcube export --db evals.duckdb --evaluation latest --out trials.parquet")
    .action((path: string | undefined, options: ExportOptions, command: Command) =>
      exportTable(path, options, command, terminal),
    );
}

async function exportTable(
  path: string | undefined,
  options: ExportOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const target = exportTarget(formatOf(options.format, options.out), options.out, terminal);
  const asked = await readFlaggedRequest(path, command, terminal);
  refuseWithoutEvaluation(asked.request);
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
