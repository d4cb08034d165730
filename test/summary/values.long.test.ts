import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { departures, deviation } from "../oracle/row-statistics.ts";
import { fromPlain } from "../oracle/json.ts";
import { exactMean } from "../oracle/mean.ts";
import { histogramFaults } from "../oracle/row-values.ts";
import { PROJECT, root, trial } from "../support/records.ts";

type Dimensions = { readonly [name: string]: (random: () => number, row: number) => number };

/** What decides how values are read: how many of them are distinct, and how many bits they have. */
const KINDS: Dimensions = {
  hundredths: (random) => Math.round(random() * 100) / 100,
  thousandths: (random) => Math.round(random() * 1000) / 1000,
  ratings: (random) => Math.floor(random() * 5) + 1,
  units: (random) => Math.floor(random() * 3) - 1,
  continuous: (random) => random() + random() / 2 ** 32,
  signed: (random) => random() - 0.5,
  ranging: (random) => 10 ** (random() * 40 - 20),
  mostlyZero: (random) => (random() < 0.9 ? 0 : random()),
  decimalThenContinuous: (random, row) => (row < 700 ? 0.1 : random()),
};

function type7(sorted: readonly number[], percent: number): number {
  const position = (sorted.length - 1) * percent;
  const below = sorted[Math.floor(position / 100)] ?? 0;
  const above = sorted[Math.ceil(position / 100)] ?? 0;
  return below + (above - below) * ((position % 100) / 100);
}

function expected(rows: readonly (readonly number[])[]) {
  const means = rows.map((row) => exactMean(row) ?? 0);
  const sorted = means.toSorted((a, b) => a - b);
  return {
    row_mean: exactMean(means),
    scored_row_count: rows.length,
    stddev: deviation(means),
    min: sorted[0],
    max: sorted.at(-1),
    p50: type7(sorted, 50),
    p90: type7(sorted, 90),
    p99: type7(sorted, 99),
  };
}

async function summarize(dimensions: Dimensions, rows: number, trials: number, threads: number) {
  const random = seededRandom(rows * 31 + trials);
  const engine = await openEngine({ threads });
  onTestFinished(() => engine.close());
  const values = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: trials }, () =>
      Object.fromEntries(Object.entries(dimensions).map(([name, draw]) => [name, draw(random, row)])),
    ),
  );
  await engine.ingestCalls([
    root("run"),
    ...values.flatMap((own, row) =>
      own.map((scores, t) => trial(`${row}-${t}`, { row }, scores, { parent_id: "run" })),
    ),
  ]);
  const text = await engine.queryEvalResultsJson(PROJECT, {
    evaluation_call_ids: ["run"],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    histogram_bins: 40,
  });
  const { summary } = JSON.parse(text) as {
    summary: { evaluations: { scorer_stats: ({ scorer_key: string } & Record<string, unknown>)[] }[] };
  };
  const stats = summary.evaluations[0]?.scorer_stats ?? [];
  return { text, values, of: (name: string) => stats.find((one) => one.scorer_key === name) };
}

describe("row values, however they are read", () => {
  for (const trials of [1, 2, 5]) {
    it(`are those of plain loops with ${trials} trial${trials === 1 ? "" : "s"} a row`, async () => {
      const found = await summarize(KINDS, 1500, trials, 2);
      for (const name of Object.keys(KINDS)) {
        const rows = found.values.map((own) => own.map((scores) => scores[name] ?? 0));
        const scale = Math.max(...rows.flat().map(Math.abs));
        expect(departures(found.of(name), expected(rows), scale), name).toEqual([]);
        const own = rows.map((row) => exactMean(row) ?? 0);
        const [least, most] = [Math.min(...own), Math.max(...own)];
        const binned = fromPlain({ bins: 40, least, most, own });
        expect(histogramFaults(fromPlain(found.of(name)?.["histogram"]), binned), name).toEqual([]);
      }
      expect((await summarize(KINDS, 1500, trials, 1)).text).toBe(found.text);
    }, 60_000);
  }

  it("are the same in one statement of many places", async () => {
    const many: Dimensions = Object.fromEntries(
      Array.from({ length: 260 }, (_, i) => [`d${i}`, KINDS[["hundredths", "units", "signed"][i % 3] ?? ""]]),
    ) as Dimensions;
    const found = await summarize(many, 4, 3, 1);
    for (const name of Object.keys(many)) {
      const rows = found.values.map((own) => own.map((scores) => scores[name] ?? 0));
      expect(departures(found.of(name), expected(rows), 1), name).toEqual([]);
    }
  }, 60_000);
});
