import { Option } from "commander";
import type { EvalResultsRequest, Explanation } from "../../index.ts";
import { writeJson } from "../../model/json.ts";
import { type ProjectOptions, type EvalcubeCommand } from "../options/options.ts";
import { asking, refuseWithoutEvaluation, type AskedCommand } from "../request/flagged-request.ts";
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
    .onProject(format.choices(["sql", "json"]).default("sql"), ...requestOptions())
    .argument(...REQUEST_ARGUMENT)
    .example("evalcube explain --db evals.duckdb --project acme/qa --evaluation latest --sort scores.correct")
    .action(asking(terminal, explain));
}

async function explain({ options, terminal, ask }: AskedCommand<ExplainOptions>): Promise<void> {
  const explanation = await ask(async (engine, project, request) => {
    const found = await engine.explain(project, request as EvalResultsRequest);
    refuseWithoutEvaluation(request);
    return found;
  });
  if (options.format === "sql") await noteAll(terminal, explanation.warnings);
  const text = options.format === "json" ? writeJson(explanation) : statementsText(explanation);
  await print(terminal.stdout, `${text}\n`);
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
