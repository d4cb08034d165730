export { renderReport, type ReportEngine } from "./view/make-report.ts";
export type { ReportOptions } from "./view/report-options.ts";
export type { Question, Scope } from "./view/model/answers.ts";
