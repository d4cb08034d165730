import type { Command } from "commander";
import { withReader } from "../options/database.ts";
import { readRequest } from "../terminal/input.ts";
import { databaseOption, formatOption, projectOption } from "../options/options.ts";
import type { Format } from "../options/options.ts";
import { resultTables } from "../tables/result-tables.ts";
import { print, showsColour } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface QueryOptions {
  readonly db: string;
  readonly project: string;
  readonly format: Format;
}

export function queryCommand(program: Command, terminal: Terminal): void {
  program
    .command("query")
    .description("answer one evaluation-results request")
    .addOption(databaseOption())
    .addOption(projectOption())
    .addOption(formatOption())
    .argument("[request]", "a JSON file, or - for standard input; without it the empty request")
    .action((path: string | undefined, options: QueryOptions) => query(path, options, terminal));
}

async function query(path: string | undefined, options: QueryOptions, terminal: Terminal): Promise<void> {
  const request = await readRequest(path, terminal);
  const { project } = options;
  const { signal, stdout, stderr } = terminal;
  await withReader(terminal, options.db, async (engine) => {
    if (options.format === "json") {
      const text = await engine.queryEvalResultsJson(project, request, { signal });
      return await print(stdout, `${text}\n`);
    }
    const response = await engine.queryEvalResults(project, request, { signal });
    const evaluations = await engine.listEvaluations(project);
    await print(stderr, response.warnings.map((warning) => `note: ${warning}\n`).join(""));
    return await print(stdout, `${resultTables(response, evaluations, showsColour(stdout))}\n`);
  });
}
