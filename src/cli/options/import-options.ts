import { readFile } from "node:fs/promises";
import { Option } from "commander";
import type { TableMapping } from "../../index.ts";
import { collect } from "./options.ts";
import { FileError } from "../terminal/failure.ts";

/** The values of the options of tables and of others, as commander names them. */
export type TableFlags = Readonly<Record<string, unknown>> & { readonly mapping?: string };

const COLUMN_FLAGS: readonly (readonly [role: keyof TableMapping, what: string])[] = [
  ["row", "what identifies the row"],
  ["model", "the model"],
  ["evaluation", "what tells apart runs of one model"],
  ["task", "the task"],
  ["input", "what was asked"],
  ["expected", "the expected answer"],
  ["output", "the answer"],
  ["trial", "what tells apart repeats of a row"],
  ["score", "a score; also a pattern such as 'judge_*'"],
  ["error", "why the trial failed"],
  ["started", "when the trial began"],
  ["latency", "seconds; milliseconds if the name ends in _ms"],
  ["tokens", "tokens"],
  ["cost", "cost in US dollars"],
  ["metadata", "what is kept and means nothing more"],
  ["metric", "one record a score: the score's name"],
  ["value", "one record a score: its value"],
];

const option = (flags: string, what: string) => new Option(flags, what);

/** The options of tables with the members of a mapping that they give; each `--…-column` may be given several times. */
function mappingOptions(): readonly (readonly [member: keyof TableMapping, option: Option])[] {
  return [
    ...COLUMN_FLAGS.map(
      ([role, what]) =>
        [role, option(`--${role}-column <name>`, `column of a table: ${what}`).argParser(collect)] as const,
    ),
    [
      "modelColumns",
      option(
        "--model-columns <names>",
        "columns of a table that are models, with commas between them",
      ).argParser((names) => names.split(",").map((name) => name.trim())),
    ],
    ["scoreName", option("--score <name>", "the score in the cells of --model-columns")],
    [
      "match",
      option("--match <output=expected>", "columns whose equality is the score match, as pred=answer"),
    ],
    [
      "decimal",
      option("--decimal <sign>", "decimal sign of numbers such as 1,234").choices(["comma", "point"]),
    ],
    ["records", option("--records <path>", "where the records are in a JSON object, as run.results")],
    ["modelName", option("--model <name>", "the model, where the source does not name it")],
    [
      "evaluationName",
      option("--evaluation <name>", "tells this table apart from others of the same task and model"),
    ],
    ["taskName", option("--task <name>", "the task, where a table does not name it")],
  ];
}

export function tableOptions(): Option[] {
  return [
    ...mappingOptions().map(([, one]) => one),
    new Option("--mapping <file>", "roles of a table's columns as JSON, as --print-mapping prints them"),
  ];
}

/** The mapping of the flags; they take precedence over a mapping file, which is read if it exists. */
export async function tableMapping(flags: TableFlags): Promise<TableMapping> {
  const given = mappingOptions().map(([member, one]) => [member, flags[one.attributeName()]] as const);
  const named = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return { ...(await readMapping(flags.mapping)), ...named };
}

async function readMapping(path: string | undefined): Promise<TableMapping> {
  if (path === undefined) return {};
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw new FileError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return JSON.parse(text) as TableMapping;
  } catch (error) {
    throw new FileError(`${path}: is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
