import { InvalidArgumentError, Option } from "commander";
import { PROJECT_ID, PROJECT_ID_RULE } from "../../model/project-id.ts";

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
  if (!PROJECT_ID.test(text)) throw new InvalidArgumentError(`It ${PROJECT_ID_RULE}.`);
  return text;
}
