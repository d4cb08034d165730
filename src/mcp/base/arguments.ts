import { z } from "zod";
import { LIMITS } from "../../duckdb/sql/cost/limits.ts";
import { membersUpTo } from "../../model/arguments.ts";
import { isJsonObject } from "../../model/json.ts";
import { compareRequestWire, MOST_CANDIDATES } from "../../request/compare-request.ts";
import { MOST_FIELD_CHARACTERS } from "../../model/field-path.ts";
import { historyRequestWire } from "../../request/history-request.ts";
import { itemsRequestWire } from "../../request/items-request.ts";
import { stepsRequestWire } from "../../request/steps-request.ts";
import { planRequestWire } from "../../request/plan-request.ts";
import { leaderboardRequestWire } from "../../request/leaderboard-request.ts";
import { MOST_FILTER_CHARACTERS } from "../../request/parse-filter.ts";
import { MOST_VALUE_CHARACTERS, MOST_VALUES, scalar } from "../../request/where.ts";
import { evalResultsRequest, moved } from "../../request/wire.ts";

/** The schema of a member of a request without null, which stands for leaving it out. */
function member<T>(schema: z.ZodType<T>): z.ZodOptional<z.ZodType<NonNullable<T>>> {
  let bare: z.ZodType = schema;
  while (bare instanceof z.ZodOptional || bare instanceof z.ZodNullable) bare = bare.unwrap() as z.ZodType;
  return (bare as z.ZodType<NonNullable<T>>).optional();
}

const query = evalResultsRequest.shape;
const comparison = compareRequestWire.shape;
const board = leaderboardRequestWire.shape;
/** The name of an evaluation or project. */
const nameText = z.string().max(1000);
const MOST_EVALUATIONS = 1000;
const MOST_TEXTS = 100;
/** A field, and behind it `:difference`. */
const MOST_SORT_CHARACTERS = MOST_FIELD_CHARACTERS + 11;

/** A text, or an object that the engine checks and no schema describes. */
const condition = z
  .custom<string | object>((value) => typeof value === "string" || isJsonObject(value), "expected a text")
  .meta({ type: "string", maxLength: MOST_FILTER_CHARACTERS });

const SCALARS = ["string", "number", "boolean", "null"];
const text = { type: "string", maxLength: MOST_FIELD_CHARACTERS };
/** A name of a field, or several of them. */
const textOrTexts = {
  type: ["string", "array"],
  anyOf: undefined,
  maxLength: MOST_FIELD_CHARACTERS,
  maxItems: 5,
  items: text,
};
const parameter = { type: SCALARS, maxLength: MOST_VALUE_CHARACTERS };

/** Arguments by name, each with an example; most are members of requests. `adjust` is that of comparisons. */
export const ARGUMENTS = {
  project: nameText.optional().describe("if several").meta({ example: "acme/qa" }),
  cursor: z.string().max(100).optional(),
  // Who gives another number is told these: in the list of tools each character is paid for.
  max_bytes: z
    .int()
    .min(1000)
    .max(1_000_000)
    .optional()
    .meta({ example: 8192, minimum: undefined, maximum: undefined }),
  evaluations: z
    .array(nameText)
    .min(1)
    .max(MOST_EVALUATIONS)
    .describe("id, name, latest, latest~1 or model:NAME")
    .meta({ example: ["latest"] }),
  baseline: nameText.meta({ example: "latest~1" }),
  candidates: z
    .array(nameText)
    .min(1)
    .max(MOST_CANDIDATES)
    .meta({ example: ["latest"] }),
  name: nameText.optional().describe("default: of the latest").meta({ example: "support" }),
  search: member(query.search).meta({ example: "refund" }),
  scorers: member(comparison.scorers).meta({ example: ["judge.score"] }),
  scorer: member(itemsRequestWire.shape.scorer).meta({ example: "correct" }),
  detect: planRequestWire.shape.detect.describe("in the unit of the score").meta({ example: 0.05 }),
  evaluation: nameText.optional().meta({ example: "latest" }),
  rate: member(planRequestWire.shape.rate).meta({ example: 0.7 }),
  trials: member(planRequestWire.shape.trials).meta({ example: [1, 2, 4] }),
  power: member(planRequestWire.shape.power).meta({ example: 0.8 }),
  candidate_count: member(planRequestWire.shape.candidates).meta({ example: 3 }),
  view: member(stepsRequestWire.shape.view).describe("default: tools").meta({ example: "tools" }),
  trial_ids: z
    .array(nameText)
    .min(1)
    .max(3)
    .optional()
    .describe("trial: 1; diff: 2 or 3")
    .meta({ example: ["t1"] }),
  success: member(stepsRequestWire.shape.success).describe("says which passed").meta({ example: "correct" }),
  against: nameText.optional().describe("diff: whose passing trials").meta({ example: "latest" }),
  lower_is_better: member(comparison.lower_is_better).meta({ example: ["latency"] }),
  confidence: member(comparison.confidence).meta({ example: 0.95 }),
  margin: member(comparison.margin).describe("a difference that is none").meta({ example: 0.02 }),
  cluster_by: member(comparison.cluster_by).meta({ example: "inputs.document" }),
  count_errors_as: z.number().optional().meta({ example: 0 }),
  count_nulls_as: z.number().optional().meta({ example: 0 }),
  edited_rows: member(comparison.edited_rows).describe("of one key").meta({ example: "leave_out" }),
  adjust: member(comparison.adjust).meta({ example: "holm" }),
  board_adjust: member(board.adjust).meta({ example: "ranges" }),
  by: member(board.by).meta({ example: "model", ...textOrTexts }),
  slice_by: member(comparison.by).meta({
    example: "inputs.topic",
    ...textOrTexts,
    type: ["string", "array", "object"],
    properties: { usage: text, bins: { type: "integer" }, of: text },
    additionalProperties: false,
  }),
  where: member(board.where).meta({
    example: { "attributes.branch": "main" },
    additionalProperties: {
      type: [...SCALARS, "array"],
      maxLength: MOST_VALUE_CHARACTERS,
      maxItems: MOST_VALUES,
      items: { type: SCALARS, maxLength: MOST_VALUE_CHARACTERS },
    },
  }),
  costs: member(board.costs).meta({ example: true }),
  filters: z
    .array(condition)
    .max(MOST_TEXTS)
    .optional()
    .describe("FIELD = != < <= > >= contains in VALUE")
    .meta({ example: ["scores.correct = false"] }),
  sort_by: z
    .array(z.string().max(MOST_SORT_CHARACTERS))
    .max(MOST_TEXTS)
    .optional()
    .describe("FIELD:asc, desc or difference")
    .meta({ example: ["scores.judge:desc"] }),
  require_intersection: member(query.require_intersection)
    .describe("rows that all tried")
    .meta({ example: true }),
  pass_k: member(query.pass_k).meta({ example: [1, 4] }),
  include_usage: member(query.include_usage).meta({ example: true }),
  moved: moved
    .extend({ baseline: nameText.nullish() })
    .optional()
    .meta({
      example: { field: "scores.correct", baseline: "latest~1", direction: "down" },
    }),
  missing: member(query.missing).meta({ example: { field: "scores.correct" } }),
  include_outputs: z.boolean().optional().meta({ example: true }),
  limit: z.int().min(1).max(1000).optional().meta({ example: 20 }),
  history_limit: member(historyRequestWire.shape.limit).describe("runs; default 20").meta({ example: 20 }),
  row: z.string().min(6).max(1000).describe("row_digest or its beginning").meta({ example: "0a1b2c3d4e5f" }),
  statement: z.string().max(LIMITS.characters).meta({ example: "select count(*) from trials" }),
  parameters: z
    .union([
      z.array(scalar).max(MOST_TEXTS),
      membersUpTo(MOST_TEXTS, z.record(z.string().max(MOST_TEXTS), scalar)),
    ])
    .optional()
    .describe("values of ? or $name")
    .meta({
      example: [1],
      type: ["array", "object"],
      anyOf: undefined,
      maxItems: MOST_TEXTS,
      items: parameter,
      maxProperties: MOST_TEXTS,
      propertyNames: { maxLength: MOST_TEXTS },
      additionalProperties: parameter,
    }),
} as const;

/** Some of the arguments, as the schema of a tool has them. */
export function argumentsOf<Name extends keyof typeof ARGUMENTS>(...names: readonly Name[]) {
  const own = names.map((name) => [name, ARGUMENTS[name]]);
  return Object.fromEntries(own) as Pick<typeof ARGUMENTS, Name>;
}

/** An example of an argument, for those who gave something else. */
export function exampleOf(name: string): unknown {
  return Object.entries(ARGUMENTS)
    .find(([own]) => own === name)?.[1]
    .meta()?.["example"];
}
