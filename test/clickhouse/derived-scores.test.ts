import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";
import { expressions, row } from "../derived/random-expressions.ts";

const SEED = Number(process.env["SEED"] ?? 606);
const RUNS = Number(process.env["RUNS"] ?? 5);
const EXPRESSIONS = 10;

describe.skipIf(noClickHouse !== null)(
  `derived scores on both engines (SEED=${SEED})${because(noClickHouse)}`,
  () => {
    it("are the same bytes for random expressions of random scores, and for a consensus of them", async () => {
      const url = await sharedClickHouse();
      const both = await openBoth(url, scratchDatabase(url));
      try {
        const [rows = []] = fc.sample(fc.array(row, { minLength: 60, maxLength: 60 }), {
          seed: SEED,
          numRuns: 1,
        });
        const trials = rows.map(({ yes, no, ...numbers }, i) => {
          const flags = Object.entries({ yes, no }).map(([name, one]) => [
            name,
            one === null ? null : one === 1,
          ]);
          return trial(`t${i}`, { q: i }, { ...numbers, ...Object.fromEntries(flags) });
        });
        await Promise.all([both.onFile, both.onServer].map((core) => core.ingestCalls([root(), ...trials])));
        const many = fc.array(expressions, { minLength: EXPRESSIONS, maxLength: EXPRESSIONS });
        for (const texts of fc.sample(many, { seed: SEED, numRuns: RUNS })) {
          const request = {
            evaluation_call_ids: [EVALUATION],
            include_summary: true,
            derived_scores: Object.fromEntries(texts.map((text, i) => [`d${i}`, text])),
          };
          const [onFile, onServer] = await Promise.all(
            [both.onFile, both.onServer].map((core) =>
              core.queryEvalResultsJson(PROJECT, request).catch((error: unknown) => String(error)),
            ),
          );
          expect.soft(onServer, JSON.stringify(texts)).toBe(onFile);
        }
        for (const method of ["majority", "mean", "dawid-skene"] as const) {
          const request = {
            evaluation_call_ids: [EVALUATION],
            include_summary: true,
            include_uncertainty: true,
            derived_scores: {
              numbers: {
                consensus: { of: ["a", "b", "c"], method: method === "dawid-skene" ? "majority" : method },
              },
              flags: { consensus: { of: ["yes", "no"], method } },
            },
            filters: [
              { query: { $expr: { $eq: [{ $getField: "scores.yes" }, { $literal: true }] as const } } },
            ],
          };
          const [onFile, onServer] = await Promise.all(
            [both.onFile, both.onServer].map((core) => core.queryEvalResultsJson(PROJECT, request)),
          );
          expect.soft(onServer, method).toBe(onFile);
          expect(onFile).toContain('"flags"');
        }
      } finally {
        await both.close();
      }
    });
  },
);
