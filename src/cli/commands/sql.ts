import type { Command } from "commander";
import { Option } from "commander";
import type { ExportFormat } from "../../index.ts";
import { withReader } from "../options/database.ts";
import { UsageError } from "../terminal/failure.ts";
import { databaseOption, projectOption } from "../options/options.ts";
import { exportTarget, outOption, untilClosed } from "../terminal/output.ts";
import { tableView } from "../tables/screen-table.ts";
import { write } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface SqlOptions {
  readonly db: string;
  readonly project: string;
  readonly format: ExportFormat | "table";
  readonly out: string;
  readonly timeLimit: number;
}

export function sqlCommand(program: Command, terminal: Terminal): void {
  program
    .command("sql")
    .description(
      "one SELECT over the project's views: evaluations, rows, trials, scores, calls, feedback, training_jobs, trajectories, checkpoints",
    )
    .addOption(databaseOption())
    .addOption(projectOption())
    .addOption(
      new Option("--format <format>", "how to write the result")
        .choices(["table", "json", "jsonl", "csv", "parquet", "arrow"])
        .default("table"),
    )
    .addOption(outOption().default("-"))
    .addOption(
      new Option("--time-limit <seconds>", "when to stop the statement").default(30).argParser(Number),
    )
    .argument("<statement>", 'the statement, for example "select count(*) from trials"')
    .action((statement: string, options: SqlOptions) => querySql(statement, options, terminal));
}

async function querySql(statement: string, options: SqlOptions, terminal: Terminal): Promise<void> {
  const { format, out, timeLimit: timeLimitSeconds } = options;
  if (!(timeLimitSeconds > 0)) throw new UsageError("--time-limit must be above 0");
  const limits = { signal: terminal.signal, timeLimitSeconds };
  if (format !== "table") {
    const target = { ...exportTarget(format, out, terminal), ...limits };
    return withReader(terminal, options.db, (engine) =>
      untilClosed(async () => void (await engine.exportSql(options.project, statement, [], target))),
    );
  }
  if (out !== "-") throw new UsageError("--format table goes to standard output; choose another with --out");
  return withReader(terminal, options.db, async (engine) => {
    const { printSqlTable } = await import("../tables/sql-table.ts");
    const batches = engine.sqlBatches(options.project, statement, [], limits);
    await untilClosed(() =>
      printSqlTable(batches, tableView(terminal.stdout), (text) => write(terminal.stdout, text)),
    );
  });
}
