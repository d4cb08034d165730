import { InvalidArgumentError, type Option } from "commander";
import type { PlanAnswer, PlanRequest, RowPlan } from "../../index.ts";
import { cellsOf, figure, type CellColumn } from "../../text/text-table.ts";
import { countText, meanText, NOTHING } from "../../words/figures.ts";
import { planSentences } from "../../words/plan.ts";
import { scoreName } from "../../words/score.ts";
import {
  collect,
  type EvalcubeCommand,
  type Format,
  formatFor,
  formatOption,
  type ProjectOptions,
} from "../options/options.ts";
import { type AskedCommand, asking } from "../request/flagged-request.ts";
import { pricesOption } from "../request/prices.ts";
import { confidenceOption, memberOption, readNumber, REQUEST_ARGUMENT } from "../request/request-options.ts";
import { fitLines, screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

interface PlanOptions extends ProjectOptions {
  readonly format?: Format;
}

export function planCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("plan")
    .description("tell how many rows a run needs to find a difference")
    .onProject(...planOptions())
    .argument(...REQUEST_ARGUMENT)
    .example(
      "evalcube plan --db evals.duckdb --detect 5points --scorer correct --evaluation latest --trials 1,2,4",
    )
    .action(asking(terminal, plan));
}

function planOptions(): Option[] {
  return [
    memberOption("detect", "--detect <difference>", "the difference to find: 5points, or 0.05").argParser(
      readDifference,
    ),
    memberOption("scorer", "--scorer <name>", "the score (the first of true and false)"),
    memberOption("evaluation", "--evaluation <id>", "whose rows are like those that are planned"),
    memberOption("baseline", "--baseline <id>", "with --candidate: two runs over the same rows"),
    memberOption("candidate", "--candidate <id>", "see --baseline"),
    memberOption("rate", "--rate <share>", "without evaluations: the share that is right").argParser(
      readNumber,
    ),
    memberOption("trials", "--trials <counts>", "trials of each row, as 1,2,4", (texts: readonly string[]) =>
      texts.flatMap((text) => text.split(",")).map(readNumber),
    ).argParser(collect),
    memberOption("candidates", "--candidates <count>", "how many are compared with a baseline (1)").argParser(
      readNumber,
    ),
    memberOption("power", "--power <share>", "how often the difference is to be found (0.8)").argParser(
      readNumber,
    ),
    confidenceOption("comparisons"),
    memberOption(
      "cluster_by",
      "--cluster-by <field>",
      "inputs.<path>: rows of one value depend on each other",
    ),
    pricesOption(),
    formatOption(),
  ];
}

/** A difference in points, hundredths, or in the unit of the score. */
function readDifference(text: string): number {
  const points = text.endsWith("points") ? text.slice(0, -"points".length) : undefined;
  const value = Number(points ?? text);
  if ((points ?? text).trim() === "" || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError("It takes a number above 0, such as 0.05, or points, such as 5points.");
  return points === undefined ? value : value / 100;
}

async function plan({ options, terminal, ask }: AskedCommand<PlanOptions>): Promise<void> {
  const { signal, stdout } = terminal;
  const answer = await ask((engine, project, request) =>
    engine.planRows(project, request as PlanRequest, { signal }),
  );
  await noteAll(terminal, answer.notes);
  const isJson = formatFor(options.format, stdout) === "json";
  await print(stdout, `${isJson ? JSON.stringify(answer) : planTable(answer, tableView(stdout))}\n`);
}

const count = (value: number | null) => (value === null ? NOTHING : countText(value));

const COLUMNS: readonly CellColumn<RowPlan>[] = [
  figure("trials a row", 4, ({ trials }) => countText(trials)),
  figure("rows", 3, ({ rows }) => count(rows)),
  figure("calls", 2, ({ calls }) => count(calls)),
  figure("found", 1, ({ found }) => meanText(found, "binary")),
];

function planTable(answer: PlanAnswer, view: TableView): string {
  const { plans, cheaper, scorer_key: scorer, path } = answer;
  const { columns, rows } = cellsOf(COLUMNS, plans);
  const [said = ""] = planSentences({ ...answer, plans: plans.filter(({ trials }) => trials === cheaper) });
  const least = cheaper === null ? planSentences(answer).slice(0, 1) : [said];
  const of = scorer === null ? [] : [`${scoreName({ scorer_key: scorer, path })}:`];
  return [...of, screenTable(columns, rows, view), fitLines(least.join(" "), view)].join("\n\n");
}
