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
  const lines = comparisonCells(compared);
  const table = lines.length === 0 ? [] : [screenTable(comparisonColumns(answer), lines, view)];
  return [...table, sentences(answer, baseline, candidates, names).join("\n")].join("\n\n");
}

/** The columns of a comparison. */
export function comparisonColumns({ confidence }: ComparisonAnswer): PrintedColumn[] {
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

/** The cells of each comparison. */
export function comparisonCells({ answer, names }: Compared): string[][] {
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
