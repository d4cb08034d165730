import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

/** Scores with many ties, rows without one, and outputs of which some are numbers, some texts, some neither. */
const ROWS = Array.from({ length: 40 }, (_, i) => i);
const OUTPUTS = [3, "b", null, 1, "a", { deep: 1 }, 3, true];

const trials = ROWS.flatMap((i) =>
  ["e", "f"].flatMap((evaluation, k) => {
    if ((i + k) % 7 === 0) return [];
    const scores = i % 5 === 0 ? {} : { tied: (i + k) % 3 === 0, real: ((i * 37 + k) % 40) / 3, none: null };
    return [
      trial(`${evaluation}${i}`, { i }, scores, {
        parent_id: evaluation,
        output: { output: { answer: OUTPUTS[(i * 3 + k) % OUTPUTS.length] }, scores },
      }),
    ];
  }),
);

const ORDERS: Readonly<Record<string, EvalResultsRequest["sort_by"]>> = {
  "by digest": [],
  "by a score with ties": [{ field: "scores.tied", direction: "desc" }],
  "by a score, the least first": [{ field: "scores.real" }],
  "by difference": [{ field: "scores.real", direction: "desc", mode: "difference" }],
  "by output": [{ field: "outputs.answer", direction: "desc" }],
  "by input": [{ field: "inputs.i", direction: "desc" }],
  "by what no row has": [{ field: "scores.none", direction: "desc" }],
  "by several": [
    { field: "scores.tied" },
    { field: "outputs.answer" },
    { field: "scores.real", direction: "desc" },
  ],
};

describe("a page", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ threads: 2, keepAnswers: false });
    await engine.ingestCalls([root("e"), root("f"), ...trials]);
    return () => engine.close();
  });

  const digests = async (request: Omit<EvalResultsRequest, "evaluation_call_ids">): Promise<string[]> => {
    const { rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["e", "f"],
      include_summary: false,
      ...request,
    });
    return rows.map((row) => row.row_digest);
  };

  const kept: EvalResultsRequest["filters"] = [
    { query: { $expr: { $gt: [{ $getField: "scores.real" }, { $literal: 5 }] } } },
  ];
  const selections: readonly [string, Omit<EvalResultsRequest, "evaluation_call_ids">][] = [
    ["all rows", {}],
    ["rows of all evaluations", { require_intersection: true }],
    ["filtered rows", { filters: kept }],
  ];

  for (const [order, sort_by] of Object.entries(ORDERS))
    it.each(selections)(`of %s ${order} is a part of the whole`, async (_, selection) => {
      const asked = { ...selection, sort_by };
      const whole = await digests(asked);
      expect(whole.length).toBeGreaterThan(5);
      for (const [offset, limit] of [
        [0, 1],
        [0, 7],
        [5, 6],
        [11, 100],
        [Number.MAX_SAFE_INTEGER, 1],
        [3, Number.MAX_SAFE_INTEGER],
      ] as const) {
        const page = await digests({ ...asked, offset, limit });
        expect(page, `offset ${offset}, limit ${limit}`).toEqual(whole.slice(offset, offset + limit));
      }
    });
});
