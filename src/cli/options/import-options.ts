import { readFile } from "node:fs/promises";
import { Option } from "commander";
import type { TableMapping } from "../../index.ts";
import { FileError } from "../terminal/failure.ts";

/** Options of a table, as commander names them. */
export interface TableFlags {
  readonly rowColumn?: readonly string[];
  readonly modelColumn?: readonly string[];
  readonly evaluationColumn?: readonly string[];
  readonly taskColumn?: readonly string[];
  readonly inputColumn?: readonly string[];
  readonly expectedColumn?: readonly string[];
  readonly outputColumn?: readonly string[];
  readonly trialColumn?: readonly string[];
  readonly scoreColumn?: readonly string[];
  readonly errorColumn?: readonly string[];
  readonly startedColumn?: readonly string[];
  readonly latencyColumn?: readonly string[];
  readonly tokensColumn?: readonly string[];
  readonly costColumn?: readonly string[];
  readonly metadataColumn?: readonly string[];
  readonly metricColumn?: readonly string[];
  readonly valueColumn?: readonly string[];
  readonly modelColumns?: string;
  readonly model?: string;
  readonly evaluation?: string;
  readonly task?: string;
  readonly score?: string;
  readonly match?: string;
  readonly decimal?: string;
  readonly records?: string;
  readonly mapping?: string;
}

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

/** The options of tables; each `--…-column` may be given several times. */
export function tableOptions(): Option[] {
  return [
    ...COLUMN_FLAGS.map(([role, what]) =>
      new Option(`--${role}-column <name>`, `column of a table: ${what}`).argParser(collect),
    ),
    new Option("--model-columns <names>", "columns of a table that are models, with commas between them"),
    new Option("--score <name>", "the score in the cells of --model-columns"),
    new Option("--match <output=expected>", "columns whose equality is the score match, as pred=answer"),
    new Option("--decimal <sign>", "decimal sign of numbers such as 1,234").choices(["comma", "point"]),
    new Option("--records <path>", "where the records are in a JSON object, as run.results"),
    new Option("--model <name>", "the model, where the source does not name it"),
    new Option("--evaluation <name>", "tells this table apart from others of the same task and model"),
    new Option("--task <name>", "the task, where a table does not name it"),
    new Option("--mapping <file>", "roles of a table's columns as JSON, as --print-mapping prints them"),
  ];
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** The mapping of the flags; they take precedence over a mapping file, which is read if it exists. */
export async function tableMapping(flags: TableFlags): Promise<TableMapping> {
  const given = {
    row: flags.rowColumn,
    model: flags.modelColumn,
    evaluation: flags.evaluationColumn,
    task: flags.taskColumn,
    input: flags.inputColumn,
    expected: flags.expectedColumn,
    output: flags.outputColumn,
    trial: flags.trialColumn,
    score: flags.scoreColumn,
    error: flags.errorColumn,
    started: flags.startedColumn,
    latency: flags.latencyColumn,
    tokens: flags.tokensColumn,
    cost: flags.costColumn,
    metadata: flags.metadataColumn,
    metric: flags.metricColumn,
    value: flags.valueColumn,
    modelColumns: flags.modelColumns?.split(",").map((name) => name.trim()),
    modelName: flags.model,
    evaluationName: flags.evaluation,
    taskName: flags.task,
    scoreName: flags.score,
    match: flags.match,
    decimal: flags.decimal,
    records: flags.records,
  };
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...(await readMapping(flags.mapping)), ...Object.fromEntries(named) };
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
