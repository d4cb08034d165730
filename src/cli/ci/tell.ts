import { appendFile } from "node:fs/promises";
import { fileFault } from "../../model/messages.ts";
import { writeWhole } from "../options/write-whole.ts";
import { junitReport } from "../reports/junit.ts";
import { print, type Terminal } from "../terminal/terminal.ts";
import { jsonOf, type Judged, outcomeOf, reportOf, writeReport } from "./ci-report.ts";
import type { Job } from "./job.ts";
import { markerOf, writeComment } from "./write-comment.ts";

/** Where the report goes, and how strict it is. */
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
    await writeWhole(
      options.junit,
      junitReport(judged.compared, judged.gates, [{ as: "error", list: judged.faults }, unjudged], "ci"),
    );
  }
  await print(stdout, options.format === "json" ? `${JSON.stringify(jsonOf(judged))}\n` : whole);
  const log = options.out ?? "the log of the job";
  const warn = (text: string) => print(stderr, `${job.isGitHub ? "::warning::" : "evalcube: "}${text}\n`);
  /** What a job names and cannot be written ends no judgement. */
  const append = async (variable: string, file: string, text: string): Promise<boolean> => {
    if (file === "") return false;
    const fault = await appendFile(file, `${text}\n`).then(() => null, fileFault);
    if (fault !== null) await warn(`${variable} names ${file}, which cannot be written: ${fault}`);
    return fault === null;
  };
  const summary = writeReport(report, MOST.summary - 1, log);
  const hasSummary = await append("GITHUB_STEP_SUMMARY", job.summary, summary);
  await append("GITHUB_OUTPUT", job.output, `verdict=${outcomeOf(judged)}`);
  if (options.comment !== true) return;
  const marker = markerOf(project);
  const most = MOST.comment - Buffer.byteLength(marker) - 1;
  const where = hasSummary ? "the summary of the job" : log;
  const missing = await writeComment(job.place, marker, `${marker}\n${writeReport(report, most, where)}`);
  if (missing !== null) await warn(`no comment was written: ${missing}`);
}
