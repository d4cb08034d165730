import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Engine } from "../engine/api.ts";
import { viewFiles } from "../view-files.ts";
import type { Answers } from "./answers.ts";
import { reportDocument } from "./document.ts";
import { RowPacker, type FittedRows } from "./file/fit-rows.ts";
import { readRows, rowsRequest } from "./file/read-rows.ts";
import { headlineOf } from "./model/scores.ts";
import { bracketed } from "./parts/name.tsx";
import { Page } from "./parts/page.tsx";
import { RowsNeedScripts } from "./parts/rows-need-scripts.tsx";
import { engineAnswers, readAnswers } from "./read-answers.ts";
import { checkReportOptions, type ReportOptions } from "./report-options.ts";

/** What of an engine a report is made with. */
export type ReportEngine = Pick<
  Engine,
  "listEvaluations" | "queryEvalResults" | "compareEvaluations" | "history" | "queryColumns"
>;

/** A report, and what it holds. */
export interface Report {
  readonly html: string;
  readonly answers: Answers;
  readonly rows: Pick<FittedRows, "rows" | "withOutputs" | "left">;
}

const USUAL_MOST_BYTES = 1_500_000;

/** Makes a report, see `renderReport`. */
export async function makeReport(
  engine: ReportEngine,
  projectId: string,
  options: ReportOptions,
): Promise<Report> {
  const { signal, outputs, max_bytes: most, ...question } = checkReportOptions(options);
  const answers = await readAnswers(engineAnswers(engine, projectId, signal), projectId, question);
  const files = await viewFiles();
  const score = headlineOf(answers)?.name ?? null;
  const page = renderToString(h(Page, { answers, score, rows: h(RowsNeedScripts, {}) }));
  signal?.throwIfAborted();
  const write = (rows: string) =>
    reportDocument({
      title: bracketed(answers.title ?? answers.project),
      page,
      answers: { format: 1, ...answers },
      rows,
      files: files.report,
    });
  const room = (most ?? USUAL_MOST_BYTES) - Buffer.byteLength(write(""));
  const rows = await packRows(engine, answers, score, { outputs: outputs ?? "fit", room, signal });
  return { html: write(rows.text), answers, rows };
}

interface Packing {
  readonly outputs: "fit" | "all" | "none";
  /** Bytes that are left for the rows. */
  readonly room: number;
  readonly signal: AbortSignal | undefined;
}

async function packRows(
  engine: ReportEngine,
  answers: Answers,
  score: string | null,
  { outputs, room, signal }: Packing,
): Promise<FittedRows> {
  const parts = engine.queryColumns(answers.project, rowsRequest(answers, score), { signal });
  try {
    const packer = new RowPacker(await readRows(parts, answers, outputs === "all" ? Infinity : room));
    if (outputs === "all") return await packer.all();
    return outputs === "fit" ? await packer.fit(room) : await packer.fitBare(room);
  } finally {
    await parts.return();
  }
}
