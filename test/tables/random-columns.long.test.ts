import type { RecordBatch } from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openEngine, type ColumnsHead, type ColumnsPart } from "../../src/index.ts";
import type { EvalResultsResponse } from "../../src/index.ts";
import { parseJson, type Json } from "../../src/model/json.ts";
import { scenario } from "../oracle/arbitraries.ts";
import { play } from "../oracle/play.ts";

const SEED = Number(process.env["SEED"] ?? 626);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 15);
const REQUESTS = 5;

/** One record of a batch by the names of its columns. */
type Named = Readonly<Record<string, unknown>>;

const recordsOf = (batch: RecordBatch): Named[] =>
  Array.from({ length: batch.numRows }, (_, i) => batch.get(i)?.toJSON() as Named);

const json = (text: unknown): Json => (typeof text === "string" ? parseJson(text) : null);

/** JSON has large whole numbers as `bigint`. */
const asDouble = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/** Leaves of the scores of a trial by path; objects and lists are none. */
function leavesOf(value: Json, path: readonly string[], leaves: Map<string, unknown>): Map<string, unknown> {
  if (Array.isArray(value)) return leaves;
  if (typeof value !== "object" || value === null) leaves.set(JSON.stringify(path), asDouble(value));
  else for (const [name, member] of Object.entries(value)) leavesOf(member, [...path, name], leaves);
  return leaves;
}

function fromResponse({ rows, total_rows: total }: EvalResultsResponse) {
  const trials = rows.flatMap((row, order) =>
    row.evaluations.flatMap(({ evaluation_call_id: id, trials: all }) =>
      all.map((one, index) => {
        const leaves = [...leavesOf(one.scores, [], new Map())];
        return {
          place: [order, id, index],
          latency: asDouble(one.model_latency_seconds),
          tokens: asDouble(one.total_tokens),
          error: one.error,
          output: one.model_output,
          scores: new Map(leaves.toSorted(([a], [b]) => (a < b ? -1 : 1))),
        };
      }),
    ),
  );
  return { total, rows: rows.map((row) => [row.row_digest, row.raw_data_row]), trials };
}

function fromColumns(parts: readonly ColumnsPart[]) {
  const [head, ...rest] = parts;
  if (head?.kind !== "head") throw new Error("no head");
  const of = (kind: ColumnsPart["kind"]) =>
    rest.flatMap((part) => (part.kind === kind && part.kind !== "head" ? recordsOf(part.batch) : []));
  const scores = scoresByTrial(head, [...of("scores"), ...of("texts")]);
  const outputs = of("outputs");
  const trials = of("trials").map((one, i) => ({
    place: placeOf(head, one),
    latency: one["model_latency_seconds"],
    tokens: one["total_tokens"],
    error: one["error"],
    output: json(outputs[i]?.["model_output"]),
    scores: new Map((scores.get(String(placeOf(head, one))) ?? []).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }));
  expect(outputs.map((one) => placeOf(head, one))).toEqual(trials.map(({ place }) => place));
  expect([head.row_count, head.trial_count]).toEqual([of("rows").length, trials.length]);
  const rows = of("rows").map((row) => [row["row_digest"], json(row["raw_data_row"])]);
  return { total: head.total_rows, rows, trials };
}

function placeOf(head: ColumnsHead, one: Named): unknown[] {
  return [one["row_order"], head.evaluation_call_ids[Number(one["evaluation"])], one["trial_index"]];
}

function scoresByTrial(head: ColumnsHead, records: readonly Named[]): Map<string, [string, unknown][]> {
  const paths = new Map(head.dimensions.map(({ id, path }) => [id, JSON.stringify(path)]));
  const scores = new Map<string, [string, unknown][]>();
  for (const one of records) {
    const values = [one["number"], one["number"] === 1, one["text"], null];
    const value = one["text"] ?? values[Number(one["kind"])];
    const trial = String(placeOf(head, one));
    const leaf: [string, unknown] = [paths.get(Number(one["dimension"])) ?? "", value];
    scores.set(trial, [...(scores.get(trial) ?? []), leaf]);
  }
  return scores;
}

it(
  `gives the columns of random requests as the response has them (SEED=${SEED})`,
  { timeout: 300_000 },
  async () => {
    let trials = 0;
    await fc.assert(
      fc.asyncProperty(scenario(REQUESTS), async ({ events, projectId, requests }) => {
        const engine = await openEngine({ threads: 1 });
        try {
          await play(engine, events, 1000);
          for (const asked of requests) {
            const request = {
              ...asked,
              include_rows: true,
              include_trial_errors: true,
              include_outputs: true,
            };
            const expected = fromResponse(await engine.queryEvalResults(projectId, request));
            const parts: ColumnsPart[] = [];
            for await (const part of engine.queryColumns(projectId, request)) parts.push(part);
            expect(fromColumns(parts), JSON.stringify(request)).toEqual(expected);
            trials += expected.trials.length;
          }
        } finally {
          await engine.close();
        }
      }),
      { seed: SEED, numRuns: SCENARIOS, endOnFailure: process.env["SHRINK"] === undefined },
    );
    expect(trials).toBeGreaterThan(100);
  },
);
