import type { Command } from "commander";
import { checkThere } from "../options/address.ts";
import { withEngine } from "../options/database.ts";
import { withExample, databaseOption } from "../options/options.ts";
import { note } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface BackupOptions {
  readonly db: string;
  readonly out: string;
}

export function backupCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("backup")
    .description("copy the database to a new file")
    .addOption(databaseOption())
    .requiredOption("--out <path>", "the copy; nothing may be there yet")
    .action((options: BackupOptions) => backup(options, terminal));
  withExample(command, "evalcube backup --db evals.duckdb --out copy.duckdb");
}

async function backup({ db, out }: BackupOptions, terminal: Terminal): Promise<void> {
  checkThere(db);
  await withEngine(terminal, db, (engine) => engine.backup(out));
  await note(terminal, `${db} is copied to ${out}\n`);
}
