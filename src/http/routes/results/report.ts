import { z } from "zod";
import { stopWith } from "../../../inference/upstream/upstream.ts";
import { schemaError, WORDING } from "../../../model/schema-issues.ts";
import { unchecked } from "../../../request/scope.ts";
import type { ReportOptions } from "../../../view/report-options.ts";
import type { OperationExample } from "../../openapi/operation.ts";
import { bytesAnswer } from "../../wire/answer.ts";
import { parseRequestJson, projectOfPath, readBodyText } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import { renderReport } from "../../../view/render-report.ts";
import { questionWire } from "./question.ts";

/** Filters nest, but no sensible request nests deeper. */
const MAX_DEPTH = 256;

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
  async run({ engine, limits }, asked, principal) {
    const projectId = projectOfPath(asked, principal);
    const body = parseRequestJson(await readBodyText(asked, limits.other), MAX_DEPTH, limits);
    const parsed = named.safeParse(body, WORDING);
    if (!parsed.success) throw schemaError(parsed.error);
    const { signal } = stopWith(asked.raw.signal);
    const report = await renderReport(engine, projectId, { ...parsed.data, signal });
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
