import type { Command } from "commander";
import { Option } from "commander";
import { EvalcubeError } from "../../errors.ts";
import type { ExportFormat } from "../../index.ts";
import { withReader } from "../options/database.ts";
import { UsageError } from "../terminal/failure.ts";
import { databaseOption, projectOption } from "../options/options.ts";
import { exportTarget, outOption, untilClosed } from "../terminal/output.ts";
import { print, showsColour } from "../terminal/terminal.ts";
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

/** Largest result that is printed as a table, in bytes; its text has several times as many. */
const LARGEST_TABLE = 16 * 2 ** 20;

function tooLarge(error: unknown): never {
  if (!(error instanceof EvalcubeError) || error.code !== "result_too_large") throw error;
  const hint = "the result is too large for a table; add a LIMIT, or choose another --format";
  throw new EvalcubeError(error.code, hint, { cause: error });
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
    const { sqlTable } = await import("../tables/sql-table.ts");
    const most = { ...limits, maxResultBytes: LARGEST_TABLE };
    const table = await engine.sql(options.project, statement, [], most).catch(tooLarge);
    await print(terminal.stdout, `${sqlTable(table, showsColour(terminal.stdout))}\n`);
  });
}
