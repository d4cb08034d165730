import { z } from "zod";
import { schemaError, WORDING } from "../../model/schema-issues.ts";
import type { Question } from "../model/answers.ts";
import { questionShape } from "../report-options.ts";

/** What a view asks of a project. */
export interface ViewQuestion extends Omit<Question, "title"> {
  /** How many of the first rows are told, in the order of the page; null: none. */
  readonly first_rows?: number | null | undefined;
}

const MOST_ROWS = 1000;

/** The wire format of the question. */
export const viewQuestion = z
  .strictObject({
    ...questionShape,
    first_rows: z
      .int()
      .min(1)
      .max(MOST_ROWS)
      .nullish()
      .describe("How many rows come with the answer. Default: none."),
  })
  .meta({ id: "ViewRequest" });

/** Checks a question that may come from anywhere. Throws `RequestError` with every issue found. */
export function checkViewQuestion(body: unknown): ViewQuestion {
  const parsed = viewQuestion.safeParse(body, WORDING);
  if (!parsed.success) throw schemaError(parsed.error);
  return body as ViewQuestion;
}
