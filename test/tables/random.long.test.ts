import fc from "fast-check";
import { Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { scenario } from "../oracle/arbitraries.ts";
import { play } from "../oracle/play.ts";
import { expectedTable } from "./expected-table.ts";
import { fromArrow, rawValues } from "./read-arrow.ts";

const SEED = Number(process.env["SEED"] ?? 515);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 8);
const REQUESTS = 8;

it(
  `gives the table of random requests as the response has it, whole and in batches (SEED=${SEED})`,
  { timeout: 300_000 },
  async () => {
    let compared = 0;
    let records = 0;
    await fc.assert(
      fc.asyncProperty(scenario(REQUESTS), async ({ events, projectId, requests }) => {
        const engine = await openEngine({ threads: 1 });
        try {
          await play(engine, events, 1000);
          for (const request of requests) {
            const { evaluation_call_ids, evaluation_run_ids, include_predict_and_score_children } = request;
            const response = await engine.queryEvalResults(projectId, {
              ...request,
              include_rows: true,
              include_outputs: true,
            });
            const everything = await engine.queryEvalResults(projectId, {
              evaluation_call_ids,
              evaluation_run_ids,
              include_predict_and_score_children,
            });
            const expected = expectedTable(response, everything, request.include_raw_data_rows === true);
            const table = await engine.queryTable(projectId, request);
            expect(fromArrow(table), JSON.stringify(request)).toEqual(expected);
            expect(fromArrow(tableFromIPC(tableToIPC(table, "stream")))).toEqual(expected);
            const batches = [];
            for await (const batch of engine.queryBatches(projectId, request)) batches.push(batch);
            expect(rawValues(table), JSON.stringify(request)).toEqual(rawValues(new Table(batches)));
            const { filters: _, limit: __, offset: ___, require_intersection: ____, ...whole } = request;
            const all = [];
            for await (const batch of engine.queryBatches(projectId, whole)) all.push(batch);
            const wholeTable = await engine.queryTable(projectId, whole);
            expect(rawValues(wholeTable), JSON.stringify(whole)).toEqual(rawValues(new Table(all)));
            for (const one of [table, wholeTable]) {
              const part = one.slice(one.numRows >> 1, (one.numRows >> 1) + 9);
              expect(rawValues(tableFromIPC(tableToIPC(part)))).toEqual(rawValues(part));
              expect(String(one.schema)).toBe(String(new Table(all).schema));
            }
            compared++;
            records += table.numRows;
          }
        } finally {
          await engine.close();
        }
      }),
      { seed: SEED, numRuns: SCENARIOS, endOnFailure: process.env["SHRINK"] === undefined },
    );
    expect(compared).toBe(SCENARIOS * REQUESTS);
    expect(records).toBeGreaterThan(compared);
  },
);
