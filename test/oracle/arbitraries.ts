import * as fc from "fast-check";

import type { OracleEvent } from "./calls.ts";
import { events, PROJECTS } from "./projects.ts";
import type { EvalRequest, Filter, Literal, Operand, Operation, Pair, SortKey } from "./request.ts";
import { KEYS, NUMBERS, NUMBER_TEXTS, TEXTS } from "./values.ts";

export { events } from "./projects.ts";

const evaluationId = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom("e1", "e2", "e1", "e2", "e3") },
  { weight: 1, arbitrary: fc.constant("missing-evaluation") },
);
const namedEvaluation = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: evaluationId },
);
const flag = fc.constantFrom(true, false, null);

function left<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(arbitrary, { nil: null, freq: 2 });
}

const key = fc.constantFrom(...KEYS.filter((name) => name !== "")).map((name) => name.replaceAll(".", "\\."));

// The usual names lead to a value nearly always.
function fieldOf<Prefix extends string>(
  prefix: Prefix,
  usual: readonly [string, string],
): fc.Arbitrary<`${Prefix}.${string}`> {
  const path = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...usual).map((name) => [name]) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...usual), fc.constantFrom("a", "b", "0", "1")) },
    { weight: 1, arbitrary: fc.tuple(key) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...usual), key) },
  );
  return path.map((segments) => `${prefix}.${segments.join(".")}` as const);
}

const scoreField = fieldOf("scores", ["acc", "judge"]);
const sortField = fc.oneof(
  { weight: 3, arbitrary: scoreField },
  { weight: 2, arbitrary: fieldOf("inputs", ["a", "b"]) },
  { weight: 2, arbitrary: fieldOf("outputs", ["a", "b"]) },
  { weight: 1, arbitrary: fieldOf("output", ["a", "b"]) },
  { weight: 1, arbitrary: fieldOf("output.output", ["a", "b"]) },
  { weight: 1, arbitrary: fieldOf("output.model_output", ["a", "b"]) },
  { weight: 1, arbitrary: fieldOf("output.scores", ["acc", "judge"]) },
);

const movedField = fc.oneof(
  { weight: 4, arbitrary: scoreField },
  { weight: 1, arbitrary: fieldOf("outputs", ["a", "b"]) },
  { weight: 1, arbitrary: fieldOf("output.scores", ["acc", "judge"]) },
);

const literal: fc.Arbitrary<Literal> = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...NUMBERS, 2 ** 53) },
    { weight: 2, arbitrary: fc.constantFrom(...TEXTS, ...NUMBER_TEXTS) },
    { weight: 2, arbitrary: fc.boolean() },
    { weight: 1, arbitrary: fc.constant(null) },
  )
  .map(($literal) => ({ $literal }));

const getField: fc.Arbitrary<Operand> = fc
  .oneof({ weight: 9, arbitrary: sortField }, { weight: 1, arbitrary: fc.constant("row_digest") })
  .map(($getField) => ({ $getField }));

const leaf: fc.Arbitrary<Operand> = fc.oneof(
  { weight: 1, arbitrary: literal },
  { weight: 2, arbitrary: getField },
);

function operand(depth: number): fc.Arbitrary<Operand> {
  if (depth === 0) return leaf;
  const converted = fc
    .record({
      input: operand(depth - 1),
      to: fc.constantFrom("double" as const, "int", "string", "bool", "exists"),
    })
    .map(($convert) => ({ $convert }));
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: converted },
    { weight: 2, arbitrary: operation(depth - 1) },
  );
}

// Mostly a field against a literal, so that comparisons are often decided.
function pair(depth: number): fc.Arbitrary<Pair> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(getField, literal) },
    { weight: 1, arbitrary: fc.tuple(literal, getField) },
    { weight: 2, arbitrary: fc.tuple(operand(depth), operand(depth)) },
  );
}

// Patterns that mean the same in JavaScript, put together from small ones.
const simplePattern = fc.constantFrom(
  "",
  "a",
  "A",
  "^a",
  "b$",
  "^$",
  "1",
  "0\\.5",
  "[0-9]+",
  "\\d",
  "[^a]",
  "^[^0]",
  "true",
  "o{2}",
  "[a-c]{1,2}d?",
  "é",
  "É",
  "\\p{L}",
  "\\p{Lu}",
  "\u{1F600}",
  "\\{",
  '"',
  "(?:a|go)b?",
  "e\\+",
  "^[+-]?[0-9]*$",
);
const pattern = fc
  .oneof(
    { weight: 3, arbitrary: simplePattern },
    { weight: 1, arbitrary: fc.tuple(simplePattern, simplePattern).map(([a, b]) => `(?:${a})|(?:${b})`) },
    { weight: 1, arbitrary: fc.tuple(simplePattern, simplePattern).map(([a, b]) => `(?:${a})(?:${b})*`) },
  )
  .map(($literal) => ({ $literal }));

export function operation(depth: number): fc.Arbitrary<Operation> {
  const any = operand(depth);
  const list = fc.array(any, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    list.map(($and) => ({ $and })),
    list.map(($or) => ({ $or })),
    any.map(($not) => ({ $not })),
    any.map((only) => ({ $not: [only] as const })),
    pair(depth).map(($eq) => ({ $eq })),
    pair(depth).map(($gt) => ({ $gt })),
    pair(depth).map(($gte) => ({ $gte })),
    pair(depth).map(($lt) => ({ $lt })),
    pair(depth).map(($lte) => ({ $lte })),
    fc.tuple(any, fc.array(any, { maxLength: 3 })).map(($in) => ({ $in })),
    fc.record({ input: any, substr: any, case_insensitive: flag }).map(($contains) => ({ $contains })),
    fc.record({ input: any, pattern, case_insensitive: flag }).map(($regex) => ({ $regex })),
  );
}

// Truth is rare among random operations; alternatives make it common enough.
const expression: fc.Arbitrary<Operation> = fc.oneof(
  operation(3),
  fc.tuple(scoreField, literal).map(([$getField, low]) => ({ $gte: [{ $getField }, low] as const })),
  fc.array(operation(2), { minLength: 3, maxLength: 4, size: "max" }).map(($or) => ({ $or })),
  pair(0).map(($lte) => ({ $or: [{ $lte }, { $gt: $lte }] })),
);

const filter: fc.Arbitrary<Filter> = fc.record(
  {
    query: expression.map(($expr) => ({ $expr })),
    evaluation_call_id: namedEvaluation,
    quantifier: fc.constantFrom("any", "any", "all", "first", "mean", null),
  },
  { requiredKeys: ["query"] },
);

const moved = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record(
      { field: movedField, direction: fc.constantFrom("any" as const, null) },
      { requiredKeys: ["field"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      field: movedField,
      baseline: evaluationId,
      direction: fc.constantFrom("any" as const, "up", "down", null),
    }),
  },
);

const searched = fc.constantFrom(
  ...[...TEXTS, ...NUMBER_TEXTS].filter((text) => text !== ""),
  ...'O 1 - e 0. +21 l n u " \\ : , École'.split(" "),
);

const direction = fc.constantFrom("asc" as const, "desc", null);

const sortKey: fc.Arbitrary<SortKey> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record(
      {
        field: sortField,
        direction,
        evaluation_call_id: namedEvaluation,
        mode: fc.constant("value" as const),
      },
      { requiredKeys: ["field"] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        field: scoreField,
        direction,
        evaluation_call_id: namedEvaluation,
        mode: fc.constant("difference" as const),
      },
      { requiredKeys: ["field", "mode"] },
    ),
  },
);

const someEvaluations = fc.oneof(
  { weight: 3, arbitrary: fc.constant(["e2", "e1"]) },
  { weight: 2, arbitrary: fc.array(evaluationId, { minLength: 1, maxLength: 4 }) },
);

export const request: fc.Arbitrary<EvalRequest> = fc.record(
  {
    evaluation_call_ids: someEvaluations,
    evaluation_run_ids: left(fc.array(evaluationId, { maxLength: 1 })),
    require_intersection: fc.constantFrom(true, false, false),
    include_raw_data_rows: fc.constantFrom(true, true, true, false),
    resolve_row_refs: fc.constantFrom(true, true, false),
    include_rows: fc.constantFrom(true, true, true, true, true, true, true, false),
    include_summary: fc.boolean(),
    summary_require_intersection: flag,
    include_predict_and_score_children: fc.constantFrom(true, false),
    include_trial_errors: flag,
    include_outputs: fc.constantFrom(true, null, false),
    include_usage: flag,
    include_row_counts: flag,
    histogram_bins: fc.constantFrom(null, null, 1, 2, 7, 200),
    sort_by: left(fc.array(sortKey, { minLength: 1, maxLength: 3 })),
    moved: fc.option(moved, { nil: null, freq: 1 }),
    missing: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.record({ field: movedField }) },
    ),
    search: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: searched }),
    filters: left(fc.array(filter, { minLength: 1, maxLength: 2 })),
    filter_logic_operator: fc.constantFrom("and", "or", null),
    limit: fc.constantFrom(null, null, null, null, null, 0, 1, 2, 5),
    offset: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 50),
  },
  { requiredKeys: ["evaluation_call_ids"] },
);

export type Scenario = {
  readonly events: readonly OracleEvent[];
  readonly projectId: string;
  readonly requests: readonly EvalRequest[];
};

// One project answers many requests, since loading is the costly part.
export function scenario(requests: number): fc.Arbitrary<Scenario> {
  return fc.record({
    events,
    projectId: fc.oneof(
      { weight: 18, arbitrary: fc.constant("acme/qa") },
      { weight: 2, arbitrary: fc.constantFrom(...PROJECTS.slice(1), "acme/empty") },
    ),
    requests: fc.array(request, { minLength: requests, maxLength: requests }),
  });
}
