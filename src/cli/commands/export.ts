import type { Command } from "commander";
import { Option } from "commander";
import type { ExportFormat } from "../../index.ts";
import { withReader } from "../options/database.ts";
import { readRequest } from "../terminal/input.ts";
import { databaseOption, projectOption } from "../options/options.ts";
import { exportTarget, outOption, untilClosed } from "../terminal/output.ts";
import { print } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface ExportOptions {
  readonly db: string;
  readonly project: string;
  readonly format: ExportFormat;
  readonly out: string;
}

export function exportCommand(program: Command, terminal: Terminal): void {
  program
    .command("export")
    .description("write the trials of a request, one record each, to a file")
    .addOption(databaseOption())
    .addOption(projectOption())
    .addOption(
      new Option("--format <format>", "what to write")
        .choices(["parquet", "csv", "jsonl", "json", "arrow"])
        .makeOptionMandatory(),
    )
    .addOption(outOption().makeOptionMandatory())
    .argument("[request]", "a JSON file, or - for standard input; without it the empty request")
    .action((path: string | undefined, options: ExportOptions) => exportTable(path, options, terminal));
}

async function exportTable(
  path: string | undefined,
  { db, project, format, out }: ExportOptions,
  terminal: Terminal,
): Promise<void> {
  const target = exportTarget(format, out, terminal);
  const request = await readRequest(path, terminal);
  const warnings: string[] = [];
  await withReader(terminal, db, (engine) =>
    untilClosed(async () => {
      const onWarning = (warning: string) => void warnings.push(`note: ${warning}\n`);
      const { trials } = await engine.exportResults(project, request, {
        ...target,
        signal: terminal.signal,
        onWarning,
      });
      await print(terminal.stderr, `${warnings.join("")}${trials} trials\n`);
    }),
  );
}
