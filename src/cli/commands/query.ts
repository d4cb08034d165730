import type { Command } from "commander";
import type { EvalResultsRequest } from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { withReader } from "../options/database.ts";
import { readRequest } from "../terminal/input.ts";
import { databaseOption, formatOption, projectOption } from "../options/options.ts";
import type { Format } from "../options/options.ts";
import { resultTables } from "../tables/result-tables.ts";
import { tableView } from "../tables/screen-table.ts";
import { print } from "../terminal/terminal.ts";
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
    const view = tableView(stdout);
    const response = await engine.queryEvalResults(project, asFarAsShown(request, view.most), { signal });
    const evaluations = await engine.listEvaluations(project);
    await print(stderr, response.warnings.map((warning) => `note: ${warning}\n`).join(""));
    return await print(stdout, `${resultTables(response, evaluations, view)}\n`);
  });
}

/** Asks for one row more than is shown, so that the table can say that there are more. */
function asFarAsShown(request: unknown, most: number | null): EvalResultsRequest {
  if (most === null || !isJsonObject(request)) return request as EvalResultsRequest;
  const limit: unknown = request["limit"] ?? Number.MAX_SAFE_INTEGER;
  const more = Number.isSafeInteger(limit) && Number(limit) > most;
  return more ? { ...request, limit: most + 1 } : request;
}
