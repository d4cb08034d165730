import { gsmEvaluationId } from "./calls.ts";
import { zeroEvalGsm } from "./zeroeval-gsm.ts";

/** Suggests commands to try next, which a shell runs as they are printed. */
export function nextSteps(database: string): string {
  const file = shellWord(database);
  const where = `--db ${file} --project ${zeroEvalGsm.project}`;
  const ids = ["gpt-4o-2024-08-06", "gpt-4o-mini-2024-07-18"].map((model) => `"${gsmEvaluationId(model)}"`);
  return [
    "Every evaluation of the project:",
    `  npx evalcube evaluations ${where} --format table`,
    "Two models, the rows first on which they differ (without --format table as JSON):",
    `  echo '{"evaluation_call_ids": [${ids.join(", ")}],`,
    `    "sort_by": [{"field": "scores.correct", "mode": "difference", "direction": "desc"}],`,
    `    "include_raw_data_rows": true, "include_summary": true, "limit": 5}' |`,
    `  npx evalcube query ${where} --format table -`,
    "Your own evaluations, call records with one JSON object a line:",
    `  npx evalcube ingest --db ${file} calls.ndjson`,
  ].join("\n");
}

/** Quotes a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
