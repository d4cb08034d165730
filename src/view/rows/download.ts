import { type Json, writeJson } from "../../model/json.ts";
import type { DetailTrial, RowDetail } from "./row-source.ts";
import { valuesOf } from "./row-values.ts";

/** What a file of rows has of each. */
export interface Downloaded {
  /** Names of the evaluations, in the order of the trials of a row. */
  readonly labels: readonly string[];
  /** Name of the dimension that is shown; null where there is none. */
  readonly score: string | null;
}

export type DownloadFormat = "csv" | "json";

/**
 * Rows as the text of a file, in pieces. Of each evaluation there is the mean of the score, the output, and what it
 * failed with: lists of them where a row has several trials, nothing where it was not run or where they are left out.
 */
export async function* fileOf(
  rows: AsyncIterable<readonly RowDetail[]>,
  what: Downloaded,
  format: DownloadFormat,
): AsyncGenerator<string, void, undefined> {
  const heads = headsOf(what);
  yield format === "csv" ? csvLine(heads) : "[";
  let before = "\n";
  for await (const some of rows) {
    const lines = some.map((row) => {
      const cells = cellsOf(row, what);
      if (format === "csv") return csvLine([cells[0], inputCell(cells[1]), ...cells.slice(2)]);
      const line = before + writeJson(Object.fromEntries(heads.map((head, i) => [head, cells[i]])));
      before = ",\n";
      return line;
    });
    yield lines.join("");
  }
  if (format === "json") yield "\n]\n";
}

const OWN = ["output", "error"];

function headsOf({ labels, score }: Downloaded): string[] {
  const members = [...(score === null ? [] : [OWN.includes(score) ? `scores.${score}` : score]), ...OWN];
  return ["row", "inputs", ...labels.flatMap((label) => members.map((name) => `${label}: ${name}`))];
}

function cellsOf(row: RowDetail, { labels, score }: Downloaded): (Json | undefined)[] {
  const values = valuesOf(row, score);
  const cells = labels.map((_, i) => {
    const trials = row.trials[i] ?? [];
    return [
      ...(score === null ? [] : [values[i]]),
      ofTrials(trials, ({ output }) => output),
      ofTrials(trials, ({ error }) => error),
    ];
  });
  return [row.digest, row.input, ...cells.flat()];
}

/** One value, or a list of them where there are several trials and any has one. */
function ofTrials(
  trials: readonly DetailTrial[],
  value: (trial: DetailTrial) => Json | undefined,
): Json | undefined {
  const all = trials.map(value);
  if (all.length < 2) return all[0];
  return all.every((one) => one === undefined)
    ? undefined
    : all.every((one) => one === null)
      ? null
      : all.map((one) => one ?? null);
}

function inputCell(input: Json | undefined): string | undefined {
  return input === undefined ? undefined : writeJson(input);
}

function csvLine(cells: readonly (Json | undefined)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** A text that a spreadsheet would take for a formula has an apostrophe before it. */
function csvCell(value: Json | undefined): string {
  if (value == null) return "";
  const isText = typeof value === "string";
  const text = isText ? value : writeJson(value);
  const safe = isText && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Downloads a file under this name. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
