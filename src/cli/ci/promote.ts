import { appendFile, readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { scoreName, shownType } from "../../words/score.ts";
import { writeJson } from "../../model/json.ts";
import { FileError } from "../terminal/failure.ts";
import type { Judged } from "./ci-report.ts";
import { type ReadFrom, shortDigest } from "./read-suites.ts";
import { pathName, sameScore, type Suite, type SuiteScore } from "./suite.ts";

/**
 * Appends to a file of JSON lines the rows that passed in all trials of the baseline and failed in all of the
 * candidate, in scores of true and false, or 0 and 1, that regressed. A row that the file has for the same score is not
 * added again.
 */
export async function promote(file: string, { compared, loaded }: Judged, place: ReadFrom): Promise<void> {
  const text = existsSync(file) ? await readFile(file, "utf8") : "";
  const known = new Set(text.split("\n").filter(Boolean).map(keyOf));
  for (const { verdict, candidate: side, ...one } of compared.answer.comparisons) {
    const { candidate, pair } = loaded.find(({ id }) => id === side) ?? {};
    const score = pair?.scores.find(({ path }) => pathName(path) === scoreName(one));
    if (verdict !== "regressed" || shownType(one) !== "binary" || !candidate || !pair || !score) continue;
    const pass = one.direction !== "lower";
    const passed = rowsOf(pair.baseline, score, pass);
    const failed = rowsOf(candidate, score, !pass);
    const { id, name: evaluation, commit } = candidate;
    const whole = { include_raw_data_rows: true, resolve_row_refs: true, include_outputs: false };
    const request = { evaluation_call_ids: [id], ...whole };
    const { rows } = await place.engine.queryEvalResults(place.project, request, { signal: place.signal });
    for (const { row_digest, raw_data_row: row } of rows) {
      const digest = shortDigest(row_digest);
      const promoted = { score: scoreName(one), evaluation, candidate: id, commit, row_digest };
      const line = writeJson({ row, promoted });
      if (!failed.has(digest) || !passed.has(digest) || known.has(keyOf(line))) continue;
      known.add(keyOf(line));
      await appendFile(file, `${line}\n`);
    }
  }
}

/** The rows of which each trial has this value. */
function rowsOf(suite: Suite, score: SuiteScore, value: boolean): ReadonlySet<string> {
  const own = sameScore(suite, score);
  return new Set(
    suite.rows.filter((_, i) => own?.values[i]?.every((one) => one === value || one === Number(value))),
  );
}

/** The score and the row of a promoted line. Throws `FileError` on another line. */
function keyOf(line: string): string {
  try {
    const { promoted } = JSON.parse(line) as { readonly promoted: Readonly<Record<string, unknown>> };
    return JSON.stringify([promoted["score"], promoted["row_digest"]]);
  } catch {
    throw new FileError(
      `a file of promoted rows has lines such as {"row":…,"promoted":…}, not ${line.slice(0, 40)}`,
    );
  }
}
