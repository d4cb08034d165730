import { counted } from "../../words/figures.ts";
import { tally, type Conclusion } from "../../words/conclusion.ts";
import { scoreName } from "../../words/score.ts";
import type { Sentence } from "../../words/sentence.ts";
import { standingOf } from "../../words/standings.ts";
import type { JudgedGate } from "../gates/judge-gates.ts";
import { comparisonCells } from "../tables/comparison-tables.ts";
import { changeLines, conclusionsOf, scoreAt, type Compared } from "../../words/comparison-words.ts";
import { noSlices, sliceCells } from "../tables/slice-tables.ts";
import { markdownTable, escapeMarkdown } from "./markdown.ts";

/**
 * Formats a comparison for the comment of a pull request: a conclusion in one line, the gates met, a table, and notes.
 */
export function comparisonMarkdown(compared: Compared, gates: readonly JudgedGate[]): string {
  const met = gates.flatMap(({ reasons }) => reasons);
  const { columns, rows } = comparisonCells(compared);
  return [
    `**${judgement(gates)}${headline(compared)}**`,
    [...met.map(({ text }) => markdownItem(text)), ...changeItems(compared)].join("\n"),
    markdownTable(columns, rows),
    ...slices(compared),
    details(compared),
  ].join("\n\n");
}

function slices(compared: Compared): string[] {
  const none = noSlices(compared);
  const tables = sliceCells(compared).map(({ title, columns, rows, notes }) =>
    [
      `**${escapeMarkdown(title)}**`,
      markdownTable(columns, rows),
      ...(notes.length === 0 ? [] : [notes.map(markdownItem).join("\n")]),
    ].join("\n\n"),
  );
  if (none !== null) return [none];
  return tables.length === 0
    ? []
    : [`<details><summary>Slices</summary>\n\n${tables.join("\n\n")}\n\n</details>`];
}

/** Whether the gates let it pass. */
export function judgement(gates: readonly JudgedGate[]): string {
  if (gates.length === 0) return "";
  const met = gates.filter(({ reasons }) => reasons.length > 0).length;
  if (met === 0) return `Passed: no gate is met (of ${gates.length}). `;
  return `Failed: ${met} of ${counted(gates.length, "gate")} ${met === 1 ? "is" : "are"} met. `;
}

/** What is concluded in the one score; of several scores, how many comparisons end how. */
export function headline(compared: Compared): string {
  const { answer, sides, names } = compared;
  const only = onlyConclusion(compared);
  if (only !== undefined) return escapeSentence(only.headline);
  const said = tally(answer.comparisons.map((one) => [standingOf(one), scoreAt(compared, one)]));
  const baselines = new Set(sides.map(({ baseline }) => escapeMarkdown(names.get(baseline) ?? baseline)));
  return `Against ${[...baselines].join(", ")}, of ${counted(answer.comparisons.length, "comparison")}: ${said}.`;
}

/** What is concluded where there is one score. */
function onlyConclusion(compared: Compared): Conclusion | undefined {
  const [only, ...others] = conclusionsOf(compared);
  const scores = new Set(compared.answer.comparisons.map(scoreName));
  return others.length === 0 && scores.size === 1 ? only : undefined;
}

function details(compared: Compared): string {
  return `<details><summary>Notes</summary>\n\n${noteLines(compared).join("\n")}\n\n</details>`;
}

/** What is concluded in each score, and what a reader should know, one item a line. */
export function noteLines(compared: Compared): string[] {
  const { answer } = compared;
  const conclusions = conclusionsOf(compared);
  const only = onlyConclusion(compared);
  const concluded =
    only === undefined
      ? conclusions.flatMap((one) => [
          `- ${escapeSentence(one.headline)}`,
          ...items(one).map((text) => `  ${text}`),
        ])
      : items(only);
  const family = counted(answer.family_size, "comparison");
  const notes = [
    ...(answer.notes ?? []),
    ...answer.warnings,
    `p values and intervals adjusted (${answer.adjust}) over ${family}; rows are the sampling unit.`,
  ];
  return [...concluded, ...notes.map(markdownItem)];
}

/** What changed beside the scores, one item a pair. */
export function changeItems(compared: Compared): string[] {
  return changeLines(compared).map((line) => markdownItem(`C${line.slice(1)}`));
}

/** A sentence from data as an item of a list. */
export function markdownItem(text: string): string {
  return `- ${escapeMarkdown(text, LONGEST_NOTE)}`;
}

/** The sentences below a headline; the headline of a single score stands at the top already. */
function items({ sentences }: Conclusion): string[] {
  return sentences.map(
    ({ standing, mark, sentence }) => `- ${standing === null ? "" : `${mark} `}${escapeSentence(sentence)}`,
  );
}

/** No name is so long that it hides what is said of it. */
function escapeSentence(sentence: Sentence): string {
  return sentence
    .map((part) =>
      typeof part === "string" ? escapeMarkdown(part, LONGEST_NOTE) : escapeMarkdown(part.text),
    )
    .join("");
}

/** Notes are sentences of several names. */
export const LONGEST_NOTE = 2000;
