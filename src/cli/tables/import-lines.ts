import { shellWord } from "../../model/messages.ts";
import { formatPath } from "../../errors.ts";
import type { PrintedColumn } from "../../demo/text-table.ts";
import type { Engine, ImportResult } from "../../index.ts";
import { countText } from "../../view/words/figures.ts";
import { screenTable, type TableView } from "./screen-table.ts";

const SHOWN = 10;
const IDS_SHOWN = 4;

/** A file that was loaded. */
export type LoadedSource = Awaited<ReturnType<Engine["ingestFile"]>> & { readonly source: string };

/** Files that were loaded, one a line. Evaluations and trials are those that are new or changed. */
export function ingestTable(loaded: readonly LoadedSource[], view: TableView): string {
  const columns: PrintedColumn[] = [
    { head: "source" },
    { head: "kind" },
    ...["records", "stored", "unchanged", "refused", "evaluations", "trials"].map(countColumn),
  ];
  const rows = loaded.map((one) => [
    one.source,
    one.kind,
    ...[one.received, one.stored, one.unchanged, one.rejected.length, one.evaluations, one.trials].map(
      countText,
    ),
  ]);
  return screenTable(columns, rows, view);
}

/** Evaluations that were imported, one a line. */
export function importTable(results: readonly ImportResult[], view: TableView): string {
  const columns: PrintedColumn[] = [
    { head: "format" },
    { head: "task" },
    { head: "model" },
    ...["trials", "rows", "errors"].map(countColumn),
    { head: "scores" },
    { head: "aggregates that agree" },
  ];
  return screenTable(columns, results.flatMap(importRows), view);
}

function importRows({ format, evaluations, checks }: ImportResult): string[][] {
  const compared = checks.agree + checks.differ.length;
  // Figures are counted by source, not by evaluation.
  const where = evaluations.length > 1 ? " of the source" : "";
  const agreement = compared === 0 ? "–" : `${checks.agree} of ${compared}${where}${explanations(checks)}`;
  return evaluations.map(({ task, model, label, trials, rows, errors, scorers }) => [
    format,
    task ?? "–",
    label === null ? model : `${model} [${label}]`,
    ...[trials, rows, errors].map(countText),
    scorers.join(" ") || "–",
    agreement,
  ]);
}

/** How many figures a rule explains: ` (1 with nulls as failures)`. */
function explanations({ differ }: ImportResult["checks"]): string {
  const rules = differ.flatMap(({ explained_by: rule }) => rule?.replace(/ \(.*/, "") ?? []);
  const counted = [...new Set(rules)].map(
    (rule) => `${rules.filter((one) => one === rule).length} with ${rule}`,
  );
  return counted.length === 0 ? "" : ` (${counted.join(", ")})`;
}

function countColumn(head: string): PrintedColumn {
  return { head, align: "right" };
}

/** All but what was told before: figures that differ, refused trials, and what was left out or assumed. */
export function noteLines(
  { source, checks, rejected, notes }: ImportResult,
  told: ReadonlySet<string> = new Set(),
): string[] {
  const lines = [
    // What a rule explains is a note.
    ...checks.differ.flatMap(({ scorer_key: key, path, stat, stated, computed, explained_by: rule }) => {
      if (rule !== undefined) return [];
      const what = [formatPath([key, path].filter((part) => part !== null)), stat];
      const named = what.filter((part) => part !== "(root)").join(" ");
      return [`${named}: the log states ${stated}, its trials give ${computed}`];
    }),
    ...rejected.map(({ place, reason }) => (place === null ? reason : `${place}: ${reason}`)),
  ];
  const more = lines.length - SHOWN;
  const shown = lines.slice(0, SHOWN);
  if (more > 0) shown.push(`${more} more such notes are in the JSON`);
  return [...shown, ...notes.filter((note) => !told.has(note))].map((line) => `note: ${source}: ${line}`);
}

/** The command that looks at evaluations; null for none. */
export function lookCommand(evaluations: readonly string[], db: string, project: string): string | null {
  if (evaluations.length === 0) return null;
  const request = JSON.stringify({ evaluation_call_ids: evaluations.slice(0, IDS_SHOWN) });
  return `look at it: echo ${shellWord(request)} | evalcube query --db ${shellWord(db)} --project ${shellWord(project)} --format table -`;
}
