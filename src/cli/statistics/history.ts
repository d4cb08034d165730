import { Option } from "commander";
import type { HistoryAnswer, HistoryRequest } from "../../index.ts";
import {
  HISTORY_GATES,
  HISTORY_HEADS,
  HISTORY_NOTE,
  historyCells,
  historyColumns,
  historyReason,
  historyScore,
  historySentence,
  type HistoryColumn,
} from "../../words/history.ts";
import {
  type EvalcubeCommand,
  formatFor,
  formatOption,
  type ProjectOptions,
  type ReportFormat,
} from "../options/options.ts";
import { type AskedCommand, asking } from "../request/flagged-request.ts";
import { costOptions } from "../request/prices.ts";
import {
  comparingOptions,
  confidenceOption,
  editedRowsOption,
  filterOption,
  memberOption,
  readNumber,
  scorerOption,
} from "../request/request-options.ts";
import {
  fitLines,
  missingLines,
  shortNamesIn,
  shownTable,
  tableView,
  type TableView,
} from "../tables/screen-table.ts";
import { oneLine } from "../../model/plain-line.ts";
import { usageFault } from "../../request/meaningless.ts";
import { directionFault } from "../gates/judge-gates.ts";
import { GateFailure } from "../terminal/failure.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";
import { escapeMarkdown, markdownTable } from "../reports/markdown.ts";
import type { PrintedColumn } from "../../text/text-table.ts";
import { plainText, withNames } from "../../words/sentence.ts";

interface HistoryOptions extends ProjectOptions {
  readonly format?: ReportFormat;
  readonly failOn?: readonly (typeof HISTORY_GATES)[number][];
}

export function historyCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("history")
    .description("tell every run of a name, and since when it is worse")
    .onProject(...historyOptions())
    .argument("[name]", "the name of the evaluations; without it that of the latest")
    .example("evalcube history sums --db evals.duckdb --scorer correct --fail-on regressed")
    .action(asking(terminal, history, async (name) => (name === undefined ? {} : { name })));
}

function historyOptions(): Option[] {
  return [
    scorerOption("tell; the first one is compared"),
    memberOption("limit", "--limit <count>", "the latest so many runs, 1 to 200 (20)").argParser(readNumber),
    filterOption(),
    confidenceOption("comparisons"),
    editedRowsOption(),
    ...comparingOptions("the scores of a pair", ["holm", "benjamini-hochberg", "none"]),
    ...costOptions(),
    formatOption(undefined, ["table", "json", "markdown"]),
    new Option(
      "--fail-on <gate...>",
      "end with status 3 where the latest run is worse than the run before, or has a loss that lasts",
    ).choices(HISTORY_GATES),
  ];
}

async function history({ options, terminal, ask }: AskedCommand<HistoryOptions>): Promise<void> {
  const { signal } = terminal;
  const gates = options.failOn ?? [];
  const shown = await ask(async (engine, project, members) => {
    const request = members as HistoryRequest;
    return { answer: await engine.history(project, request, { signal }), request };
  });
  const score = historyScore(shown.answer, shown.request);
  if (gates.length > 0 && score?.direction === null)
    throw usageFault(["--fail-on"], directionFault(gates.join(" and "), [score.key]));
  await printHistory(shown, formatFor(options.format, terminal.stdout), terminal);
  const reasons = gates.flatMap((gate) => historyReason(gate, shown.answer, shown.request) ?? []);
  if (reasons.length > 0) throw new GateFailure(reasons);
}

async function printHistory(shown: ShownHistory, format: ReportFormat, terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  if (format === "markdown") return await print(stdout, `${historyMarkdown(shown)}\n`);
  await noteAll(terminal, shown.answer.warnings);
  if (format === "json") return await print(stdout, `${JSON.stringify(shown.answer)}\n`);
  return await print(stdout, `${historyTable(shown, tableView(stdout))}\n`);
}

/** Formats a history as Markdown: since when the runs are worse, one run a line, and the warnings. */
function historyMarkdown(shown: ShownHistory): string {
  const { columns, rows } = cellsOfHistory(shown);
  const notes = shown.answer.warnings.map((note) => `- ${escapeMarkdown(note, LONGEST)}`).join("\n");
  const table = rows.length === 0 ? [] : [markdownTable(columns, rows), HISTORY_NOTE];
  return [
    `**${escapeMarkdown(historyLine(shown), LONGEST)}**`,
    ...table,
    ...(notes === "" ? [] : [notes]),
  ].join("\n\n");
}

/** Sentences of several names. */
const LONGEST = 2000;

/** A history, and what the reader said about it. */
interface ShownHistory {
  readonly answer: HistoryAnswer;
  readonly request: HistoryRequest;
}

/** Formats a history: one run a line, then since when they are worse. */
function historyTable(shown: ShownHistory, view: TableView): string {
  const { columns, rows } = cellsOfHistory(shown);
  const { text, missing } = shownTable(columns, rows, view);
  const labels = [...shown.answer.entries, ...shown.answer.cut].map(({ label }) => label);
  const said = fitLines(historyLine(shown, shortNamesIn(view, labels)), view);
  if (rows.length === 0) return said;
  return [`${text}\n${fitLines(HISTORY_NOTE, view)}`, said, ...missingLines([missing], view)].join("\n\n");
}

/** Since when the runs are worse. */
function historyLine({ answer, request }: ShownHistory, told: (name: string) => string = oneLine): string {
  return plainText(withNames(historySentence(answer, request), told));
}

const SHOWN: Readonly<Record<HistoryColumn, Omit<PrintedColumn, "head">>> = {
  run: { labels: true, telling: 8 },
  model: { labels: true, telling: 2 },
  dataset: { labels: true, telling: 1 },
  commit: { labels: true, telling: 3 },
  branch: { labels: true },
  user: { labels: true },
  rows: { align: "right", telling: 4 },
  mean: { align: "right", telling: 7 },
  "run before": { whole: true, telling: 5 },
  reference: { whole: true, telling: 6 },
};

function cellsOfHistory({ answer, request }: ShownHistory): {
  readonly columns: PrintedColumn[];
  readonly rows: string[][];
} {
  const names = historyColumns(answer);
  const cells = answer.entries.map((entry) => historyCells(answer, entry, request));
  return {
    columns: names.map((name) => ({
      head: HISTORY_HEADS[name] ?? name,
      ...SHOWN[name],
    })),
    rows: cells.map((one) => names.map((name) => one[name])),
  };
}
