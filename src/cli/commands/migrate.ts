import type { Command } from "commander";
import { Option } from "commander";
import { checkThere, readAddress } from "../options/address.ts";
import { withReader } from "../options/database.ts";
import { withExample } from "../options/example.ts";
import { databaseOption } from "../options/options.ts";
import { progressOf } from "../terminal/progress.ts";
import { print } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface MigrateOptions {
  readonly db: string;
  readonly to: string;
}

export function migrateCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("migrate")
    .description("copy a database: from a file to a server of ClickHouse, back, or to another one")
    .addOption(databaseOption())
    .addOption(
      new Option("--to <path>", "a file that is not there yet, or an empty database on a server")
        .argParser(parseTarget)
        .makeOptionMandatory(),
    )
    .action((options: MigrateOptions) => migrate(options, terminal));
  withExample(command, "evalcube migrate --db evals.duckdb --to clickhouse://evalcube@ch.example/evals");
}

function parseTarget(text: string): string {
  readAddress(text);
  return text;
}

async function migrate({ db, to }: MigrateOptions, terminal: Terminal): Promise<void> {
  checkThere(db);
  const { migrate: copy } = await import("../on-use/on-use.ts");
  // Brings a file of an older format up to date, once.
  await withReader(terminal, db, () => Promise.resolve());
  const progress = progressOf(terminal, "migrate");
  const copied = await copy({ ...readAddress(db), readOnly: true }, readAddress(to), {
    signal: terminal.signal,
    onProgress: (written, total) => {
      progress.update({ records: written, bytes: written, totalBytes: total });
    },
  }).finally(() => progress.stop());
  await print(terminal.stdout, `${JSON.stringify(copied)}\n`);
}
