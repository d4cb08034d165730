import { Option } from "commander";
import type { ExportFormat } from "../../index.ts";
import { withProject } from "../options/database.ts";
import { UsageError } from "../terminal/failure.ts";
import { formatFor, type ProjectOptions, type EvalcubeCommand } from "../options/options.ts";
import { exportTarget, formatOf, outOption, csvSafeOption, untilClosed } from "../terminal/output.ts";
import { tableView } from "../tables/screen-table.ts";
import { write, type Terminal } from "../terminal/terminal.ts";

interface SqlOptions extends ProjectOptions {
  readonly format?: ExportFormat | "table";
  readonly out: string;
  readonly csvSafe?: boolean;
  readonly timeLimit: number;
}

export function sqlCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const formatHelp =
    "how to write the result, where the ending of --out does not say it (a table on a terminal, json elsewhere)";
  program
    .command("sql")
    .description(
      "one SELECT over the project's views: evaluations, rows, trials, scores, calls, feedback, training_jobs, trajectories, checkpoints",
    )
    .onProject(
      new Option("--format <format>", formatHelp).choices([
        "table",
        "json",
        "jsonl",
        "csv",
        "parquet",
        "arrow",
      ]),
      outOption().default("-"),
      csvSafeOption(),
      new Option("--time-limit <seconds>", "when to stop the statement").default(30).argParser(Number),
    )
    .argument("<statement>", 'the statement, for example "select count(*) from trials"')
    .example('evalcube sql --db evals.duckdb "select evaluation_call_id, count(*) from trials group by all"')
    .action((statement: string, options: SqlOptions) => querySql(statement, options, terminal));
}

async function querySql(statement: string, options: SqlOptions, terminal: Terminal): Promise<void> {
  const { out, csvSafe = false, timeLimit: timeLimitSeconds } = options;
  const format = out === "-" ? formatFor(options.format, terminal.stdout) : options.format;
  if (!(timeLimitSeconds > 0)) throw new UsageError("--time-limit must be above 0");
  const limits = { signal: terminal.signal, timeLimitSeconds };
  if (out !== "-" || format !== "table") {
    if (format === "table")
      throw new UsageError("--format table goes to standard output; choose another with --out");
    const target = { ...exportTarget(formatOf(format, out), out, terminal), csvSafe, ...limits };
    return withProject(terminal, options, (engine, project) =>
      untilClosed(async () => void (await engine.exportSql(project, statement, [], target))),
    );
  }
  return withProject(terminal, options, async (engine, project) => {
    const { printSqlTable } = await import("../on-use/on-use.ts");
    const batches = engine.sqlBatches(project, statement, [], limits);
    const { stdout } = terminal;
    await untilClosed(() => printSqlTable(batches, tableView(stdout), (text) => write(stdout, text)));
  });
}
