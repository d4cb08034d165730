import { z } from "zod";
import { compareRequestWire } from "../request/compare-request.ts";
import { schemaError, WORDING } from "../model/schema-issues.ts";
import { evalResultsRequest } from "../request/wire.ts";
import { findEvaluation } from "../request/find-evaluation.ts";
import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import { meaningless } from "../request/meaningless.ts";
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
  evaluations: z.array(z.string()).max(MAX_NAMES).nullish().describe("Default: all of the project."),
  baseline: baseline.nullish(),
  score: z
    .string()
    .min(1)
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

/** How many evaluations a page can have. */
const MOST_EVALUATIONS = 200;

/** The evaluations that a question names; all where it names none. Throws `RequestError` on a name that stands for none, and on too many. */
export function chosen(
  list: readonly EvaluationEntry[],
  { evaluations: ids }: Question,
): readonly EvaluationEntry[] {
  const known = new Map(list.map((one) => [one.id, one]));
  const found =
    ids == null
      ? list
      : [...new Set(ids)].map((id, i) => {
          const one = known.get(idOf(id, list, ["evaluations", i]));
          if (one !== undefined) return one;
          throw meaningless(["evaluations", i], `evaluation ${JSON.stringify(id)} is not in this project`);
        });
  if (found.length <= MOST_EVALUATIONS) return found;
  throw meaningless(
    ["evaluations"],
    `a page shows at most ${MOST_EVALUATIONS} evaluations, not ${found.length}; name those to show`,
  );
}

/** The id that a name stands for. Throws `RequestError`. */
export function idOf(text: string, list: readonly EvaluationEntry[], place: (string | number)[]): string {
  const found = findEvaluation(text, list);
  if ("id" in found) return found.id;
  throw meaningless(place, found.fault);
}
