import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { SHARED_DATA, sharedDataMissing } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { expect } from "../stats/matchers.ts";

interface Call {
  readonly id: string;
  readonly parent_id: string | null;
  readonly inputs?: { readonly example?: { readonly id: string } };
  readonly output?: { readonly scores?: { readonly math_eval?: { readonly correct?: unknown } } };
}

const folder = new URL("zeroeval-gsm/", SHARED_DATA);
const PROJECT = "real/zeroeval-gsm";

/** By evaluation: whether each question was answered right, as the published table has it. */
function publishedTable(): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const lines = gunzipSync(readFileSync(new URL("calls.ndjson.gz", folder)))
    .toString()
    .trimEnd()
    .split("\n");
  const table = new Map<string, Map<string, number>>();
  for (const line of lines) {
    const { parent_id: evaluation, inputs, output } = JSON.parse(line) as Call;
    const [row, correct] = [inputs?.example?.id, output?.scores?.math_eval?.correct];
    if (evaluation === null || row === undefined || typeof correct !== "boolean") continue;
    const own = table.get(evaluation) ?? new Map<string, number>();
    table.set(evaluation, own.set(row, Number(correct)));
  }
  return table;
}

/** Pearson's correlation by its textbook sums, the rest of an evaluation summed anew for each row. */
function plainDiscrimination(table: ReadonlyMap<string, ReadonlyMap<string, number>>, row: string) {
  const pairs = [...table.values()].flatMap((own) => {
    const value = own.get(row);
    if (value === undefined) return [];
    let [total, n] = [0, 0];
    for (const [other, x] of own) if (other !== row) [total, n] = [total + x, n + 1];
    return [[value, total / n] as const];
  });
  const n = pairs.length;
  const of = (f: (x: number, y: number) => number) => pairs.reduce((sum, [x, y]) => sum + f(x, y), 0);
  const [sx, sy] = [of((x) => x), of((_, y) => y)];
  const [vx, vy] = [n * of((x) => x * x) - sx * sx, n * of((_, y) => y * y) - sy * sy];
  return vx === 0 || n < 3 ? null : (n * of((x, y) => x * y) - sx * sy) / Math.sqrt(vx * vy);
}

describe.skipIf(sharedDataMissing !== null)(
  `the items of 14 models on 1,319 questions of GSM8K, as ZeroEval published them${because(sharedDataMissing)}`,
  () => {
    it("are those of independent code, and of scipy", async () => {
      const engine = await openEngine();
      await engine.ingestCalls(fileURLToPath(new URL("calls.ndjson.gz", folder)));
      const evaluations = (await engine.listEvaluations(PROJECT)).map(({ id }) => id);
      const answer = await engine.items(PROJECT, { evaluations, scorer: "math_eval.correct" });
      const { rows } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: evaluations,
        include_raw_data_rows: true,
        include_outputs: false,
      });
      await engine.close();

      const table = publishedTable();
      const idOf = new Map(rows.map((row) => [row.row_digest, (row.raw_data_row as { id: string }).id]));
      for (const item of answer.rows) {
        const id = idOf.get(item.row_digest) ?? "";
        const values = [...table.values()].flatMap((own) => own.get(id) ?? []);
        const right = values.filter((value) => value === 1).length;
        expect(item).toMatchObject({ evaluation_count: values.length, passed_count: right });
        expect(item.mean).toAgreeWith(right / values.length);
        const discrimination = plainDiscrimination(table, id);
        if (discrimination === null) expect(item.discrimination).toBeNull();
        else expect(Math.abs((item.discrimination ?? 9) - discrimination)).toBeLessThan(1e-9);
      }

      // scipy 1.12.0: pearsonr of the same table, summed over all rows, and of the row with the least.
      const found = answer.rows.flatMap(({ discrimination }) => discrimination ?? []);
      expect(found.reduce((sum, r) => sum + r, 0)).toAgreeWith(514.0683485131965);
      expect(found.filter((r) => r < 0)).toHaveLength(40);
      expect(answer.counts).toEqual({
        all_right: 323,
        none_right: 15,
        negative: 0,
        unstable: 0,
        nothing_apart: 338,
      });
      const [first] = answer.rows;
      expect([first?.discrimination, ...(first?.discrimination_interval ?? []), first?.p_value]).toAgreeWith([
        -0.6620199954201595, -0.8825870534097187, -0.202607093526105, 0.008257301267003758,
      ]);
      expect(answer.sentence).toBe("338 of 1,319 rows tell these 14 evaluations nothing apart.");
    });
  },
);
