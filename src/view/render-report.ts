import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Engine } from "../engine/api.ts";
import { meaningless } from "../request/meaningless.ts";
import { viewFiles } from "../view-files.ts";
import type { Answers } from "./answers.ts";
import { reportDocument } from "./document.ts";
import { headlineOf } from "./model/scores.ts";
import { Page } from "./parts/page.tsx";
import { RowsNeedScripts } from "./parts/rows-need-scripts.tsx";
import { readAnswers, type AnswerSource } from "./read-answers.ts";
import { checkReportOptions, type ReportOptions } from "./report-options.ts";

/** What of an engine a report is made with. */
export type ReportEngine = Pick<
  Engine,
  "listEvaluations" | "queryEvalResults" | "compareEvaluations" | "streamEvalResults"
>;

/**
 * Makes a report of a project: one HTML file that opens from disk, shows what the library answers, and asks nothing of any
 * network. The same database and options give the same text. Rejects with `RequestError` where an option is at fault.
 */
export async function renderReport(
  engine: ReportEngine,
  projectId: string,
  options: ReportOptions = {},
): Promise<string> {
  const { signal, ...question } = checkReportOptions(options);
  const source = answersOf(engine, projectId, signal);
  const answers = await readAnswers(source, projectId, question, meaningless);
  const files = await viewFiles();
  return reportDocument({
    title: answers.title ?? answers.project,
    page: staticPage(answers),
    answers: { format: 1, ...answers },
    rows: "",
    files: files.report,
  });
}

function answersOf(engine: ReportEngine, project: string, signal: AbortSignal | undefined): AnswerSource {
  const query = signal === undefined ? {} : { signal };
  return {
    list: () => engine.listEvaluations(project, query),
    query: (request) => engine.queryEvalResults(project, request, query),
    compare: (request) => engine.compareEvaluations(project, request, query),
  };
}

function staticPage(answers: Answers): string {
  const score = headlineOf(answers.summary, answers.scorers)?.name ?? null;
  return renderToString(h(Page, { answers, score, rows: h(RowsNeedScripts, {}) }));
}
