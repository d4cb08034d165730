import { z } from "zod";
import { fieldName, scoreName, textList } from "../model/arguments.ts";
import type { InputField, RowField } from "../model/field-path.ts";
import { MOST_STEP_SCORES } from "../model/steps.ts";
import { stepNames } from "./named-places.ts";
import { sliceWire } from "./slice-by.ts";
import { operationSchemas, type Operator, type Wire } from "./operators.ts";

/** The wire format of an evaluation-results request; the OpenAPI schema is generated from it. */

const literalValue = z.union([z.string(), z.number(), z.bigint(), z.boolean(), z.null()]);

/** An operand of a comparison: a constant, a field, a cast or an operation. */
export type WireOperand =
  | { $literal: string | number | bigint | boolean | null }
  | { $getField: string }
  | { $convert: { input: WireOperand; to: "double" | "int" | "string" | "bool" | "exists" } }
  | { [Name in Operator]: { [Only in Name]: Wire<WireOperand>[Only] } }[Operator];

// These are made when the first request is checked: as much work as all other schemas together.
const operand: z.ZodType<WireOperand> = z.lazy(operandUnion).meta({ id: "Operand" });
const operation = z.lazy(() => oneMember(operationSchemas(operand))).meta({ id: "Operation" });

function operandUnion() {
  const to = z.enum(["double", "int", "string", "bool", "exists"]);
  return oneMember<WireOperand>({
    $literal: z.strictObject({ $literal: literalValue }),
    $getField: z.strictObject({ $getField: fieldName }),
    $convert: z.strictObject({ $convert: z.strictObject({ input: operand, to }) }),
    ...operationSchemas(operand),
  });
}

/**
 * The union of objects with one member, by its name. A union alone tries each of them: 3,000 operands take a third of a
 * second.
 */
function oneMember<T>(alternatives: Readonly<Record<string, z.ZodType<T>>>): z.ZodType<T> {
  const union = z.union(Object.values(alternatives));
  const { _zod: checking } = union;
  checking.run = (payload, context) => {
    const { value } = payload;
    const members = typeof value === "object" && value !== null ? Object.keys(value) : [];
    const [name = "", ...others] = members.filter((one) => Object.hasOwn(alternatives, one));
    const meant = others.length === 0 ? alternatives[name] : undefined;
    if (meant !== undefined) {
      const { _zod: checkingMeant } = meant;
      return checkingMeant.run(payload, context);
    }
    payload.issues.push({ code: "invalid_union", errors: [], input: value, inst: union });
    return payload;
  };
  return union;
}

// Which fields there are is checked with words of its own; the types alone say it too.
const rowField = fieldName as z.ZodType<string> as z.ZodType<RowField, RowField>;
export const inputField = fieldName as z.ZodType<string> as z.ZodType<InputField, InputField>;

const sortKey = z.strictObject({
  field: rowField,
  direction: z.enum(["asc", "desc"]).nullish(),
  evaluation_call_id: z.string().nullish(),
  mode: z.enum(["value", "difference"]).optional(),
});

export const moved = z.strictObject({
  field: fieldName,
  baseline: z.string().nullish(),
  direction: z.enum(["any", "up", "down"]).nullish(),
});

const missing = z.strictObject({ field: fieldName });

const filter = z.strictObject({
  query: z.strictObject({ $expr: operation }),
  evaluation_call_id: z.string().nullish(),
  quantifier: z.enum(["any", "all", "first", "mean"]).nullish(),
});

/** Upper bounds of `pass_k`: of each value, and of the number of values. */
const MAX_PASS_K = 1000;
const MAX_PASS_K_COUNT = 50;

const MAX_HISTOGRAM_BINS = 200;

/** The statement nests them, and DuckDB nests no more than 1,000 levels deep. */
const MAX_SORT_KEYS = 100;

/** The longest text to search for, in UTF-16 code units. */
const MAX_SEARCH = 1000;

/** Members that the interface specification does not call nullable refuse null; extensions allow it. */
const strictFlag = z.boolean().optional();
const flag = z.boolean().nullish();
const count = z.int().nonnegative();

const amount = z.number().min(0);

/** Schema of a price list. */
export const priceList = z.record(z.string(), z.strictObject({ input: amount, output: amount }));

/** What a model costs: money per million tokens, in any currency, the same throughout a list. */
export interface Price {
  /** Price of a million input tokens. */
  readonly input: number;
  /** Price of a million output tokens. */
  readonly output: number;
}

/** Prices by model, under the names that calls have in `summary.usage`. */
export interface PriceList {
  readonly [model: string]: Price;
}

const MAX_DERIVED_SCORES = 50;
const MAX_EXPRESSION_CHARACTERS = 10_000;

const MAX_RATERS = 100;

const consensus = z.strictObject({
  consensus: z.strictObject({
    of: z.array(scoreName).min(2).max(MAX_RATERS),
    method: z.enum(["majority", "mean", "dawid-skene"]),
  }),
});

const derivedScore = z.union([z.string(), consensus]);
export type DerivedScoreWire = z.output<typeof derivedScore>;

export const derivedScores = z
  .record(z.string().min(1).max(200), derivedScore)
  .refine((scores) => Object.keys(scores).length <= MAX_DERIVED_SCORES, {
    message: `at most ${MAX_DERIVED_SCORES} derived scores`,
  })
  .refine((scores) => expressionCharacters(scores) <= MAX_EXPRESSION_CHARACTERS, {
    message: `at most ${MAX_EXPRESSION_CHARACTERS} characters of expressions`,
  })
  .meta({
    examples: [
      { total: "0.7 * judge.score + 0.3 * correct" },
      { gold: { consensus: { of: ["ann.ok", "bob.ok", "cy.ok"], method: "majority" } } },
    ],
  });

function expressionCharacters(scores: Readonly<Record<string, DerivedScoreWire>>): number {
  const texts = Object.values(scores).filter((one) => typeof one === "string");
  return texts.join("").length;
}

const countAs = z
  .union([z.number(), z.record(scoreName, z.number())])
  .meta({ examples: [0, { correct: 0, "judge.score": 1 }] });

export const evalResultsRequest = z
  .strictObject({
    evaluation_call_ids: textList.nullish(),
    evaluation_run_ids: textList.nullish(),
    require_intersection: strictFlag,
    include_raw_data_rows: strictFlag,
    resolve_row_refs: strictFlag,
    include_rows: strictFlag,
    include_outputs: z
      .union([z.boolean(), z.literal("line")])
      .nullish()
      .describe(
        'Extension: false leaves the model_output of every trial null, for pages that show none; "line" makes it a text of one line.',
      ),
    long_values: z
      .enum(["whole", "start", "head"])
      .nullish()
      .describe(
        'Extension: "start" cuts model outputs and raw rows of more than 64 KiB of JSON to their first 64 KiB, "head" those of more than 4 KiB to 200 characters; `output_bytes` and `row_bytes` then tell the size of the whole.',
      ),
    include_summary: strictFlag,
    summary_require_intersection: flag,
    include_predict_and_score_children: strictFlag,
    include_feedback: flag.describe(
      "Extension: feedback with a number or boolean on a trial's call counts as its score `feedback.<type>`.",
    ),
    feedback_by: z
      .enum(["majority", "mean", "latest"])
      .nullish()
      .describe(
        "Extension: what several people's booleans on one trial count as: the majority (default; none when tied), the share of true, or the latest.",
      ),
    include_trial_errors: flag.describe(
      "Extension: each trial gains `error`, the exception of its call or its predict call, or null.",
    ),
    include_details: flag.describe(
      "Extension: each trial gains `details`, what its output tells beside answer and scores, or null.",
    ),
    include_costs: strictFlag.describe(
      "Each trial has its `total_cost`, each evaluation of the summary their sum; null where there is none.",
    ),
    prices: priceList
      .nullish()
      .describe(
        "Extension: money per million tokens, by model, for calls that state no cost; costs are then included.",
      ),
    derived_scores: derivedScores
      .nullish()
      .describe(
        "Extension: score dimensions by name, expressions over others in the syntax of mathjs or a consensus.",
      ),
    step_scores: stepNames.describe(
      `Extension: up to ${MOST_STEP_SCORES} numbers of steps, as steps.count, that stand among the scores of trials.`,
    ),
    count_errors_as: countAs
      .nullish()
      .describe(
        "Extension: what a trial in error without a value counts as in the summary: a number for all score dimensions, or one for each of some.",
      ),
    count_nulls_as: countAs
      .nullish()
      .describe(
        "Extension: what a trial counts as that has null in a dimension and is not in error; as count_errors_as.",
      ),
    include_uncertainty: flag.describe(
      "Extension: each scorer stat of the summary gains its error over rows, its distribution and the outcomes of trials.",
    ),
    cluster_by: inputField
      .nullish()
      .describe(
        "Extension: a field of the row, inputs.<path>; errors and intervals of include_uncertainty are over clusters of rows with one value.",
      ),
    by: sliceWire.by.describe(
      "Extension: one or two fields, inputs.<path> or attributes.<path>, whose values are slices of the summary.",
    ),
    max_slices: sliceWire.max_slices.describe("Extension: the number of slices, those with most rows; 20."),
    pass_k: z
      .union([z.literal("auto"), z.array(z.int().min(1).max(MAX_PASS_K)).max(MAX_PASS_K_COUNT)])
      .nullish()
      .describe(
        'Extension: the k of pass@k and pass^k, added to score dimensions that pass or fail; "auto": some up to the trials of nine in ten rows.',
      ),
    histogram_bins: z
      .int()
      .min(1)
      .max(MAX_HISTOGRAM_BINS)
      .nullish()
      .describe(
        "Extension: the number of bins of the histograms of row values, added to score dimensions with a number.",
      ),
    include_usage: flag.describe(
      "Extension: each evaluation of the summary gains the latency and the tokens of its rows, with intervals.",
    ),
    difficulty_from: textList
      .nullish()
      .describe(
        "Extension: the evaluations whose means make row.difficulty; default: all finished but those asked for.",
      ),
    success: scoreName
      .nullish()
      .describe(
        "Extension: the score of true and false, or 0 and 1, that says which trials passed; default: the first.",
      ),
    include_stop_reasons: flag.describe(
      "Extension: each evaluation of the summary gains the reasons for which its trials stopped.",
    ),
    include_row_counts: flag.describe(
      "Extension: each evaluation of the summary gains the number of rows that it tried.",
    ),
    include_errors: flag.describe(
      "Extension: each evaluation of the summary gains its errors, grouped by their texts without ids and numbers.",
    ),
    sort_by: z.array(sortKey).max(MAX_SORT_KEYS).nullish(),
    moved: moved
      .nullish()
      .describe(
        "Extension: keeps the rows on which the mean of one evaluation differs from that of another.",
      ),
    missing: missing
      .nullish()
      .describe("Extension: keeps the rows on which an evaluation has no value, run or not."),
    search: z
      .string()
      .min(1)
      .max(MAX_SEARCH)
      .nullish()
      .describe(
        "Extension: keeps the rows whose input or model outputs hold this text in a text, number or boolean, letter case ignored.",
      ),
    filters: z.array(filter).nullish(),
    filter_logic_operator: z.enum(["and", "or"]).nullish(),
    limit: count.nullish(),
    offset: count.optional(),
  })
  .meta({ id: "EvalResultsRequest" });
