import { z } from "zod";

/** The request of an evaluation-results query as it travels; also the source of the OpenAPI schema. */

const literalValue = z.union([z.string(), z.number(), z.bigint(), z.boolean(), z.null()]);

/** What may stand in a comparison: a constant, a field, a cast or an operation. */
export type WireOperand =
  | { $literal: string | number | bigint | boolean | null }
  | { $getField: string }
  | { $convert: { input: WireOperand; to: "double" | "int" | "string" | "bool" | "exists" } }
  | WireOperation;

export type WireOperation =
  | { $and: WireOperand[] }
  | { $or: WireOperand[] }
  | { $not: WireOperand | [WireOperand] }
  | { $eq: [WireOperand, WireOperand] }
  | { $gt: [WireOperand, WireOperand] }
  | { $gte: [WireOperand, WireOperand] }
  | { $lt: [WireOperand, WireOperand] }
  | { $lte: [WireOperand, WireOperand] }
  | { $in: [WireOperand, WireOperand[]] }
  | { $contains: { input: WireOperand; substr: WireOperand; case_insensitive?: boolean | null | undefined } };

const operand: z.ZodType<WireOperand> = z.lazy(() => operandUnion).meta({ id: "Operand" });
const pair = z.tuple([operand, operand]);

const operations = [
  z.strictObject({ $and: z.array(operand) }),
  z.strictObject({ $or: z.array(operand) }),
  z.strictObject({ $not: z.union([z.tuple([operand]), operand]) }),
  z.strictObject({ $eq: pair }),
  z.strictObject({ $gt: pair }),
  z.strictObject({ $gte: pair }),
  z.strictObject({ $lt: pair }),
  z.strictObject({ $lte: pair }),
  z.strictObject({ $in: z.tuple([operand, z.array(operand)]) }),
  z.strictObject({
    $contains: z.strictObject({ input: operand, substr: operand, case_insensitive: z.boolean().nullish() }),
  }),
] as const;

const operation: z.ZodType<WireOperation> = z.lazy(() => z.union(operations)).meta({ id: "Operation" });

const operandUnion = z.union([
  z.strictObject({ $literal: literalValue }),
  z.strictObject({ $getField: z.string() }),
  z.strictObject({
    $convert: z.strictObject({ input: operand, to: z.enum(["double", "int", "string", "bool", "exists"]) }),
  }),
  ...operations,
]);

const sortKey = z.strictObject({
  field: z.string(),
  direction: z.enum(["asc", "desc"]).nullish(),
  evaluation_call_id: z.string().nullish(),
  mode: z.enum(["value", "difference"]).nullish(),
});

const filter = z.strictObject({
  query: z.strictObject({ $expr: operation }),
  evaluation_call_id: z.string().nullish(),
  quantifier: z.enum(["any", "all", "first", "mean"]).nullish(),
});

const flag = z.boolean().nullish();
const count = z.int().nonnegative().nullish();

export const evalResultsRequest = z
  .strictObject({
    evaluation_call_ids: z.array(z.string()).nullish(),
    evaluation_run_ids: z.array(z.string()).nullish(),
    require_intersection: flag,
    include_raw_data_rows: flag,
    resolve_row_refs: flag,
    include_rows: flag,
    include_summary: flag,
    summary_require_intersection: flag,
    include_predict_and_score_children: flag,
    sort_by: z.array(sortKey).nullish(),
    filters: z.array(filter).nullish(),
    filter_logic_operator: z.enum(["and", "or"]).nullish(),
    limit: count,
    offset: count,
  })
  .meta({ id: "EvalResultsRequest" });

/** An evaluation-results request. Every member is optional; null means left out. */
export type EvalResultsRequest = DeepReadonly<z.input<typeof evalResultsRequest>>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
