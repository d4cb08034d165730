import { z } from "zod";
import { scopeWire, unchecked } from "../request/scope.ts";
import { confidenceLevel } from "../model/arguments.ts";
import { sliceWire } from "../request/slice-by.ts";
import { schemaError, WORDING } from "../model/schema-issues.ts";
import { inputField } from "../request/wire.ts";
import type { Question } from "./answers.ts";

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
const names = z.array(z.string()).max(MAX_NAMES).nullish();

/** Members of a question; those of a request and of a comparison are checked by the engine, under the same names. */
export const questionShape = {
  evaluations: names,
  baseline: z.string().nullish(),
  baseline_is_best: z.boolean().nullish(),
  scorers: z.array(z.string().min(1)).min(1).max(MAX_NAMES).nullish(),
  score: z.string().min(1).nullish(),
  lower_is_better: z.array(z.string().min(1)).min(1).max(MAX_NAMES).nullish(),
  higher_is_better: z.array(z.string().min(1)).min(1).max(MAX_NAMES).nullish(),
  confidence: confidenceLevel.nullish(),
  adjust: z.enum(["holm", "benjamini-hochberg", "none"]).nullish(),
  margin: z.number().gt(0).nullish(),
  cluster_by: inputField.nullish(),
  ...sliceWire,
  pass_k: z.unknown().optional(),
  costs: z.unknown().optional(),
  prices: z.unknown().optional(),
  ...unchecked(scopeWire),
};

const reportOptions = z.strictObject({
  ...questionShape,
  outputs: z.enum(["fit", "all", "none"]).nullish(),
  max_bytes: z.int().gt(0).nullish(),
  title: z.string().regex(/\S/u).nullish(),
});

/** Checks options that may come from anywhere. Throws `RequestError` with every issue found. */
export function checkReportOptions({ signal, ...options }: ReportOptions): ReportOptions {
  const parsed = reportOptions.safeParse(options, WORDING);
  if (!parsed.success) throw schemaError(parsed.error);
  return { ...options, signal };
}
