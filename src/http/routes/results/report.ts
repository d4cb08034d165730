import { z } from "zod";
import { schemaError, WORDING } from "../../../model/schema-issues.ts";
import { unchecked } from "../../../request/scope.ts";
import { reportOptions } from "../../../view/report-options.ts";
import type { OperationExample } from "../../openapi/operation.ts";
import { bytesAnswer } from "../../wire/answer.ts";
import { readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import { renderReport } from "../../../view/make-report.ts";
import { attachment } from "./export.ts";

/** The names of the members; `renderReport` checks their values. */
const named = z.strictObject(unchecked(reportOptions.shape));

const example: OperationExample = {
  request: { evaluations: ["run-1", "run-2"], baseline: "run-1", scorers: ["correct"] },
  reply: "<!doctype html>…",
};

export const reportResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/eval_results/report",
  access: "basic",
  id: "renderReport",
  reads: true,
  summary: "A report as one HTML file",
  body: reportOptions,
  reply: "text/html",
  example,
  async run(service, asked, principal) {
    const { projectId, request, stop } = await readProjectRequest(service, asked, principal);
    const parsed = named.safeParse(request, WORDING);
    if (!parsed.success) throw schemaError(parsed.error);
    const { signal } = stop;
    const report = await renderReport(service.engine, projectId, { ...parsed.data, signal });
    const headers = { "content-type": "text/html; charset=utf-8", ...attachment(projectId, "html") };
    return bytesAnswer(Buffer.from(report, "utf8"), headers, 200);
  },
};
