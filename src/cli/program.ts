import { CommanderError, type Command } from "commander";
import { agreementCommand } from "./statistics/agreement.ts";
import { ciCommand } from "./ci/ci.ts";
import { compareCommand } from "./statistics/compare.ts";
import { completionCommand } from "./commands/completion.ts";
import { deleteCommand } from "./commands/delete.ts";
import { demoCommand } from "./commands/demo.ts";
import { evaluationsCommand } from "./commands/evaluations.ts";
import { explainCommand } from "./commands/explain.ts";
import { exportCommand } from "./commands/export.ts";
import { isService } from "./options/address.ts";
import { EvalcubeCommand } from "./options/options.ts";
import { failureOf, UsageError } from "./terminal/failure.ts";
import { historyCommand } from "./statistics/history.ts";
import { planCommand } from "./statistics/plan.ts";
import { stepsCommand } from "./statistics/steps.ts";
import { itemsCommand } from "./statistics/items.ts";
import { importCommand } from "./commands/import.ts";
import { infoCommand } from "./commands/info.ts";
import { ingestCommand } from "./commands/ingest.ts";
import { Interrupted } from "./terminal/interrupt.ts";
import { mcpCommand } from "./service/mcp.ts";
import { shellWord } from "../model/messages.ts";
import { packageFile } from "../package-files.ts";
import { keysCommand } from "./service/keys.ts";
import { queryCommand } from "./commands/query.ts";
import { reportCommand } from "./statistics/report.ts";
import { runCommand } from "./statistics/run.ts";
import { serveCommand } from "./service/serve.ts";
import { sqlCommand } from "./commands/sql.ts";
import { upkeepCommands } from "./commands/upkeep.ts";
import { leaderboardCommand } from "./statistics/leaderboard.ts";
import { print, type Streams } from "./terminal/terminal.ts";
import { viewCommand } from "./service/view.ts";

const COMMANDS = [
  ingestCommand,
  runCommand,
  importCommand,
  queryCommand,
  exportCommand,
  sqlCommand,
  evaluationsCommand,
  compareCommand,
  ciCommand,
  leaderboardCommand,
  historyCommand,
  itemsCommand,
  planCommand,
  stepsCommand,
  agreementCommand,
  reportCommand,
  explainCommand,
  deleteCommand,
  demoCommand,
  serveCommand,
  viewCommand,
  mcpCommand,
  keysCommand,
  infoCommand,
  upkeepCommands,
  completionCommand,
];

/** Runs one command line and resolves to its exit status. */
export async function run(args: readonly string[], streams: Streams): Promise<number> {
  try {
    await program(streams).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    const reason: unknown = streams.signal.reason;
    if (reason instanceof Interrupted) return reason.status;
    const told = (await unknownOption(error, args, streams)) ?? behindCommand(error, args, streams) ?? error;
    const { status, text } = failureOf(told, streams.stderr.isTTY === true);
    await print(streams.stderr, text);
    return status;
  }
}

/** Where an option is missing: the error of one that is unknown, which is the missing one misspelt. */
async function unknownOption(
  error: unknown,
  args: readonly string[],
  streams: Streams,
): Promise<CommanderError | null> {
  if (!isOf(error, "commander.missingMandatoryOptionValue")) return null;
  const root = program(streams);
  for (const command of allCommands(root)) {
    for (const option of command.options) option.makeOptionMandatory(false);
    command.action(() => {});
  }
  try {
    await root.parseAsync(args, { from: "user" });
  } catch (other) {
    if (isOf(other, "commander.unknownOption")) return other;
  }
  return null;
}

/** Where an option of a command stands before it: the line with both in their order. */
function behindCommand(error: unknown, args: readonly string[], streams: Streams): UsageError | null {
  const [flag = ""] = args[0]?.split("=") ?? [];
  if (!isOf(error, "commander.unknownOption")) return null;
  for (const command of program(streams).commands) {
    const at = args.indexOf(command.name());
    if (at < 1 || !command.options.some(({ long, short }) => flag === long || flag === short)) continue;
    const [before, [name = "", ...behind]] = [args.slice(0, at), args.slice(at)];
    const line = ["evalcube", name, ...before, ...behind].map(shellWord).join(" ");
    return new UsageError(`${flag} goes behind the command: ${line}`);
  }
  return null;
}

/** Commands that look after a database itself. */
const OF_DATABASES: ReadonlySet<string> = new Set(["check", "migrate", "maintain", "serve"]);

/** Refuses the address of a service where the database itself is needed. */
function refuseService(command: Command): void {
  if (!OF_DATABASES.has(command.name())) return;
  const { db, to } = command.opts<{ readonly db?: unknown; readonly to?: unknown }>();
  const service = [db, to].find((one): one is string => typeof one === "string" && isService(one));
  if (service === undefined) return;
  const { origin } = new URL(service);
  throw new UsageError(
    `${origin} is a service; ${command.name()} needs the file itself, or the server of ClickHouse`,
  );
}

function isOf(error: unknown, code: string): error is CommanderError {
  return error instanceof CommanderError && error.code === code;
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

interface RootOptions {
  readonly quiet?: boolean;
  readonly keyFile?: string;
}

/** The tree of all commands. */
export function program(streams: Streams): Command {
  const root = new EvalcubeCommand("evalcube")
    .description(
      "Which model is better, on which rows, by how much: evaluation results in one DuckDB file, or on ClickHouse.",
    )
    .version(packageVersion())
    .option("--quiet", "print neither notes nor progress, errors only")
    .option("--key-file <path>", "a file that begins with the key of a service, where EVALCUBE_KEY has none")
    .example("evalcube demo", "evalcube query --db evals.duckdb --evaluation latest --format table")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: (text) => void streams.stdout.write(text), writeErr: () => {} });
  const terminal = {
    ...streams,
    isQuiet: () => root.opts<RootOptions>().quiet === true,
    keyFile: () => root.opts<RootOptions>().keyFile,
  };
  root.hook("preAction", (_, command) => refuseService(command));
  for (const add of COMMANDS) add(root, terminal);
  return root;
}

function packageVersion(): string {
  const manifest = JSON.parse(packageFile("package.json")) as { version: string };
  return manifest.version;
}
