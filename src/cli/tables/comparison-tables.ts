import type { PrintedColumn } from "../../demo/text-table.ts";
import { grouped } from "../../demo/text-table.ts";
import type { Comparison, ComparisonAnswer } from "../../index.ts";
import { number, probability, scoreName, sentences, signed, type Names } from "./comparison-sentences.ts";
import { screenTable, type TableView } from "./screen-table.ts";

/** An answer with the evaluations that it compares. */
export interface Compared {
  readonly answer: ComparisonAnswer;
  readonly baseline: string;
  readonly candidates: readonly string[];
  readonly names: Names;
}

/** Formats a table of all comparisons, then one sentence per candidate. */
export function comparisonTable(compared: Compared, view: TableView): string {
  const { answer, baseline, candidates, names } = compared;
  const lines = cells(compared);
  const table = lines.length === 0 ? [] : [screenTable(columns(answer), lines, view)];
  return [...table, sentences(answer, baseline, candidates, names).join("\n")].join("\n\n");
}

/** Formats the same as Markdown for a pull request, with the warnings and the method. */
export function comparisonMarkdown(compared: Compared): string {
  const { answer, baseline, candidates, names } = compared;
  const heads = columns(answer);
  const line = (row: readonly string[]) => `| ${row.map(markdown).join(" | ")} |`;
  const table = [
    line(heads.map(({ head }) => head)),
    `| ${heads.map(({ align }) => (align === "right" ? "---:" : "---")).join(" | ")} |`,
    ...cells(compared).map(line),
  ].join("\n");
  const said = sentences(answer, baseline, candidates, names).map((text) => `- ${markdown(text)}`);
  const notes = answer.warnings.map((text) => `- Note: ${markdown(text)}`);
  const method = `p values adjusted (${answer.adjust}) over ${answer.family_size} comparisons; rows are the sampling unit.`;
  return [
    `### Compared with ${markdown(names.get(baseline) ?? baseline)}`,
    table,
    [...said, ...notes].join("\n"),
    method,
  ].join("\n\n");
}

function columns({ confidence }: ComparisonAnswer): PrintedColumn[] {
  const right = "right" as const;
  return [
    { head: "candidate", essential: true },
    { head: "score", essential: true },
    { head: "rows", align: right },
    { head: "baseline", align: right },
    { head: "candidate mean", align: right },
    { head: "difference", align: right, essential: true },
    { head: `${number(confidence * 100)} % interval`, align: right },
    { head: "p adjusted", align: right },
    { head: "better/worse/tied", align: right },
    { head: "verdict", whole: true, essential: true },
  ];
}

function cells({ answer, names }: Compared): string[][] {
  return answer.comparisons.map((one, i) => [
    answer.comparisons[i - 1]?.candidate === one.candidate ? "" : (names.get(one.candidate) ?? one.candidate),
    scoreName(one),
    grouped(one.n_common),
    number(one.baseline_mean),
    number(one.candidate_mean),
    signed(one.difference),
    interval(one),
    probability(one.p_value_adjusted),
    `${grouped(one.rows_improved)}/${grouped(one.rows_regressed)}/${grouped(one.rows_tied)}`,
    one.verdict,
  ]);
}

function interval({ confidence_interval: found }: Comparison): string {
  return found === null ? "–" : `${number(found[0])} to ${number(found[1])}`;
}

/** Escapes text so that no Markdown or HTML reader interprets it. */
function markdown(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[\\|`*_[\]<>#~@&]/g, (c) => `&#${c.codePointAt(0)};`);
}
