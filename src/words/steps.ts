import { nameText } from "../model/name-text.ts";
import type { DiffAnswer, DiffTotals } from "../respond/steps/diff.ts";
import type { ToolsAnswer } from "../respond/steps/tools-answer.ts";
import type { ToolOutcomes, ToolStats } from "../respond/steps/tools.ts";
import { counted, countText, differenceText } from "./figures.ts";

const passed = ({ passed: count, trials }: ToolOutcomes) => `${countText(count)} of ${countText(trials)}`;

/** What goes with errors of a tool: rates of trials with one and without. */
function associationSentence({ name, association, ...tool }: ToolStats): string {
  const more = association === "lower" ? "less" : "more";
  const rates = `${passed(tool.with_error)} trials with one passed, ${passed(tool.without_error)} without`;
  const difference = differenceText(tool.difference, "binary");
  return `An error of ${nameText(name)} goes with ${more} success: ${rates} (${difference}).`;
}

const HARDER = "Harder rows can have both, more errors and less success";

/** That rows may differ in both, and what rows say that have both kinds. */
function withinSentence({ name, within_rows: { rows, difference } }: ToolStats): string {
  const both = `trials with an error of ${nameText(name)} and without`;
  if (difference === null) return `${HARDER}; no row has ${both}.`;
  const within = `within the ${counted(rows, "row")} that have ${both}`;
  return `${HARDER}: ${within}, the difference is ${differenceText(difference, "binary")} on average.`;
}

/** The tools of the page whose errors go with less or more success, those of most calls first. */
function shownTools({ evaluations }: ToolsAnswer): ToolStats[] {
  return evaluations
    .flatMap(({ tools }) => tools)
    .filter(({ association }) => association !== "not_shown")
    .toSorted((a, b) => b.calls - a.calls);
}

/** A sentence for each association, and below each what rows say. */
export function toolSentences(answer: ToolsAnswer): string[] {
  return shownTools(answer).flatMap((tool) => [associationSentence(tool), withinSentence(tool)]);
}

const LESS_OR_MORE = [
  ["lower", "less"],
  ["higher", "more"],
] as const;

/** How many tools have errors that go with success. */
export function toolCount(evaluations: ToolsAnswer["evaluations"]): string {
  const tools = evaluations.flatMap((one) => one.tools);
  const total = evaluations.reduce((sum, one) => sum + one.tool_count, 0);
  const said = LESS_OR_MORE.flatMap(([association, word]) => {
    const count = tools.filter((one) => one.association === association).length;
    const have = `${countText(count)} ${count === 1 ? "has" : "have"}`;
    return count === 0 ? [] : [`${have} errors that go with ${word} success`];
  });
  const none = "none has errors that are shown to go with success";
  return `Of ${counted(total, "tool")}, ${said.length === 0 ? none : said.join(", and ")}.`;
}

const MOST_TOLD = 5;

/** Where failing attempts leave passing ones, and what they call there instead. */
export function differenceSentences({ totals, pair_count: pairs }: DiffAnswer): string[] {
  if (pairs === 0) return ["No failing attempt has a passing one on its row."];
  const { trials, rows, identical, median_index: median, instead } = totals;
  const attempts = `${counted(trials, "failing attempt")} on ${counted(rows, "row")}`;
  const where = median === null ? "" : `, at call ${median} in the median`;
  const same = identical === 0 ? "" : `; ${countText(identical)} make the same calls`;
  return [
    `${attempts} leave the passing attempt that they follow longest${where}${same}.`,
    ...instead.slice(0, MOST_TOLD).map(insteadSentence),
  ];
}

function insteadSentence({ name, other_name: other, trials }: DiffTotals["instead"][number]): string {
  const [stop, call, ask] = trials === 1 ? ["stops", "calls", "calls"] : ["stop", "call", "calls"];
  const own = name === null ? stop : `${call} ${nameText(name)}`;
  const there = other === null ? "where the other stops" : `where the other ${ask} ${nameText(other)}`;
  return `${countText(trials)} ${own} ${there}.`;
}
