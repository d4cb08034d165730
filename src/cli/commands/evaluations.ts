import { cellsOf, type CellColumn } from "../../text/text-table.ts";
import type { EvaluationEntry } from "../../index.ts";
import { withProject } from "../options/database.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { writeJson } from "../../model/json.ts";
import { modelName } from "../../model/references.ts";
import {
  formatFor,
  formatOption,
  userOption,
  type Format,
  type ProjectOptions,
  type EvalcubeCommand,
} from "../options/options.ts";
import { screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { print, type Terminal } from "../terminal/terminal.ts";
import { countText, datasetText } from "../../words/figures.ts";

interface EvaluationsOptions extends ProjectOptions {
  readonly user?: string;
  readonly format?: Format;
}

export function evaluationsCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("evaluations")
    .description("list the evaluations of a project")
    .onProject(userOption(), formatOption())
    .example("evalcube evaluations --db evals.duckdb --format table")
    .action((options: EvaluationsOptions) => evaluations(options, terminal));
}

async function evaluations(options: EvaluationsOptions, terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  const all = await withProject(terminal, options, (engine, project) => engine.listEvaluations(project));
  const list = options.user === undefined ? all : all.filter(({ user }) => user === options.user);
  const text =
    formatFor(options.format, stdout) === "json" ? writeJson(list) : evaluationTable(list, tableView(stdout));
  await print(stdout, `${text}\n`);
}

/**
 * Formats one evaluation per line. Models are shown by name without the rest of their reference, and only where some
 * model name differs from the evaluation's name.
 */
function evaluationTable(list: readonly EvaluationEntry[], view: TableView): string {
  const labels = evaluationLabels(list);
  const nameOf = ({ id, display_name: name }: EvaluationEntry) =>
    name === null ? "–" : (labels.get(id) ?? id);
  const withModel = list.some((one) => modelOf(one) !== (one.display_name ?? "–"));
  const columns: readonly CellColumn<EvaluationEntry>[] = [
    { head: "id", whole: true, cell: ({ id }) => id },
    { head: "name", labels: true, telling: 7, cell: nameOf },
    ...(withModel ? [{ head: "model", labels: true, telling: 1, cell: modelOf }] : []),
    { head: "dataset", labels: true, telling: 2, cell: (one) => datasetText(one.dataset_ref, one) },
    {
      head: "started at",
      whole: true,
      telling: 5,
      cell: ({ started_at: at }) => at?.slice(0, 19) ?? "–",
    },
    { head: "status", whole: true, telling: 6, cell: ({ status }) => status },
    { head: "trials", align: "right", telling: 4, cell: ({ trial_count: count }) => countText(count) },
    { head: "errors", telling: 3, cell: errorsOf },
    ...(list.some(({ user }) => user !== null)
      ? [{ head: "user", labels: true, telling: 0, cell: userCell }]
      : []),
  ];
  return screenTable(columns, cellsOf(columns, list).rows, view);
}

/** `2: Error: no key`. */
function errorsOf({ error_count: count, top_error: top }: EvaluationEntry): string {
  return top === null ? countText(count) : `${countText(count)}: ${top}`;
}

function userCell({ user }: EvaluationEntry): string {
  return user ?? "–";
}

function modelOf({ model_ref: ref }: EvaluationEntry): string {
  return ref === null ? "–" : modelName(ref);
}
