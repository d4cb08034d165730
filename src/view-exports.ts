export { renderReport } from "./view/render-report.ts";
export type { ReportEngine } from "./view/make-report.ts";
export type { ReportOptions } from "./view/report-options.ts";
export type { Question, Scope } from "./view/answers.ts";
