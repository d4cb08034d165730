import type {
  BesideAnswer,
  BesideLine,
  DiffAnswer,
  DiffPair,
  ShownStep,
  StepsAnswer,
  StepsRequest,
  ToolOutcomes,
  ToolsAnswer,
  ToolStats,
  TrialAnswer,
} from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { cellsOf, figure, type CellColumn } from "../../text/text-table.ts";
import { counted, countText, differenceText, meanText, NOTHING, numberText } from "../../words/figures.ts";
import { differenceSentences, toolSentences } from "../../words/steps.ts";
import {
  collect,
  type EvalcubeCommand,
  type Format,
  formatFor,
  formatOption,
  type ProjectOptions,
} from "../options/options.ts";
import { type AskedCommand, asking, refuseWithoutEvaluation } from "../request/flagged-request.ts";
import { pricesOption } from "../request/prices.ts";
import {
  evaluationOption,
  filterOption,
  memberOption,
  pageOptions,
  REQUEST_ARGUMENT,
} from "../request/request-options.ts";
import { fitLines, screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

interface StepsOptions extends ProjectOptions {
  readonly format?: Format;
}

const TEXTS: Readonly<Record<string, StepsRequest["texts"]>> = { false: false, line: "line", true: true };

export function stepsCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("steps")
    .description(
      "tell what agents did: which tools fail, one trial, or where failing attempts leave passing ones",
    )
    .onProject(
      evaluationOption("evaluation_call_ids"),
      memberOption("view", "--view <name>", "what is told (tools; with --trial: trial or diff)").choices([
        "tools",
        "trial",
        "diff",
      ]),
      memberOption("trials", "--trial <id>", "a trial; two or three stand beside each other").argParser(
        collect,
      ),
      memberOption("success", "--success <name>", "the score that says which trials passed"),
      memberOption("against", "--against <id>", "of diff: whose passing attempts count (each its own)"),
      filterOption(),
      ...pageOptions(),
      memberOption("texts", "--texts <how>", "of a trial: false, line (default) or true", (how: string) =>
        Object.hasOwn(TEXTS, how) ? TEXTS[how] : how,
      ),
      pricesOption(),
      formatOption(),
    )
    .argument(...REQUEST_ARGUMENT)
    .example("evalcube steps --db evals.duckdb --evaluation latest --view diff")
    .action(asking(terminal, steps));
}

async function steps({ options, terminal, ask }: AskedCommand<StepsOptions>): Promise<void> {
  const { signal, stdout } = terminal;
  const answer = await ask(
    (engine, project, request) => engine.steps(project, withView(request), { signal }),
    (request) => {
      if (!isJsonObject(request) || request["trials"] == null) refuseWithoutEvaluation(request);
    },
  );
  await noteAll(terminal, answer.warnings);
  const isJson = formatFor(options.format, stdout) === "json";
  await print(stdout, `${isJson ? JSON.stringify(answer) : stepsTable(answer, tableView(stdout))}\n`);
}

/** A trial that is named says what is wanted. */
function withView(request: unknown): StepsRequest {
  if (!isJsonObject(request) || !Array.isArray(request["trials"])) return request as StepsRequest;
  return { view: request["trials"].length === 1 ? "trial" : "diff", ...request };
}

function stepsTable(answer: StepsAnswer, view: TableView): string {
  if (answer.view === "tools") return toolsTable(answer, view);
  if (answer.view === "trial") return trialTable(answer, view);
  return "lines" in answer ? besideTable(answer, view) : diffTable(answer, view);
}

/** Sentences, a line each. */
function linesOf(sentences: readonly string[], view: TableView): string[] {
  return sentences.length === 0 ? [] : [sentences.map((one) => fitLines(one, view)).join("\n")];
}

function tableOf<Item>(
  columns: readonly CellColumn<Item>[],
  items: readonly Item[],
  view: TableView,
): string[] {
  if (items.length === 0) return [];
  const { columns: printed, rows } = cellsOf(columns, items);
  return [screenTable(printed, rows, view)];
}

const passed = ({ passed: count, trials }: ToolOutcomes) =>
  trials === 0 ? NOTHING : `${countText(count)} of ${countText(trials)}`;

const WORDS = { lower: "less success", higher: "more success", not_shown: "not shown" };
const count = (value: number | null) => (value === null ? NOTHING : countText(value));

const TOOLS: readonly CellColumn<ToolStats>[] = [
  { head: "tool", telling: 8, cell: ({ name }) => name },
  figure("calls", 6, ({ calls }) => countText(calls)),
  figure("errors", 7, ({ errors }) => count(errors)),
  figure("error rate", 3, ({ error_rate: rate }) => meanText(rate, "binary")),
  figure("repeats", 2, ({ repeats }) => countText(repeats)),
  figure("passed with an error", 5, ({ with_error: own }) => passed(own)),
  figure("passed without", 4, ({ without_error: own }) => passed(own)),
  figure("difference", 1, ({ difference }) => differenceText(difference, "binary")),
  { head: "errors go with", whole: true, telling: 9, cell: ({ association }) => WORDS[association] },
];

function toolsTable(answer: ToolsAnswer, view: TableView): string {
  const said = linesOf(toolSentences(answer), view);
  const parts = answer.evaluations.flatMap(({ label, tools, ...one }) => {
    const calls = `${counted(one.chats, "model call")}, ${counted(one.tool_calls, "tool call")}`;
    const faults = `${count(one.tool_errors)} failed, ${countText(one.repeats)} repeated`;
    const head = `${label}: ${counted(one.trial_count, "trial")}, ${calls}, ${faults}`;
    return [fitLines(head, view), ...tableOf(TOOLS, tools, view)];
  });
  return [...said, ...parts].join("\n\n");
}

const seconds = (value: number | null) => (value === null ? NOTHING : numberText(value));

const STEPS: readonly CellColumn<ShownStep>[] = [
  figure("step", 8, ({ step }) => count(step)),
  { head: "tool or model", telling: 7, cell: (one) => one.name ?? one.model ?? one.operation },
  { head: "input", telling: 2, cell: ({ input }) => textOf(input) },
  { head: "output", telling: 1, cell: ({ output }) => textOf(output) },
  figure("seconds", 4, ({ duration_seconds: value }) => seconds(value)),
  figure("tokens", 3, ({ input_tokens: input, output_tokens: output }) =>
    input === null && output === null ? NOTHING : countText((input ?? 0) + (output ?? 0)),
  ),
  { head: "error", telling: 6, cell: ({ error_type: error }) => error ?? "" },
  {
    head: "repeats",
    whole: true,
    telling: 5,
    cell: ({ repeat_of: of }) => (of === null ? "" : `step ${of}`),
  },
];

const textOf = (value: unknown) =>
  value == null ? "" : typeof value === "string" ? value : JSON.stringify(value);

function trialTable(answer: TrialAnswer, view: TableView): string {
  const { counts, passed: isPassed, stop_reason: reason, error } = answer;
  const outcome = isPassed === null ? "without a value" : isPassed ? "passed" : "failed";
  const said = [
    `${answer.trial_id}: ${outcome}`,
    `${count(counts.chats)} model calls`,
    `${count(counts.tools)} tool calls`,
    `${count(counts.errors)} errors`,
    `${count(counts.repeats)} repeated`,
    ...(reason === null ? [] : [`stopped by ${reason}`]),
    ...(error === null ? [] : [error]),
  ];
  return [fitLines(said.join(", "), view), ...tableOf(STEPS, answer.steps, view)].join("\n\n");
}

const PAIRS: readonly CellColumn<DiffPair>[] = [
  { head: "row", whole: true, telling: 5, cell: ({ row_digest: digest }) => digest.slice(0, DIGITS) },
  { head: "failing trial", telling: 7, cell: ({ trial_id: id }) => id },
  { head: "passing trial", telling: 6, cell: ({ other_trial_id: id }) => id },
  figure("in common", 4, ({ common_actions: common }) => countText(common)),
  { head: "calls", telling: 3, cell: ({ first_difference: first }) => calledText(first, first?.name) },
  {
    head: "instead of",
    telling: 2,
    cell: ({ first_difference: first }) => calledText(first, first?.other_name),
  },
];

/** At which call attempts leave the others. */
const PLACES: readonly CellColumn<DiffAnswer["totals"]["at"][number]>[] = [
  figure("at call", 3, ({ index }) => countText(index)),
  figure("failing attempts", 2, ({ trials }) => countText(trials)),
  figure("rows", 1, ({ rows }) => countText(rows)),
];

/** So many characters of a digest are enough to name a row. */
const DIGITS = 12;

const calledText = (first: DiffPair["first_difference"], name: string | null | undefined) =>
  first === null ? "the same" : (name ?? "nothing more");

function diffTable(answer: DiffAnswer, view: TableView): string {
  const said = linesOf(differenceSentences(answer), view);
  const places = tableOf(PLACES, answer.totals.at, view);
  return [...said, ...places, ...tableOf(PAIRS, answer.pairs, view)].join("\n\n");
}

function besideTable({ trials, lines, line_count: total }: BesideAnswer, view: TableView): string {
  const columns: readonly CellColumn<BesideLine>[] = [
    ...trials.map(({ trial_id: id }, i) =>
      figure<BesideLine>(id, 5, ({ steps: own }) => count(own[i] ?? null)),
    ),
    { head: "same", whole: true, telling: 9, cell: ({ same }) => (same ? "yes" : "no") },
  ];
  const shown = `${countText(lines.length)} of ${counted(total, "line")}`;
  return [...tableOf(columns, lines, view), fitLines(shown, view)].join("\n\n");
}
