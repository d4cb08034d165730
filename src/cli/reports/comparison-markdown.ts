import type { Comparison } from "../../index.ts";
import type { JudgedGate } from "../gates/judge-gates.ts";
import { sentences } from "../tables/comparison-sentences.ts";
import { comparisonCells, comparisonColumns, type Compared } from "../tables/comparison-tables.ts";
import { markdownTable } from "./markdown-table.ts";
import { escapeMarkdown } from "./markdown.ts";

/** Formats a comparison for the comment of a pull request: a conclusion in one line, the gates met, a table, and notes. */
export function comparisonMarkdown(compared: Compared, gates: readonly JudgedGate[]): string {
  const { answer } = compared;
  const met = gates.flatMap(({ reasons }) => reasons);
  return [
    `**${escapeMarkdown(conclusion(compared, gates))}**`,
    ...(met.length === 0 ? [] : [met.map(({ text }) => `- ${escapeMarkdown(text)}`).join("\n")]),
    markdownTable(comparisonColumns(answer), comparisonCells(compared)),
    details(compared),
  ].join("\n\n");
}

function conclusion(compared: Compared, gates: readonly JudgedGate[]): string {
  const { answer, baseline, names } = compared;
  const met = gates.filter(({ reasons }) => reasons.length > 0).length;
  const judged =
    gates.length === 0
      ? ""
      : met === 0
        ? `Passed: no gate is met (of ${gates.length}). `
        : `Failed: ${met} of ${gates.length} ${gates.length === 1 ? "gate" : "gates"} ${met === 1 ? "is" : "are"} met. `;
  const parts = VERDICTS.flatMap(([verdict, words]) => {
    const count = answer.comparisons.filter((one) => one.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const all = answer.comparisons.length;
  const said = parts.length === 0 ? "nothing to compare" : parts.join(", ");
  const of = all === 1 ? "1 comparison" : `${all} comparisons`;
  return `${judged}Against ${names.get(baseline) ?? baseline}, of ${of}: ${said}.`;
}

const VERDICTS: readonly (readonly [Comparison["verdict"], string])[] = [
  ["regressed", "worse"],
  ["improved", "better"],
  ["equivalent", "as good"],
  ["inconclusive", "not shown different"],
];

function details({ answer, baseline, candidates, names }: Compared): string {
  const notes = [
    ...sentences(answer, baseline, candidates, names),
    ...answer.warnings,
    `p values adjusted (${answer.adjust}) over ${answer.family_size} ${answer.family_size === 1 ? "comparison" : "comparisons"}; rows are the sampling unit.`,
  ];
  const list = notes.map((text) => `- ${escapeMarkdown(text, LONGEST_NOTE)}`).join("\n");
  return `<details><summary>Notes</summary>\n\n${list}\n\n</details>`;
}

/** Notes are sentences of several names. */
const LONGEST_NOTE = 2000;
