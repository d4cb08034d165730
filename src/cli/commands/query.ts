import type { Command } from "commander";
import type { Engine, EvalResultsRequest, EvalResultsResponse } from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { withProject } from "../options/database.ts";
import {
  withExample,
  databaseOption,
  formatOption,
  projectOption,
  type Format,
  type ProjectOptions,
} from "../options/options.ts";
import { askRequest, readFlaggedRequest } from "../request/flagged-request.ts";
import {
  countErrorsOption,
  REQUEST_ARGUMENT,
  requestOptions,
  type RequestFlags,
} from "../request/request-options.ts";
import { resultTables } from "../tables/result-tables.ts";
import { tableView } from "../tables/screen-table.ts";
import { note, print } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface QueryOptions extends ProjectOptions, RequestFlags {
  readonly format: Format;
}

export function queryCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("query")
    .description("answer one evaluation-results request")
    .addOption(databaseOption())
    .addOption(projectOption())
    .addOption(formatOption())
    .argument(...REQUEST_ARGUMENT);
  for (const option of [...requestOptions(), countErrorsOption()]) command.addOption(option);
  withExample(
    command,
    "evalcube query --db evals.duckdb --evaluation latest --filter 'scores.correct = false' --format table",
  );
  command.action((path: string | undefined, options: QueryOptions) => query(path, options, terminal));
}

async function query(path: string | undefined, options: QueryOptions, terminal: Terminal): Promise<void> {
  const asked = await readFlaggedRequest(path, options, terminal);
  await withProject(terminal, options, (engine, project) =>
    askRequest(engine, project, asked, (request) =>
      options.format === "json"
        ? printJson(engine, project, request, terminal)
        : printTables(engine, project, request, terminal),
    ),
  );
}

async function printJson(
  engine: Engine,
  project: string,
  request: unknown,
  terminal: Terminal,
): Promise<void> {
  const { signal, stdout } = terminal;
  const text = await engine.queryEvalResultsJson(project, request, { signal });
  await note(terminal, notes(warningsOf(text)));
  await print(stdout, `${text}\n`);
}

/** The last member of a response, without parsing the rest of it: inside of a text, quotes are escaped. */
function warningsOf(response: string): readonly string[] {
  const member = response.lastIndexOf(',"warnings":');
  const { warnings } = JSON.parse(`{${response.slice(member + 1)}`) as Pick<EvalResultsResponse, "warnings">;
  return warnings;
}

function notes(warnings: readonly string[]): string {
  return warnings.map((warning) => `note: ${warning}\n`).join("");
}

async function printTables(
  engine: Engine,
  project: string,
  request: unknown,
  terminal: Terminal,
): Promise<void> {
  const { signal, stdout } = terminal;
  const view = tableView(stdout);
  const response = await engine.queryEvalResults(project, asFarAsShown(request, view.most), { signal });
  const evaluations = await engine.listEvaluations(project);
  await note(terminal, notes(response.warnings));
  await print(stdout, `${resultTables(response, evaluations, view)}\n`);
}

/**
 * Asks for no outputs, which a table does not show, and for one row more than is shown, so that the table can say that there are more.
 * The engine checks the shape.
 */
function asFarAsShown(request: unknown, most: number | null): EvalResultsRequest {
  const asked = request as EvalResultsRequest;
  if (!isJsonObject(request)) return asked;
  const shown = { ...asked, include_outputs: false };
  const limit: unknown = request["limit"] ?? Number.MAX_SAFE_INTEGER;
  return most !== null && Number.isSafeInteger(limit) && Number(limit) > most
    ? { ...shown, limit: most + 1 }
    : shown;
}
