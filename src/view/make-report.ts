import { createHash } from "node:crypto";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Engine } from "../engine/api.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import { type BundledPage, viewFiles } from "../view-files.ts";
import { writeJson } from "../model/json.ts";
import type { Answers } from "./model/answers.ts";
import { type FittedRows, packRows } from "./file/pack-rows.ts";
import type { EditedInputs } from "./payload/packed-rows.ts";
import { headlineOf } from "./model/scores.ts";
import { bracketed } from "./parts/name.tsx";
import { Page } from "./page/page.tsx";
import { RowsNeedScripts } from "./parts/section.tsx";
import { engineAnswers } from "./answer-source.ts";
import { readAnswers } from "./read-answers.ts";
import { firstRequest } from "./rows/rows-request.ts";
import { packedSteps } from "./report-steps.ts";
import { withOffered } from "./model/stepped.ts";
import { checkReportOptions, type ReportOptions } from "./report-options.ts";

/** What of an engine a report is made with. */
export type ReportEngine = Pick<
  Engine,
  | "listEvaluations"
  | "queryEvalResults"
  | "compareEvaluations"
  | "history"
  | "items"
  | "steps"
  | "queryColumns"
>;

/** A report, and what it holds. */
export interface Report {
  readonly html: string;
  readonly answers: Answers;
  readonly rows: Pick<FittedRows, "rows" | "withOutputs" | "left">;
}

const USUAL_MOST_BYTES = 1_500_000;
/** How many rows a report holds. */
const MOST_ROWS = 250_000;

/**
 * Makes a report of a project: one HTML file that opens from disk, shows what the library answers, and asks nothing of
 * any network. The same database and options give the same text. Rejects with `RequestError` where an option is at
 * fault.
 */
export async function renderReport(
  engine: ReportEngine,
  projectId: string,
  options: ReportOptions = {},
): Promise<string> {
  return (await makeReport(engine, projectId, options)).html;
}

/** Makes a report, see `renderReport`. */
export async function makeReport(
  engine: ReportEngine,
  projectId: string,
  options: ReportOptions,
): Promise<Report> {
  const { signal, outputs, max_bytes: most, ...question } = checkReportOptions(options);
  const answers = await readAnswers(engineAnswers(engine, projectId, signal), projectId, question);
  const files = await viewFiles();
  const score = headlineOf(answers)?.key ?? null;
  const page = renderToString(h(Page, { answers, score, rows: h(RowsNeedScripts, {}) }));
  signal?.throwIfAborted();
  const write = (rows: string, steps: string) =>
    reportDocument({
      title: bracketed(answers.question.title ?? answers.project),
      page,
      answers: { format: 1, ...answers },
      rows,
      steps,
      files: files.report,
    });
  const space = (most ?? USUAL_MOST_BYTES) - Buffer.byteLength(write("", ""));
  const request: EvalResultsRequest = {
    ...firstRequest(answers, score),
    ...stepsIn(answers),
    include_outputs: true,
    long_values: "whole",
    include_trial_errors: true,
    limit: MOST_ROWS,
  };
  const steps = await packedSteps(engine, answers, request, space, signal);
  const room = outputs === "all" ? Infinity : space - steps.length;
  const edited = await editedInputs(engine, answers, request, signal);
  const parts = engine.queryColumns(answers.project, request, { signal });
  try {
    const rows = await packRows(parts, answers, { outputs: outputs !== "none", room, edited });
    return { html: write(rows.text, steps), answers, rows };
  } finally {
    await parts.return();
  }
}

/** Asks for the numbers of steps that the page has beside scores. */
function stepsIn({ summary, question }: Answers): Pick<EvalResultsRequest, "step_scores"> {
  const stats = summary.evaluations.flatMap((one) => one.scorer_stats);
  if (stats.every((one) => one.better === undefined)) return {};
  return { step_scores: withOffered(question.step_scores) };
}

/** Rows that are read at a time. */
const SOME_ROWS = 250;

/** What evaluations have of the rows that the comparison counts as edited, rows of the report alone. */
async function editedInputs(
  engine: ReportEngine,
  { comparison, evaluations, project }: Answers,
  request: EvalResultsRequest,
  signal: AbortSignal | undefined,
): Promise<EditedInputs> {
  if (!(comparison?.comparisons ?? []).some((one) => one.n_edited > 0)) return {};
  const found: [string, (string | null)[]][] = [];
  for (let offset = 0, total = 1; offset < Math.min(total, MOST_ROWS); offset += SOME_ROWS) {
    const asked = { ...request, include_outputs: false, limit: SOME_ROWS, offset } as const;
    const { rows, total_rows } = await engine.queryEvalResults(project, asked, { signal });
    total = total_rows;
    for (const { row_digest, edited, evaluations: held } of rows) {
      if (edited !== true) continue;
      const own = new Map(held.map((one) => [one.evaluation_call_id, one.raw_data_row]));
      const texts = evaluations.map(({ id }) => (own.get(id) === undefined ? null : writeJson(own.get(id))));
      found.push([row_digest, texts]);
    }
  }
  return Object.fromEntries(found);
}

/** The parts of a report file. */
interface ReportDocument {
  readonly title: string;
  /** HTML of the page. */
  readonly page: string;
  /** The answers, for the page's script and for programs. */
  readonly answers: unknown;
  /** The rows as base64 text; empty where there are none. */
  readonly rows: string;
  /** What trials did as base64 text; empty where nothing is told of that. */
  readonly steps: string;
  readonly files: BundledPage;
}

/** Data that the script reads when somebody looks at them. */
function dataElement(id: string, text: string): string {
  return `<script type="application/octet-stream" id="${id}">${text}</script>\n`;
}

/** The whole report as one HTML document that needs no other file. */
function reportDocument({ title, page, answers, rows, steps, files }: ReportDocument): string {
  const { script, style } = files;
  const told = steps === "" ? "" : dataElement("evalcube-steps", steps);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy(script.text, style.text)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${style.text}</style>
</head>
<body>
<div id="evalcube-page">${page}</div>
<script type="application/json" id="evalcube-report">${jsonInScript(answers)}</script>
${dataElement("evalcube-rows", rows)}${told}<script>${script.text}</script>
</body>
</html>
`;
}

/** What a report may do: run its own script and use its own style, and nothing else. */
function reportPolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** JSON that no text in it can end or change the element around it with. */
function jsonInScript(value: unknown): string {
  return writeJson(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
