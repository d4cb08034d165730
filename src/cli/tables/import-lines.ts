import { shellWord } from "../../model/messages.ts";
import { formatPath } from "../../errors.ts";
import type { PrintedColumn } from "../../text/text-table.ts";
import type { Engine, ImportResult } from "../../index.ts";
import { fileNames } from "../../import/translate/file-names.ts";
import { countText } from "../../words/figures.ts";
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

/**
 * Evaluations that were imported, one a line; of several files with what each is called. Any of it names the
 * evaluation.
 */
export function importTable(results: readonly ImportResult[], view: TableView): string {
  const files = fileNames(results.map(({ source }) => source));
  const titleOf = ({ source }: ImportResult) => (files.size < 2 ? [] : [files.get(source)?.title ?? source]);
  const columns: PrintedColumn[] = [
    { head: "format" },
    ...(files.size < 2 ? [] : [{ head: "file" }]),
    { head: "name", labels: true, telling: 1 },
    ...["trials", "rows", "errors"].map(countColumn),
    { head: "scores" },
    { head: "aggregates that agree" },
  ];
  const rows = results.flatMap((one) =>
    importRows(one).map(([format = "", ...rest]) => [format, ...titleOf(one), ...rest]),
  );
  return screenTable(columns, rows, view);
}

function importRows({ format, evaluations, checks }: ImportResult): string[][] {
  const compared = checks.agree + checks.differ.length;
  // Figures are counted by source, not by evaluation.
  const where = evaluations.length > 1 ? " of the source" : "";
  const agreement = compared === 0 ? "–" : `${checks.agree} of ${compared}${where}${explanations(checks)}`;
  return evaluations.map(({ name, trials, rows, errors, scorers }) => [
    format,
    name,
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

/** What is to be said of a source: figures that differ, refused trials, and what was left out or assumed. */
export function noteLines({ checks, rejected, notes }: ImportResult): string[] {
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
  return [...shown, ...notes];
}

const FILES_SHOWN = 3;

/** Notes with the files that they hold for, each once. */
export function groupedNotes(notes: ReadonlyMap<string, readonly string[]>): string[] {
  const files = fileNames([...notes.values()].flat());
  return [...notes].map(([text, [first = "", ...others]]) => {
    if (others.length === 0) return `note: ${first}: ${text}`;
    const names = [first, ...others].map((file) => files.get(file)?.shown ?? file);
    return `note: ${names.length} files (${firstNames(names, FILES_SHOWN)}): ${text}`;
  });
}

/** The first of some names: `a, b, c, …`. */
export function firstNames(names: readonly string[], most: number): string {
  return [...names.slice(0, most), ...(names.length > most ? ["…"] : [])].join(", ");
}

/** The command that looks at evaluations; null for none. */
export function lookCommand(evaluations: readonly string[], db: string, project: string): string | null {
  if (evaluations.length === 0) return null;
  const request = JSON.stringify({ evaluation_call_ids: evaluations.slice(0, IDS_SHOWN) });
  return `look at it: echo ${shellWord(request)} | evalcube query --db ${shellWord(db)} --project ${shellWord(project)} --format table -`;
}
