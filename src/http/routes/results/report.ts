import { z } from "zod";
import { schemaError, WORDING } from "../../../model/schema-issues.ts";
import { unchecked } from "../../../request/scope.ts";
import type { ReportOptions } from "../../../view/report-options.ts";
import type { OperationExample } from "../../openapi/operation.ts";
import { bytesAnswer } from "../../wire/answer.ts";
import { readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import { renderReport } from "../../../view/make-report.ts";
import { questionWire } from "./question.ts";

type BodyMember = Exclude<keyof ReportOptions, "signal">;

const members = {
  ...questionWire,
  outputs: z.enum(["fit", "all", "none"]).nullish(),
  max_bytes: z.int().gt(0).nullish().describe("Size that `outputs: fit` keeps the file under."),
  title: z.string().nullish(),
} satisfies Record<BodyMember, z.ZodType>;

/** The names of the members; `renderReport` checks their values. */
const named = z.strictObject(unchecked(members));

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
  body: z.strictObject(members).meta({ id: "ReportRequest" }),
  reply: "text/html",
  example,
  async run(service, asked, principal) {
    const { projectId, request, stop } = await readProjectRequest(service, asked, principal);
    const parsed = named.safeParse(request, WORDING);
    if (!parsed.success) throw schemaError(parsed.error);
    const { signal } = stop;
    const report = await renderReport(service.engine, projectId, { ...parsed.data, signal });
    return bytesAnswer(Buffer.from(report, "utf8"), headersOf(projectId), 200);
  },
};

/** The file is named for its project, in letters that every system takes. */
function headersOf(projectId: string): Readonly<Record<string, string>> {
  const name = projectId.replaceAll(/[^\w.-]+/g, "-");
  return {
    "content-type": "text/html; charset=utf-8",
    "content-disposition": `attachment; filename="evalcube-${name}.html"`,
    "x-content-type-options": "nosniff",
  };
}
