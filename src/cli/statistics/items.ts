import type { Item, ItemsAnswer, ItemsRequest } from "../../index.ts";
import { cellsOf, figure, type CellColumn } from "../../text/text-table.ts";
import { probabilityText, countText, intervalName, intervalText, meanText } from "../../words/figures.ts";
import {
  type EvalcubeCommand,
  type Format,
  formatFor,
  formatOption,
  type ProjectOptions,
} from "../options/options.ts";
import { type AskedCommand, asking, refuseWithoutEvaluation } from "../request/flagged-request.ts";
import {
  confidenceOption,
  evaluationOption,
  filterOption,
  memberOption,
  pageOptions,
  REQUEST_ARGUMENT,
} from "../request/request-options.ts";
import { fitLines, screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

interface ItemsOptions extends ProjectOptions {
  readonly format?: Format;
}

export function itemsCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("items")
    .description("tell which rows tell evaluations apart, and which the worse ones answer better")
    .onProject(
      evaluationOption(),
      memberOption("scorer", "--scorer <name>", "the score, such as correct or judge.score"),
      filterOption(),
      ...pageOptions(),
      confidenceOption("intervals"),
      formatOption(),
    )
    .argument(...REQUEST_ARGUMENT)
    .example("evalcube items --db evals.duckdb --evaluation large --evaluation small --scorer correct")
    .action(asking(terminal, items));
}

async function items({ options, terminal, ask }: AskedCommand<ItemsOptions>): Promise<void> {
  const { signal, stdout } = terminal;
  const answer = await ask(
    (engine, project, request) => engine.items(project, request as ItemsRequest, { signal }),
    refuseWithoutEvaluation,
  );
  await noteAll(terminal, answer.warnings);
  const isJson = formatFor(options.format, stdout) === "json";
  await print(stdout, `${isJson ? JSON.stringify(answer) : itemsTable(answer, tableView(stdout))}\n`);
}

function itemsTable(answer: ItemsAnswer, view: TableView): string {
  const said = fitLines(answer.sentence, view);
  if (answer.rows.length === 0) return said;
  const { columns, rows } = cellsOf(itemColumns(answer), answer.rows);
  return [screenTable(columns, rows, view), said].join("\n\n");
}

function itemColumns({ confidence }: ItemsAnswer): readonly CellColumn<Item>[] {
  return [
    { head: "row", whole: true, telling: 7, cell: ({ row_digest: digest }) => digest.slice(0, DIGITS) },
    figure("mean", 5, ({ mean, passed_count: passed }) =>
      meanText(mean, passed === null ? "continuous" : "binary"),
    ),
    figure("trials", 1, ({ trial_count: trials }) => countText(trials)),
    figure("evaluations", 2, ({ evaluation_count: count }) => countText(count)),
    figure("discrimination", 6, ({ discrimination }) => meanText(discrimination, "continuous")),
    figure(intervalName(confidence), 3, ({ discrimination_interval: interval }) =>
      intervalText(interval, "continuous"),
    ),
    figure("p adjusted", 4, ({ p_value_adjusted: p }) => probabilityText(p)),
    { head: "flags", telling: 8, cell: ({ flags }) => flags.join(", ").replaceAll("_", " ") },
  ];
}

/** So many characters of a digest are enough to name a row. */
const DIGITS = 12;
