import type { Command } from "commander";
import { StoreError } from "../../errors.ts";
import { withUntouched } from "../options/database.ts";
import { withExample, databaseOption, formatOption, type Format } from "../options/options.ts";
import { note, print } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { countText } from "../../view/words/figures.ts";

interface CheckOptions {
  readonly db: string;
  readonly format: Format;
}

export function checkCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("check")
    .description("read all of the database and tell what is wrong; exit status 1 if anything is")
    .addOption(databaseOption())
    .addOption(formatOption("table"))
    .action((options: CheckOptions) => check(options, terminal));
  withExample(command, "evalcube check --db evals.duckdb");
}

async function check({ db, format }: CheckOptions, terminal: Terminal): Promise<void> {
  const { stdout, signal } = terminal;
  const result = await withUntouched(terminal, db, (engine) => engine.check({ signal }));
  const { tables, problems } = result;
  const records = tables.reduce((sum, table) => sum + table.records, 0);
  const lines = problems.map(({ message }) => `${message}\n`).join("");
  const text = format === "json" ? `${JSON.stringify(result)}\n` : lines;
  await print(stdout, text);
  if (problems.length > 0)
    throw new StoreError(
      "damaged_database",
      `${db}: ${problems.length === 1 ? "1 problem" : `${problems.length} problems`} found; restore a backup, or load the calls into a new database`,
    );
  await note(terminal, `${db}: ${countText(records)} records in ${tables.length} tables, nothing wrong\n`);
}
