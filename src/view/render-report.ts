import { makeReport, type ReportEngine } from "./make-report.ts";
import type { ReportOptions } from "./report-options.ts";

/**
 * Makes a report of a project: one HTML file that opens from disk, shows what the library answers, and asks nothing of any
 * network. The same database and options give the same text. Rejects with `RequestError` where an option is at fault.
 */
export async function renderReport(
  engine: ReportEngine,
  projectId: string,
  options: ReportOptions = {},
): Promise<string> {
  const { html } = await makeReport(engine, projectId, options);
  return html;
}
