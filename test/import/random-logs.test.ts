import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importBytes, PROJECT } from "./imports.ts";
import { evalLog, header, jsonLog, sample } from "./inspect-logs.ts";
import { metrics, promptfooLog, result } from "./promptfoo-logs.ts";
import { sharedEngine } from "./shared.ts";

const SEED = Number(process.env["SEED"] ?? 404);
const RUNS = Number(process.env["RUNS"] ?? 8);
const options = { seed: SEED, numRuns: RUNS, endOnFailure: process.env["SHRINK"] === undefined };

const engine = await sharedEngine();
let runs = 0;

const id = fc.oneof(
  fc.integer({ min: 0, max: 99 }),
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
);
const grade = fc.constantFrom("C", "I", "P", "N");
const valueOf: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };

/** The means of the rows' means, and the standard error of these. */
function figures(values: readonly (readonly number[])[]) {
  const means = values.map((some) => some.reduce((sum, value) => sum + value, 0) / some.length);
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
  const squares = means.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const stderr = means.length < 2 ? 0 : Math.sqrt(squares / (means.length - 1) / means.length);
  return { mean, stderr };
}

async function numericMean(evaluation: string, scorer: string): Promise<number | null | undefined> {
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [evaluation],
    include_rows: false,
    include_summary: true,
  });
  return summary?.evaluations[0]?.scorer_stats.find((one) => one.scorer_key === scorer)?.numeric_mean;
}

describe(`random logs (SEED=${SEED})`, () => {
  it("of Inspect agree with what their samples give, in both forms", async () => {
    const logs = fc.record({
      ids: fc.uniqueArray(id, { minLength: 1, maxLength: 6, selector: String }),
      epochs: fc.integer({ min: 1, max: 3 }),
      grades: fc.array(grade, { minLength: 18, maxLength: 18 }),
      payload: fc.json({ maxDepth: 3 }),
    });
    const property = fc.asyncProperty(logs, async ({ ids, epochs, grades, payload }) => {
      const gradeAt = (row: number, epoch: number) => grades[row * 3 + epoch] ?? "C";
      const rows = ids.map((_, row) =>
        Array.from({ length: epochs }, (__, epoch) => valueOf[gradeAt(row, epoch)] ?? 0),
      );
      const { mean, stderr } = figures(rows);
      const stated = [
        { name: "grade", scorer: "grade", metrics: { accuracy: { value: mean }, stderr: { value: stderr } } },
      ];
      const evalId = `random-${runs++}`;
      const head = header(
        { total_samples: ids.length * epochs, scores: stated },
        { eval: { ...header().eval, eval_id: evalId, metadata: JSON.parse(payload) as unknown } },
      );
      const samples = Array.from({ length: epochs }, (_, epoch) =>
        ids.map((one, row) => sample(one, epoch + 1, { grade: gradeAt(row, epoch) }, { store: payload })),
      ).flat();
      const first = await importBytes(engine, jsonLog(head, samples), { check: "fail" });
      expect(first.evaluations).toMatchObject([{ trials: ids.length * epochs, rows: ids.length, errors: 0 }]);
      const flat = rows.flat();
      const expected = flat.reduce((sum, value) => sum + value, 0) / flat.length;
      expect(await numericMean(`inspect:${evalId}`, "grade")).toBeCloseTo(expected, 12);
      // Names that lead elsewhere are refused, whatever they are for.
      if (ids.some((one) => /[\\:]|^\/|\.\./.test(String(one)))) return;
      const second = await importBytes(engine, evalLog(head, samples), { check: "fail" });
      expect([second.stored, second.unchanged]).toEqual([0, first.received]);
    });
    await fc.assert(property, options);
  });

  it("of promptfoo agree with what their results give, in any order", async () => {
    const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 });
    const property = fc.asyncProperty(
      fc.array(scores, { minLength: 1, maxLength: 3 }),
      fc.json(),
      async (columns, payload) => {
        const made = columns.map((some, prompt) =>
          some.map((score, test) =>
            result(prompt, test, score, {
              response: { output: payload, raw: payload, tokenUsage: { total: 5 } },
            }),
          ),
        );
        const log = { ...promptfooLog(made), evalId: `random-${runs++}` };
        const first = await importBytes(engine, JSON.stringify(log), { check: "fail" });
        expect(first.evaluations.map((one) => one.trials)).toEqual(columns.map((some) => some.length));
        expect(first.checks.agree).toBe(columns.length * Object.keys(metrics([])).length);
        for (const [i, { evaluation_call_id: own }] of first.evaluations.entries()) {
          const some = columns[i] ?? [];
          const expected = some.reduce((sum, value) => sum + value, 0) / some.length;
          expect(await numericMean(own, "score")).toBeCloseTo(expected, 12);
        }
        const turned = { ...log, results: { ...log.results, results: log.results.results.toReversed() } };
        expect((await importBytes(engine, JSON.stringify(turned))).stored).toBe(0);
      },
    );
    await fc.assert(property, options);
  });
});
