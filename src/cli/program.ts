import { readFileSync } from "node:fs";
import { Command } from "commander";
import { backupCommand } from "./backup.ts";
import { checkCommand } from "./check.ts";
import { compareCommand } from "./compare.ts";
import { demoCommand } from "./demo.ts";
import { evaluationsCommand } from "./evaluations.ts";
import { exportCommand } from "./export.ts";
import { failureOf } from "./failure.ts";
import { ingestCommand } from "./ingest.ts";
import { Interrupted } from "./interrupt.ts";
import { keysCommand } from "./keys.ts";
import { queryCommand } from "./query.ts";
import { serveCommand } from "./serve.ts";
import { sqlCommand } from "./sql.ts";
import { print } from "./terminal.ts";
import type { Terminal } from "./terminal.ts";

const COMMANDS = [
  ingestCommand,
  queryCommand,
  exportCommand,
  sqlCommand,
  evaluationsCommand,
  compareCommand,
  demoCommand,
  serveCommand,
  keysCommand,
  checkCommand,
  backupCommand,
];

/** Runs one command line and resolves to its exit status. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    const reason: unknown = terminal.signal.reason;
    if (reason instanceof Interrupted) return reason.status;
    const { status, text } = failureOf(error);
    await print(terminal.stderr, text);
    return status;
  }
}

function program(terminal: Terminal): Command {
  const root = new Command("evalcube")
    .description("Which model is better, on which rows, by how much: evaluation results in one DuckDB file.")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: (text) => void terminal.stdout.write(text), writeErr: () => {} });
  for (const add of COMMANDS) add(root, terminal);
  return root;
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const manifest = JSON.parse(text) as { version: string };
  return manifest.version;
}
