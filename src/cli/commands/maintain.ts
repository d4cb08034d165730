import type { Command } from "commander";
import { checkThere } from "../options/address.ts";
import { withEngine } from "../options/database.ts";
import { withExample, databaseOption } from "../options/options.ts";
import { print } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function maintainCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("maintain")
    .description("remove from a server what no question sees any more; a file needs none")
    .addOption(databaseOption())
    .action((options: { readonly db: string }) => maintain(options.db, terminal));
  withExample(command, "evalcube maintain --db clickhouse://evalcube@ch.example/evals");
}

async function maintain(db: string, terminal: Terminal): Promise<void> {
  checkThere(db);
  const result = await withEngine(terminal, db, (engine) => engine.maintain());
  await print(terminal.stdout, `${JSON.stringify(result)}\n`);
}
