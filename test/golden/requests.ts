import type { EvalResultsRequest } from "../../src/index.ts";

const BOTH = { evaluation_call_ids: ["e", "f"] };
const field = ($getField: string) => ({ $getField });
const literal = ($literal: string | number | boolean | null) => ({ $literal });

/** Requests whose SQL is written down, by the name of the file. */
export const goldenRequests: Readonly<Record<string, EvalResultsRequest>> = {
  "default-order": { evaluation_call_ids: ["e"] },
  "page-of-intersection": { ...BOTH, require_intersection: true, limit: 50, offset: 100 },
  "sort-by-score": { ...BOTH, sort_by: [{ field: "scores.acc", direction: "desc" }], limit: 50 },
  "sort-by-difference": {
    ...BOTH,
    sort_by: [{ field: "scores.acc", mode: "difference", direction: "desc" }],
  },
  "sort-by-several": {
    ...BOTH,
    sort_by: [
      { field: "scores.mixed", evaluation_call_id: "f" },
      { field: "inputs.q", direction: "desc" },
      { field: "outputs.text" },
    ],
  },
  "moved-from-baseline": {
    ...BOTH,
    moved: { field: "scores.acc", baseline: "e", direction: "down" },
    filters: [{ query: { $expr: { $gt: [field("scores.acc"), literal(0.5)] } } }],
    limit: 50,
  },
  "missing-and-moved": {
    ...BOTH,
    moved: { field: "scores.acc" },
    missing: { field: "scores.acc" },
    filters: [{ query: { $expr: { $gt: [field("scores.acc"), literal(0.5)] } } }],
    limit: 50,
  },
  "search-and-missing": {
    ...BOTH,
    missing: { field: "scores.acc" },
    search: 'say "5.5"',
    limit: 50,
  },
  "search-numbers": { ...BOTH, search: "5.5", require_intersection: true },
  "filter-one-score": {
    ...BOTH,
    filters: [{ query: { $expr: { $gt: [field("scores.acc"), literal(0.5)] } } }],
  },
  "filter-texts": {
    ...BOTH,
    filters: [
      {
        query: {
          $expr: {
            $and: [
              { $contains: { input: field("inputs.q"), substr: literal("It's"), case_insensitive: true } },
              { $in: [field("row_digest"), [literal("a"), literal("b")]] },
              { $contains: { input: field("output.output.text"), substr: literal('their "maze"') } },
              { $not: { $eq: [field("output.output.text"), literal(null)] } },
            ],
          },
        },
      },
    ],
  },
  "filter-patterns": {
    ...BOTH,
    filters: [
      {
        query: {
          $expr: {
            $or: [
              { $regex: { input: field("scores.text"), pattern: { $literal: "^[0-9]+$" } } },
              { $regex: { input: field("inputs.q"), pattern: { $literal: "It's" }, case_insensitive: true } },
            ],
          },
        },
      },
    ],
  },
  "filter-casts": {
    ...BOTH,
    filters: [
      {
        evaluation_call_id: "e",
        query: {
          $expr: {
            $or: [
              { $eq: [{ $convert: { input: field("scores.text"), to: "int" } }, literal(3)] },
              { $eq: [{ $convert: { input: field("scores.acc"), to: "exists" } }, literal(false)] },
            ],
          },
        },
      },
    ],
  },
  "filter-quantifiers": {
    ...BOTH,
    filter_logic_operator: "or",
    filters: [
      {
        evaluation_call_id: "e",
        quantifier: "all",
        query: { $expr: { $eq: [field("scores.ok"), literal(true)] } },
      },
      {
        evaluation_call_id: "f",
        quantifier: "first",
        query: { $expr: { $lt: [field("scores.acc"), field("scores.mixed")] } },
      },
      { quantifier: "mean", query: { $expr: { $gte: [field("scores.acc"), literal(0.75)] } } },
    ],
  },
  "filter-inside-list": {
    ...BOTH,
    filters: [{ query: { $expr: { $eq: [field("scores.list.0"), literal("x")] } } }],
  },
  "derived-scores": {
    ...BOTH,
    include_summary: true,
    derived_scores: { total: "0.7 * acc + 0.3 * ok", sure: "ok ? acc > 0.5 : mixed == 1" },
    filters: [{ query: { $expr: { $gt: [field("scores.total"), literal(0.1)] } } }],
    sort_by: [{ field: "scores.total", direction: "desc" }],
  },
  "summary-of-everything": { ...BOTH, include_rows: false, include_summary: true },
  "summary-of-filtered": {
    ...BOTH,
    include_rows: false,
    include_summary: true,
    summary_require_intersection: true,
    filters: [{ query: { $expr: { $lte: [field("scores.acc"), literal(0.5)] } } }],
  },
  "without-children": {
    ...BOTH,
    include_predict_and_score_children: false,
    include_summary: true,
    sort_by: [{ field: "scores.late.ok" }],
    limit: 10,
  },
};
