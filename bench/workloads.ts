import { evaluationIds } from "./generate/evaluation-run.ts";
import type { DataParameters } from "./generate/parameters.ts";
import { rareWord } from "./generate/text.ts";
import type { Page, Question, RowFilter, RowOrder } from "./question.ts";

/** What is measured. `letter` names it on the command line. */
export type Workload = QueryWorkload | LoadWorkload | AddWorkload | ColdWorkload | ConcurrentWorkload;

export interface QueryWorkload {
  readonly kind: "query";
  readonly letter: string;
  readonly title: string;
  readonly question: Question;
}

export interface LoadWorkload {
  readonly kind: "load";
  readonly letter: string;
  readonly title: string;
}

export interface AddWorkload {
  readonly kind: "add";
  readonly letter: string;
  readonly title: string;
}

export interface ColdWorkload {
  readonly kind: "cold";
  readonly letter: string;
  readonly title: string;
  readonly question: Question;
}

export interface ConcurrentWorkload {
  readonly kind: "concurrent";
  readonly letter: string;
  readonly title: string;
  readonly questions: readonly Question[];
}

/** All workloads over data of these parameters, in the order of the report. */
export function buildWorkloads(parameters: DataParameters): Workload[] {
  const queries = buildQueries(parameters);
  const mixed = queries.slice(0, 4).map((entry) => entry.question);
  return [
    ...queries,
    { kind: "load", letter: "l", title: "NDJSON load" },
    { kind: "add", letter: "m", title: "100 calls more" },
    { kind: "cold", letter: "n", title: "cold open, first page", question: firstQuestion(parameters) },
    {
      kind: "concurrent",
      letter: "o",
      title: "16 concurrent, (a) to (d)",
      questions: [...mixed, ...mixed, ...mixed, ...mixed],
    },
  ];
}

/** The questions among them: (a) to (k). */
export function buildQueries(parameters: DataParameters): QueryWorkload[] {
  const byDigest = firstQuestion(parameters);
  const byScore = { ...byDigest, page: firstPage("mean score") };
  const common = { ...byScore, intersection: true };
  const highScores: RowFilter = { kind: "score above", value: 0.9 };
  const offset = Math.min(999 * 50, Math.floor(parameters.rows / 100) * 50);
  return [
    query("a", "first page", byDigest),
    query("b", "sorted by a score", byScore),
    query("c", "sorted, in all evaluations", common),
    query("d", "sorted by difference", { ...byDigest, page: firstPage("score difference") }),
    query("e", "score filter, sorted", { ...byScore, filter: highScores }),
    query("f", "inputs contain", { ...byDigest, filter: { kind: "inputs contain", text: rareWord } }),
    query("g", "outputs contain", { ...byDigest, filter: { kind: "outputs contain", text: rareWord } }),
    query("h", "summary", { ...byDigest, page: null, summary: true }),
    query("i", "page (c) and summary", { ...common, summary: true }),
    query("j", "page 1,000 deep", { ...byScore, page: { ...byScore.page, offset } }),
    query("k", "first page, rows resolved", { ...byDigest, page: { ...byDigest.page, rawDataRows: true } }),
  ];
}

function firstQuestion(parameters: DataParameters): Question & { readonly page: Page } {
  return {
    evaluationIds: evaluationIds(parameters),
    intersection: false,
    filter: null,
    page: firstPage("digest"),
    summary: false,
  };
}

/** All rows, on one page, of the evaluation that (m) adds calls to. */
export function lateQuestion(evaluationId: string): Question {
  return {
    evaluationIds: [evaluationId],
    intersection: false,
    filter: null,
    page: { ...firstPage("digest"), limit: 100_000 },
    summary: false,
  };
}

function query(letter: string, title: string, question: Question): QueryWorkload {
  return { kind: "query", letter, title, question };
}

function firstPage(order: RowOrder): Page {
  return { order, limit: 50, offset: 0, rawDataRows: false };
}
