import { InvalidArgumentError, Option } from "commander";

export function databaseOption(): Option {
  return new Option("--db <path>", "the DuckDB file").makeOptionMandatory();
}

export function projectOption(): Option {
  return new Option("--project <entity/project>", "the project")
    .argParser(parseProject)
    .makeOptionMandatory();
}

export type Format = "json" | "table";

export function formatOption(usual: Format = "json"): Option {
  return new Option("--format <format>", "how to print the answer").choices(["json", "table"]).default(usual);
}

export function keysOption(): Option {
  return new Option("--keys <path>", "the keys file").makeOptionMandatory();
}

function parseProject(text: string): string {
  if (!/^[^/]+\/[^/]+$/.test(text)) throw new InvalidArgumentError("It reads ENTITY/PROJECT.");
  return text;
}
