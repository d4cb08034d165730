import { shortCommit } from "../../model/labels.ts";
import { counted } from "../../words/figures.ts";
import type { JudgedGate } from "../gates/judge-gates.ts";
import {
  changeItems,
  headline,
  judgement,
  LONGEST_NOTE,
  markdownItem,
  noteLines,
} from "../reports/comparison-markdown.ts";
import { escapeMarkdown, markdownTable } from "../reports/markdown.ts";
import { comparisonCells } from "../tables/comparison-tables.ts";
import type { Compared } from "../../words/comparison-words.ts";
import type { Loaded } from "./compare-pairs.ts";
import type { Baseline } from "./find-baseline.ts";
import type { flakinessOf } from "./flakiness.ts";
import { type JudgedNames, judgedTexts } from "./judged-names.ts";
import type { Incomparable } from "./pair-suites.ts";
import type { Suite } from "./suite.ts";

/** All that a command found out. */
export interface Judged extends JudgedNames {
  /** null where none was found. */
  readonly baseline: Baseline | null;
  readonly loaded: readonly Loaded[];
  readonly compared: Compared;
  /** By the id of the candidate; none without a gate on it. */
  readonly flakiness: ReturnType<typeof flakinessOf>;
  readonly gates: readonly JudgedGate[];
  readonly incomparable: readonly Incomparable[];
  /** Why candidates are no results at all. */
  readonly faults: readonly Incomparable[];
  /** How often the job is looked at, and the level of each look; null where nobody said it. */
  readonly looks: { readonly looks: number; readonly level: number } | null;
  /** What is new in the candidates. */
  readonly notes: readonly string[];
}

export type Outcome = "passed" | "failed" | "not-comparable";

export function outcomeOf({ gates, incomparable, faults }: Judged): Outcome {
  if (faults.length > 0) return "failed";
  if (gates.some(({ reasons }) => reasons.length > 0)) return "failed";
  return incomparable.length > 0 ? "not-comparable" : "passed";
}

/** What people read: parts of which lines may be left out from the end. */
interface JudgedReport {
  readonly head: string;
  readonly table: readonly string[];
  /** The baseline, what is not comparable, and the gates that are met. */
  readonly facts: readonly string[];
  readonly notes: readonly string[];
}

/** Puts into Markdown what was found out. */
export function reportOf(judged: Judged): JudgedReport {
  const { compared, gates, incomparable, loaded, faults } = judged;
  const isCompared = compared.answer.comparisons.length > 0;
  const concluded = isCompared ? headline(compared) : "Nothing is compared.";
  const texts = incomparable.map(({ text }) => text);
  const cells = comparisonCells(compared);
  const columns = cells.columns.map((column, i) =>
    i === 0 && loaded.length > 1 ? { ...column, head: "evaluation" } : column,
  );
  return {
    head:
      faults.length > 0
        ? `**Failed: ${escapeMarkdown(faults.map(({ text }) => text).join("; "), LONGEST_NOTE)}.** ${isCompared ? concluded : ""}`.trim()
        : outcomeOf(judged) === "not-comparable"
          ? `**Not comparable: ${escapeMarkdown(texts.join("; "), LONGEST_NOTE)}.**`
          : `**${judgement(gates)}${concluded}**`,
    table: isCompared ? markdownTable(columns, cells.rows).split("\n") : [],
    facts: [
      ...judgedTexts(judged).map(markdownItem),
      ...looksTexts(judged).map(markdownItem),
      ...(judged.baseline === null ? [] : [markdownItem(`Baseline: ${baselineText(judged.baseline)}`)]),
      ...texts.map((text) => markdownItem(`Not comparable: ${text}`)),
      ...gates.flatMap(({ reasons }) => reasons.map(({ text }) => markdownItem(text))),
      ...changeItems(compared),
    ],
    notes: [
      ...loaded.flatMap(pairNotes).map(markdownItem),
      ...[...(judged.baseline?.notes ?? []), ...judged.notes].map(markdownItem),
      ...(isCompared ? noteLines(compared) : []),
    ],
  };
}

/** `Looks: 5, each at 1%.` */
function looksTexts({ looks }: Judged): string[] {
  return looks === null
    ? []
    : [`Looks: ${looks.looks}, each at ${Number((100 * looks.level).toPrecision(3))}%.`];
}

function baselineText({ place, suites }: Baseline): string {
  const branches = suites.flatMap(({ branch }) => (branch === null ? [] : [`branch ${branch}`]));
  const commits = suites.flatMap(({ commit }) => (commit === null ? [] : [`commit ${shortCommit(commit)}`]));
  return [...new Set([place, ...branches, ...commits])].join(", ");
}

/** How the two sides differ in what no score tells. */
function pairNotes({ label, candidate, pair }: Loaded): string[] {
  const { added = 0, removed = 0 } = pair?.rows ?? {};
  const sides = [candidate, ...(pair === null ? [] : [pair.baseline])];
  const errors = sides.map(({ errors: all }) => all.flat());
  const failed = errors.map((all) => all.filter(Boolean).length);
  const repeats = sides.map(trialsARow);
  const shares = errors.map((all, i) => `${failed[i]} of ${counted(all.length, "trial")} in error`);
  return [
    ...(added + removed > 0 ? [`${label}: ${counted(added, "row")} added, ${removed} removed`] : []),
    ...(failed.some((count) => count > 0) ? [`${label}: ${shares.join(", of the baseline ")}`] : []),
    ...(new Set(repeats).size > 1 ? [`${label}: ${repeats.join(" trials a row, of the baseline ")}`] : []),
  ];
}

function trialsARow({ errors }: Suite): string {
  const counts = new Set(errors.map(({ length }) => length));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `${most}` : `${least} to ${most}`;
}

/** Bytes for what is around the lines. */
const FRAME = 512;

/** The report as text of at most so many bytes; `where` says where all of it stands. */
export function writeReport(report: JudgedReport, most: number, where: string): string {
  const [table, facts, notes] = [[...report.table], [...report.facts], [...report.notes]];
  let size = [report.head, ...table, ...facts, ...notes].reduce((sum, line) => sum + sizeOf(line), FRAME);
  let left = 0;
  for (const part of [notes, table, facts])
    while (size > most && part.length > 0) {
      size -= sizeOf(part.pop() ?? "");
      left++;
    }
  return [
    report.head,
    ...[table, facts].filter((part) => part.length > 0).map((part) => part.join("\n")),
    ...(notes.length === 0 ? [] : [`<details><summary>Notes</summary>\n\n${notes.join("\n")}\n\n</details>`]),
    ...(left === 0 ? [] : [`${counted(left, "line")} left out; all of it stands in ${where}.`]),
  ].join("\n\n");
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

/** What changed in an evaluation since its baseline, by the ids that programs know. */
function changesOf({ answer }: Compared, id: string, candidate: string, baseline: string | null) {
  const found = answer.changes.find((one) => one.candidate === id);
  return found === undefined ? null : { ...found, candidate, baseline };
}

/** What programs read. */
export function jsonOf(judged: Judged): object {
  const { baseline, loaded, compared, gates, incomparable, faults } = judged;
  const { commit = null, branch = null } = baseline?.suites[0] ?? {};
  return {
    verdict: outcomeOf(judged),
    ...judged.looks,
    judged: judged.judged,
    not_judged: judged.notJudged.map(({ id, label }) => ({ id, label })),
    baseline: baseline === null ? null : { place: baseline.place, branch, commit },
    evaluations: loaded.map(({ id, candidate, pair }) => ({
      name: candidate.name,
      candidate: candidate.id,
      baseline: pair?.baseline.id ?? null,
      comparisons: compared.answer.comparisons
        .filter((one) => one.candidate === id)
        .map((one) => ({ ...one, candidate: candidate.id, baseline: pair?.baseline.id ?? null })),
      changes: changesOf(compared, id, candidate.id, pair?.baseline.id ?? null),
      added_rows: pair?.rows.added ?? null,
      removed_rows: pair?.rows.removed ?? null,
      flakiness: (judged.flakiness.get(id) ?? []).map(({ shown: _shown, ...one }) => one),
    })),
    gates: gates.map(({ gate, reasons }) => ({ gate: gate.text, reasons: reasons.map(({ text }) => text) })),
    not_comparable: incomparable,
    failed: faults.map(({ evaluation, text }) => ({ evaluation, text })),
  };
}
