import { InvalidArgumentError, Option, type Command } from "commander";
import { readAddress } from "./address.ts";
import { PROJECT_ID, PROJECT_ID_RULE } from "../../model/project-id.ts";

/** Options of a command that asks for one project. */
export interface ProjectOptions {
  readonly db: string;
  /** Needed only where the database holds several. */
  readonly project?: string;
}

export function databaseOption(): Option {
  return new Option("--db <path>", "the DuckDB file, or clickhouse://user@host:8443/database")
    .env("EVALCUBE_DB")
    .argParser(parsePath)
    .makeOptionMandatory();
}

export function projectOption(description = "the project; not needed where the database holds one"): Option {
  return new Option("--project <entity/project>", description)
    .env("EVALCUBE_PROJECT")
    .argParser(parseProject);
}

export type Format = "json" | "table";

export function formatOption(usual: Format = "json"): Option {
  return new Option("--format <format>", "how to print the answer").choices(["json", "table"]).default(usual);
}

export type ReportFormat = "table" | "json" | "markdown";

/** For answers that people pass on. */
export function reportFormatOption(): Option {
  return new Option("--format <format>", "how to print the answer")
    .choices(["table", "json", "markdown"])
    .default("table");
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

/** Adds command lines to the end of the help of a command. */
export function withExample(command: Command, ...lines: readonly [string, ...string[]]): Command {
  const head = lines.length === 1 ? "Example:" : "Examples:";
  return command.addHelpText("after", ["", head, ...lines.map((line) => `  ${line}`)].join("\n"));
}
