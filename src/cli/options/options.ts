import { Command, InvalidArgumentError, Option } from "commander";
import { readAddress } from "./address.ts";
import { PROJECT_ID, PROJECT_ID_RULE } from "../../model/project-id.ts";

/** Options of a command that asks for one project. */
export interface ProjectOptions {
  readonly db: string;
  /** Needed only where the database holds several. */
  readonly project?: string;
}

export function databaseOption(): Option {
  return new Option(
    "--db <path>",
    "the DuckDB file, https://host/base of a service, or clickhouse://user@host:8443/database",
  )
    .env("EVALCUBE_DB")
    .argParser(parsePath)
    .makeOptionMandatory();
}

export function projectOption(description = "the project; not needed where the database holds one"): Option {
  return new Option("--project <entity/project>", description)
    .env("EVALCUBE_PROJECT")
    .argParser(parseProject);
}

export function userOption(): Option {
  return new Option("--user <user>", "only evaluations that this user stored");
}

export type Format = "json" | "table";

export type ReportFormat = Format | "markdown";

/**
 * Without a usual one, what people read on a terminal (a table) and JSON elsewhere. `markdown` is for answers that
 * people pass on.
 */
export function formatOption(
  usual?: Format,
  choices: readonly (ReportFormat | "text")[] = ["json", "table"],
  read: "table" | "text" = "table",
): Option {
  const what = read === "table" ? "a table" : read;
  const help = usual === undefined ? ` (${what} on a terminal, json elsewhere)` : "";
  return new Option("--format <format>", `how to print the answer${help}`).choices(choices).default(usual);
}

/** For a command that people read: text everywhere. */
export function textOption(choices: readonly string[] = ["text", "json"]): Option {
  return new Option("--format <format>", "how to print the answer").choices(choices).default("text");
}

/** The format that was asked for, else the usual one of where the answer goes. */
export function formatFor<T extends string>(
  asked: T | undefined,
  stdout: { readonly isTTY?: boolean },
): T | Format {
  return asked ?? (stdout.isTTY === true ? "table" : "json");
}

export function keysOption(): Option {
  return new Option("--keys <path>", "the keys file").makeOptionMandatory();
}

function parseProject(text: string): string {
  if (!PROJECT_ID.test(text)) throw new InvalidArgumentError(`It ${PROJECT_ID_RULE}.`);
  return text;
}

function parsePath(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must name a file.");
  readAddress(text);
  return text;
}

/** A command to which options and examples are added in lists. */
export class EvalcubeCommand extends Command {
  override createCommand(name?: string): EvalcubeCommand {
    return new EvalcubeCommand(name);
  }

  with(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** Takes the database, one of its projects, and these options. */
  onProject(...options: readonly Option[]): this {
    return this.with(databaseOption(), projectOption(), ...options);
  }

  /** Adds command lines to the end of its help. */
  example(...lines: readonly [string, ...string[]]): this {
    const head = lines.length === 1 ? "Example:" : "Examples:";
    return this.addHelpText("after", ["", head, ...lines.map((line) => `  ${line}`)].join("\n"));
  }
}

/** The values of an option that is given several times. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
