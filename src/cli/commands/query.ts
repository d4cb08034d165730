import type { Engine, EvalResultsRequest, EvalResultsResponse } from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import {
  formatFor,
  formatOption,
  type Format,
  type ProjectOptions,
  type EvalcubeCommand,
} from "../options/options.ts";
import { byOptions } from "../request/by-model.ts";
import { asking, refuseWithoutEvaluation, type AskedCommand } from "../request/flagged-request.ts";
import { countingOptions, REQUEST_ARGUMENT, requestOptions } from "../request/request-options.ts";
import { resultTables } from "../tables/result-tables.ts";
import { tableView } from "../tables/screen-table.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

interface QueryOptions extends ProjectOptions {
  readonly format?: Format;
}

export function queryCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("query")
    .description("answer one evaluation-results request")
    .onProject(formatOption(), ...requestOptions(), ...byOptions(), ...countingOptions())
    .argument(...REQUEST_ARGUMENT)
    .example(
      "evalcube query --db evals.duckdb --evaluation latest --filter 'scores.correct = false' --format table",
    )
    .action(asking(terminal, query));
}

async function query({ options, terminal, ask }: AskedCommand<QueryOptions>): Promise<void> {
  const printAnswer = formatFor(options.format, terminal.stdout) === "json" ? printJson : printTables;
  await ask((engine, project, request) => printAnswer(engine, project, withSummary(request), terminal));
}

/** Slices are told in the summary, which nobody who asks for them has to name. */
function withSummary(request: unknown): unknown {
  return isJsonObject(request) && Object.hasOwn(request, "by")
    ? { include_summary: true, ...request }
    : request;
}

async function printJson(
  engine: Engine,
  project: string,
  request: unknown,
  terminal: Terminal,
): Promise<void> {
  const { signal, stdout } = terminal;
  const text = await engine.queryEvalResultsJson(project, request, { signal });
  refuseWithoutEvaluation(request);
  await noteAll(terminal, warningsOf(text));
  await print(stdout, `${text}\n`);
}

/** The last member of a response, without parsing the rest of it: inside of a text, quotes are escaped. */
function warningsOf(response: string): readonly string[] {
  const member = response.lastIndexOf(',"warnings":');
  const { warnings } = JSON.parse(`{${response.slice(member + 1)}`) as Pick<EvalResultsResponse, "warnings">;
  return warnings;
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
  refuseWithoutEvaluation(request);
  const evaluations = await engine.listEvaluations(project);
  await noteAll(terminal, response.warnings);
  await print(stdout, `${resultTables(response, evaluations, view)}\n`);
}

/**
 * Asks for no outputs, which a table does not show, and for one row more than is shown, so that the table can say that
 * there are more. The engine checks the shape.
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
