import { z } from "zod";
import { scoreName } from "../model/arguments.ts";
import { compareRequestWire } from "../request/compare-request.ts";
import { schemaError, WORDING } from "../model/schema-issues.ts";
import { evalResultsRequest } from "../request/wire.ts";
import type { Question } from "./model/answers.ts";

/** How a report file is made. */
export interface ReportOptions extends Question {
  /** Outputs in the file: as many rows as fit under `max_bytes` (default), of all rows, or of none. */
  readonly outputs?: "fit" | "all" | "none" | null | undefined;
  /** Size that `outputs: "fit"` keeps the file under. Default 1,500,000. */
  readonly max_bytes?: number | null | undefined;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const MAX_NAMES = 1000;
const { baseline, ...compared } = compareRequestWire.omit({
  candidates: true,
  pairs: true,
  where: true,
  weights: true,
  corrected_by: true,
}).shape;

/** Members of a question, those of a comparison and of a query under their names. */
export const questionShape = {
  ...compared,
  evaluations: z.array(z.string()).max(MAX_NAMES).nullish().describe("Default: those of `runs`."),
  baseline: baseline.nullish(),
  runs: z
    .enum(["latest", "names", "all"])
    .nullish()
    .describe(
      "The latest two finished runs of one name, the latest of each name, or all. Default: `latest` where a name has two and no baseline is named, else `all`.",
    ),
  name: z
    .string()
    .nullish()
    .describe("With `runs: latest`: whose runs. Default: one that got worse, else the one that ran last."),
  score: scoreName
    .nullish()
    .describe("The score that the page begins with, and that its first rows are ordered by."),
  pass_k: evalResultsRequest.shape.pass_k,
};

/** The wire format of the options. */
export const reportOptions = z
  .strictObject({
    ...questionShape,
    outputs: z.enum(["fit", "all", "none"]).nullish(),
    max_bytes: z.int().gt(0).nullish().describe("Size that `outputs: fit` keeps the file under."),
    title: z.string().regex(/\S/u).nullish(),
  })
  .meta({ id: "ReportRequest" });

/** Checks options that may come from anywhere. Throws `RequestError` with every issue found. */
export function checkReportOptions({ signal, ...options }: ReportOptions): ReportOptions {
  const parsed = reportOptions.safeParse(options, WORDING);
  if (!parsed.success) throw schemaError(parsed.error);
  return { ...options, signal };
}
