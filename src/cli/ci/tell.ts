import { appendFile } from "node:fs/promises";
import { junitReport } from "../reports/junit.ts";
import { writeWhole } from "../options/write-whole.ts";
import { print, type Terminal } from "../terminal/terminal.ts";
import { jsonOf, outcomeOf, reportOf, writeReport, type Judged } from "./ci-report.ts";
import type { Job } from "./job.ts";
import { markerOf, writeComment } from "./write-comment.ts";

/** To whom it is told. */
export interface TellOptions {
  readonly notComparable: "fail" | "warn";
  readonly comment?: true;
  readonly out?: string;
  readonly junit?: string;
  readonly format: "markdown" | "json";
}

/** The most that GitHub takes, in bytes. */
const MOST = { comment: 65_536, summary: 2 ** 20 };

/** Tells standard output, files, the job and the pull request the same. */
export async function tell(
  judged: Judged,
  project: string,
  job: Job,
  options: TellOptions,
  { stdout, stderr }: Terminal,
): Promise<void> {
  const report = reportOf(judged);
  const whole = `${writeReport(report, Infinity, "")}\n`;
  if (options.out !== undefined) await writeWhole(options.out, whole);
  if (options.junit !== undefined) {
    const as = options.notComparable === "warn" ? "skipped" : "error";
    const unjudged = { as, list: judged.incomparable } as const;
    await writeWhole(options.junit, junitReport(judged.compared, judged.gates, unjudged, "ci"));
  }
  await print(stdout, options.format === "json" ? `${JSON.stringify(jsonOf(judged))}\n` : whole);
  const log = options.out ?? "the log of the job";
  if (job.summary !== "") await appendFile(job.summary, `${writeReport(report, MOST.summary - 1, log)}\n`);
  if (job.output !== "") await appendFile(job.output, `verdict=${outcomeOf(judged)}\n`);
  if (options.comment !== true) return;
  const marker = markerOf(project);
  const most = MOST.comment - Buffer.byteLength(marker) - 1;
  const where = job.summary === "" ? log : "the summary of the job";
  const missing = await writeComment(job.place, marker, `${marker}\n${writeReport(report, most, where)}`);
  if (missing === null) return;
  await print(stderr, `${job.isGitHub ? "::warning::" : "evalcube: "}no comment was written: ${missing}\n`);
}
