import { Option, type Command } from "commander";
import type { EvalResultsRequest, Explanation } from "../../index.ts";
import { writeJson } from "../../model/json.ts";
import { withProject } from "../options/database.ts";
import {
  databaseOption,
  projectOption,
  type ProjectOptions,
  type EvalcubeCommand,
} from "../options/options.ts";
import { askRequest, readFlaggedRequest, refuseWithoutEvaluation } from "../request/flagged-request.ts";
import { REQUEST_ARGUMENT, requestOptions } from "../request/request-options.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

interface ExplainOptions extends ProjectOptions {
  readonly format: "sql" | "json";
}

export function explainCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const format = new Option("--format <format>", "statements with comments, or all as JSON");
  program
    .command("explain")
    .description("run a request, and print its plan and every statement")
    .with(
      databaseOption(),
      projectOption(),
      format.choices(["sql", "json"]).default("sql"),
      ...requestOptions(),
    )
    .argument(...REQUEST_ARGUMENT)
    .example("evalcube explain --db evals.duckdb --project acme/qa --evaluation latest --sort scores.correct")
    .action((path: string | undefined, options: ExplainOptions, command: Command) =>
      explain(path, options, command, terminal),
    );
}

async function explain(
  path: string | undefined,
  options: ExplainOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const asked = await readFlaggedRequest(path, command, terminal);
  await withProject(terminal, options, async (engine, project) => {
    const explanation = await askRequest(engine, project, asked, (request) =>
      engine.explain(project, request as EvalResultsRequest),
    );
    refuseWithoutEvaluation(asked.request);
    if (options.format === "sql") await noteAll(terminal, explanation.warnings);
    const text = options.format === "json" ? writeJson(explanation) : statementsText(explanation);
    await print(terminal.stdout, `${text}\n`);
  });
}

/** The plan as a comment, then each statement below its name, with its values. */
function statementsText({ plan, statements }: Explanation): string {
  const texts = statements.map(({ name, sql, params }) => {
    const values = params.map(({ type, value }, i) => comment(`$${i + 1} ${type} ${writeJson(value)}`));
    return [comment(name), ...values, `${sql.trim()};`].join("\n");
  });
  return [comment(`plan ${writeJson(plan)}`), ...texts].join("\n\n");
}

/** A text of the data cannot end a comment, since JSON has no line ends. */
function comment(text: string): string {
  return `-- ${text}`;
}
