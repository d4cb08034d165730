import { shellWord } from "../../demo/report.ts";
import { formatPath } from "../../errors.ts";
import type { ImportResult } from "../../index.ts";
import { counted } from "../../view/words/figures.ts";

const SHOWN = 10;
const IDS_SHOWN = 4;

/** One line an evaluation that was imported. */
export function evaluationLines({ format, evaluations, checks }: ImportResult): string[] {
  const compared = checks.agree + checks.differ.length;
  // Figures are counted by source, not by evaluation.
  const where = evaluations.length > 1 ? " of the source" : "";
  const agreement =
    compared === 0 ? "no aggregates compared" : `aggregates agree (${checks.agree} of ${compared}${where})`;
  return evaluations.map(({ task, model, label, trials, rows, errors, scorers }) =>
    [
      format,
      task,
      label === null ? model : `${model} [${label}]`,
      `${counted(trials, "trial")} on ${counted(rows, "row")}, ${counted(errors, "error")}`,
      scorers.join(" ") || "no scores",
      agreement,
    ].join("  "),
  );
}

/** All but what was told before: figures that differ, refused trials, and what was left out or assumed. */
export function noteLines(
  { source, checks, rejected, notes }: ImportResult,
  told: ReadonlySet<string> = new Set(),
): string[] {
  const lines = [
    ...checks.differ.map(({ scorer_key: key, path, stat, stated, computed }) => {
      const what = [formatPath([key, path].filter((part) => part !== null)), stat];
      return `${what.filter((part) => part !== "(root)").join(" ")}: the log states ${stated}, its trials give ${computed}`;
    }),
    ...rejected.map(({ place, reason }) => (place === null ? reason : `${place}: ${reason}`)),
  ];
  const more = lines.length - SHOWN;
  const shown = lines.slice(0, SHOWN);
  if (more > 0) shown.push(`${more} more such notes are on standard output`);
  return [...shown, ...notes.filter((note) => !told.has(note))].map((line) => `note: ${source}: ${line}`);
}

/** The command that looks at evaluations; null for none. */
export function lookCommand(evaluations: readonly string[], db: string, project: string): string | null {
  if (evaluations.length === 0) return null;
  const request = JSON.stringify({ evaluation_call_ids: evaluations.slice(0, IDS_SHOWN) });
  return `look at it: echo ${shellWord(request)} | evalcube query --db ${shellWord(db)} --project ${shellWord(project)} --format table -`;
}
