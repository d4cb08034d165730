import type { AnswerRow } from "../../answer.ts";
import type { Page, Question } from "../../question.ts";
import { answerRows } from "../answer-rows.ts";
import { quote, type Database, type Row } from "../duckdb-json/database.ts";
import { groupBy, parseJson, type TrialRecord } from "../trial-record.ts";
import { keptRows, parameters } from "./rows.ts";

/** Finds the rows of the page, then reads their trials. */
export async function readPage(
  database: Database,
  question: Question,
  page: Page,
): Promise<{ readonly total: number; readonly rows: readonly AnswerRow[] }> {
  const found = await database.run(
    `select digest, count(*) over () as total from (${keptRows(question, page)})
      order by sort_key desc nulls last, digest limit ${page.limit} offset ${page.offset}`,
    parameters(question),
  );
  const digests = found.map((row) => String(row["digest"]));
  if (digests.length === 0) return { total: 0, rows: [] };
  // A list of literals lets DuckDB pass over parts of the file that cannot hold one of them.
  const wanted = digests.map(quote).join(", ");
  const trials = await database.run(
    `from trials where digest in (${wanted}) and evaluation in (select unnest($evaluations))`,
    { evaluations: question.evaluationIds },
  );
  const dataset = page.rawDataRows
    ? await database.run(`select digest, value from dataset where digest in (${wanted})`)
    : [];
  const values = new Map(dataset.map((row) => [String(row["digest"]), parseJson(row["value"])]));
  return {
    total: Number(found[0]?.["total"] ?? 0),
    rows: answerRows(
      digests,
      groupBy(trials.map(trialRecord), (trial) => trial.digest),
      question.evaluationIds,
      (first) => (page.rawDataRows ? values.get(first.digest) : null),
    ),
  };
}

function trialRecord(row: Row): TrialRecord {
  const { trial, evaluation, digest, started_at, predict_call, latency, tokens } = row;
  return {
    id: String(trial),
    evaluationId: String(evaluation),
    digest: String(digest),
    startedAt: Number(started_at),
    example: null,
    output: parseJson(row["output"]),
    scores: scores(row),
    predict: {
      id: String(predict_call),
      latency: latency === null ? null : Number(latency),
      tokens: tokens === null ? null : Number(tokens),
    },
    scorerCallIds: { correct: String(row["correct_call"]), judge: String(row["judge_call"]) },
  };
}

function scores(row: Row): Record<string, unknown> {
  const { correct, judge_score, judge_tone, judge_clarity, judge_grounded } = row;
  const rubric = { clarity: judge_clarity, grounded: judge_grounded };
  return { correct, judge: judge_score === null ? null : { score: judge_score, tone: judge_tone, rubric } };
}
