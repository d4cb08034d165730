import { z } from "zod";
import { checkArgument, functionOf, plainText, projectId } from "../model/arguments.ts";
import type { InputPath } from "../errors.ts";
import type { Json } from "../model/json.ts";
import { nameText } from "../model/name-text.ts";
import { nearestWords } from "../model/nearest.ts";
import { isOneModel } from "./usage.ts";
import { isScorerName, namedObject, NO_SCORER_NAME, scorerReferences } from "./values.ts";
import type { EvaluateOptions, EvaluationOptions, LoggedExample } from "./api.ts";

const identifier = plainText.min(1).regex(/^(?!\uFEFF)/, "must not begin with U+FEFF");
const named = z.union(
  [z.string(), z.looseObject({ name: z.string() })],
  "must be a name, or an object with a name",
);

const side = z.enum(["higher", "lower"]);

/** By dimension. A record of zod would refuse a name such as `constructor`. */
export const directions = z
  .object({})
  .catchall(side)
  .refine((value) => Object.keys(value).every(isScorerName), NO_SCORER_NAME);

const evaluation = {
  name: plainText.min(1),
  id: identifier.optional(),
  model: named,
  dataset: named.optional(),
  rowKey: z
    .union([z.string().min(1), functionOf()], "must be a field of the row, or a function of it")
    .optional(),
  attributes: z.record(z.string(), z.unknown()).optional(),
  directions: directions.optional(),
  resume: z.boolean().optional(),
  onWarning: functionOf<(message: string) => void>().optional(),
};

/** A larger delay would make a timer of Node end at once. */
const MAX_TIMER_MS = 2_147_483_647;

const scorer = z
  .custom(
    (value) => typeof value === "function" || isRecord(value),
    "must be a function, or an object with one as its member score",
  )
  .transform((value) => (typeof value === "function" ? { score: value } : value))
  .pipe(
    z.strictObject({
      score: functionOf(),
      better: z
        .union([side, directions], 'must be "higher", "lower", or an object of these by name')
        .optional(),
      version: z.string().optional(),
    }),
  );

const scorers = z
  .custom(
    (value) => Object.prototype.toString.call(value) === "[object Object]",
    "must be an object of functions",
  )
  .pipe(
    z
      .object({})
      .catchall(scorer)
      .refine((value) => Object.keys(value).every(isScorerName), NO_SCORER_NAME),
  );

const evaluateOptions = z.strictObject({
  ...evaluation,
  data: z.custom(
    (value) => typeof value === "function" || isIterable(value),
    "must be a list, an iterable, or a function that makes one",
  ),
  task: functionOf(),
  scorers,
  trials: z.union([z.int().min(1), functionOf()]).optional(),
  maxConcurrency: z.int().min(1).optional(),
  retries: z.int().min(0).max(10).optional(),
  timeoutMs: z.number().positive().max(MAX_TIMER_MS).optional(),
  failOnError: z.number().min(0).optional(),
  signal: z.custom((value) => value instanceof AbortSignal, "must be an AbortSignal").optional(),
  onProgress: functionOf().optional(),
});

const usage = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    const wrong = Object.entries(value).find(([, counts]) => counts != null && !isRecord(counts));
    const message = "must be counts of tokens by model, such as { total_tokens: 120 }";
    if (wrong !== undefined && !isOneModel(value))
      context.addIssue({ code: "custom", path: [wrong[0]], message });
  })
  .nullish();

const details = z.strictObject({
  usage,
  startedAt: z.date().optional(),
  reason: z.string().optional(),
});

/** The largest number that a caller may give a trial. */
const MAX_TRIAL = 999_999;

const trial = z.int().min(0).max(MAX_TRIAL).optional();

const example = z.strictObject({
  row: z.unknown().optional(),
  output: z.unknown().optional(),
  scores: z.record(z.string(), z.unknown()).optional(),
  usage,
  startedAt: z.date().optional(),
  endedAt: z.date().optional(),
  error: z.unknown().optional(),
  trial,
  reasons: z.record(z.string(), z.string()).optional(),
  answeredAt: z.date().optional(),
  calls: z.array(z.looseObject({ op_name: z.string() })).optional(),
  steps: z
    .custom((value) => typeof value === "object" && value !== null, "must be an object or a list")
    .optional(),
  stopReason: z.string().min(1).optional(),
});

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return (
    typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}

/** These throw `RequestError` on what is missing, unknown or of a wrong type. */
export function checkProjectArgument(value: unknown): void {
  checkArgument(value, projectId, ["project"]);
}

export function checkEvaluation(options: EvaluationOptions<never>): void {
  checkArgument(options, z.strictObject(evaluation));
}

/** `place` is where the options stand in what the caller gave. */
export function checkEvaluate<Row, Output>(
  options: EvaluateOptions<Row, Output>,
  place: InputPath = [],
): void {
  checkArgument(options, evaluateOptions, place);
  const { model, dataset } = options;
  namedObject("", "model", model as Json);
  if (dataset !== undefined) namedObject("", "dataset", dataset as Json);
  scorerReferences("", options.scorers);
}

/** The member of a module's evaluation that an unknown one was probably meant to be; null if none is near. */
export function misspeltMember(options: unknown): string | null {
  const known = Object.keys(evaluateOptions.shape);
  const names = typeof options === "object" && options !== null ? Object.keys(options) : [];
  for (const name of names.filter((one) => !known.includes(one))) {
    const [near] = nearestWords(name, known, 1);
    if (near !== undefined) return `${nameText(name)} is no member of an evaluation; did you mean ${near}?`;
  }
  return null;
}

export function checkDetails(value: unknown): void {
  if (value !== undefined) checkArgument(value, details, ["details"]);
}

export function checkTrialNumber(value: unknown): void {
  if (value !== undefined) checkArgument(value, z.strictObject({ trial }), ["options"]);
}

export function checkExample<Row, Output>(value: LoggedExample<Row, Output>): void {
  checkArgument(value, example, ["example"]);
}

export function checkFinish(value: unknown): void {
  const rule = z.strictObject({
    error: z.unknown().optional(),
    summary: z.record(z.string(), z.unknown()).optional(),
  });
  if (value !== undefined) checkArgument(value, rule, ["options"]);
}
