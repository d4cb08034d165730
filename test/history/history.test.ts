import { afterAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type HistoryAnswer } from "../../src/index.ts";
import { historyCells, historyColumns, historyReason, historySentence } from "../../src/words/history.ts";
import { plainText } from "../../src/words/sentence.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const ROWS = 60;
const engines: Engine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

/** A finished run of `sums` on a day of July, in which the first `right` of 60 rows are right. */
function run(day: number, right: number, others: Readonly<Record<string, unknown>> = {}): object[] {
  const id = `run-${day}`;
  const at = `2026-07-0${day}T12:00:00Z`;
  return [
    root(id, {
      display_name: "sums",
      started_at: at,
      ended_at: at,
      attributes: { commit: `${day}e5f607aa`, branch: "main" },
      ...others,
    }),
    ...Array.from({ length: ROWS }, (_, i) =>
      trial(
        `${id}-${i}`,
        { i },
        { correct: i < right, tokens: right + (i % 3) },
        { parent_id: id, started_at: at },
      ),
    ),
  ];
}

async function loaded(...runs: readonly object[][]): Promise<Engine> {
  const engine = await openEngine();
  engines.push(engine);
  await engine.ingestCalls(runs.flat());
  return engine;
}

/** A run of rows with keys, some of them edited on that day. */
const keyed = (day: number, edited: readonly number[]) =>
  run(day, 30).map((one, i) => {
    if (i === 0) return one;
    const example = { i: i - 1, text: edited.includes(i - 1) ? `day ${day}` : "same" };
    return { ...one, inputs: { example }, attributes: { row_key: `q${i - 1}` } };
  });

/** Five clusters of six rows, and ten of three. */
const clusterAt = (row: number) => (row < 30 ? Math.floor(row / 6) : 5 + Math.floor((row - 30) / 3));

/** From the third day on whole clusters are lost. */
const isRight = (day: number, row: number) =>
  (row * 7 + day) % 20 > 0 && (day < 3 || clusterAt(row) % 3 === 0);

/** A run of articles with several rows each. */
const clustered = (day: number) =>
  run(day, 0).map((one, i) => {
    if (i === 0) return one;
    const row = i - 1;
    const example = { row, article: `a${clusterAt(row)}` };
    return { ...one, inputs: { example }, output: { output: "", scores: { correct: isRight(day, row) } } };
  });

const sentenceOf = (answer: HistoryAnswer) => plainText(historySentence(answer, {}));
const CORRECT = { scorers: ["correct"] } as const;

describe("history", () => {
  it("compares each run with the one before and with the reference, each pair alone, and tells since when they are worse", async () => {
    const engine = await loaded(run(1, 57), run(2, 56), run(3, 56), run(4, 30), run(5, 31));
    const answer = await engine.history(PROJECT, { name: "sums", ...CORRECT });
    expect(answer).toMatchObject({ name: "sums", headline: 0, adjust: "holm", confidence: 0.95, cut: [] });
    expect(
      answer.entries.map(({ label, commit, branch, row_count: n }) => [label, commit, branch, n]),
    ).toEqual([1, 2, 3, 4, 5].map((day) => [`sums (2026-07-0${day})`, `${day}e5f607aa`, "main", ROWS]));
    const [first, ...later] = answer.entries;
    expect([first?.against_previous, first?.reference, first?.against_reference]).toEqual([null, null, null]);
    for (const [i, entry] of later.entries()) {
      const id = entry.evaluation_call_id;
      expect([entry.position, entry.reference]).toEqual([i + 2, "run-1"]);
      for (const [baseline, own] of [
        ["run-1", entry.against_reference],
        [`run-${i + 1}`, entry.against_previous],
      ] as const) {
        const pairs = [{ baseline, candidate: id }];
        const { comparisons } = await engine.compareEvaluations(PROJECT, { pairs, ...CORRECT });
        expect(own).toEqual(comparisons[0]);
      }
    }
    expect(answer.entries.map((one) => one.worse_since === null)).toEqual([true, true, true, true, false]);
    expect(answer.worse_since).toMatchObject({
      evaluation_call_id: "run-4",
      last_good: "run-3",
      reference: "run-1",
    });
    expect(answer.worse_since?.before_mean).toBeCloseTo(169 / 180, 12);
    expect(answer.worse_since?.after_mean).toBeCloseTo(61 / 120, 12);
    expect(sentenceOf(answer)).toMatch(
      /^Worse since sums \(2026-07-04\), commit 4e5f607: 50\.8% against 93\.9% before, −43\.1 points \(95% interval −\d\d\.\d to −\d\d\.\d\)\.$/,
    );
    const cells = answer.entries.map((one) =>
      historyColumns(answer)
        .map((name) => historyCells(answer, one, {})[name])
        .join(" | "),
    );
    expect(cells[0]).toMatch(/^sums \(2026-07-01\) \| 1e5f607 \| main \| 60 \| 95\.0% ± \d+\.\d \| – \| –$/);
    expect(cells[3]).toMatch(/▼ worse, −43\.3 points \| ▼ worse, −45\.0 points ◄ worse since here$/);
    expect(historyReason("regressed", answer, {})).toBeNull();
    expect(historyReason("worse-since", answer, {})).toMatch(/^worse-since: Worse since sums \(2026-07-04\)/);
  });

  it("with clusters, has the same means, and the wider interval of means over them", async () => {
    const engine = await loaded(...[1, 2, 3, 4].map(clustered));
    const plain = (await engine.history(PROJECT, CORRECT)).worse_since;
    const own = (await engine.history(PROJECT, { ...CORRECT, cluster_by: "inputs.article" })).worse_since;
    const differences = Array.from({ length: ROWS }, (_, i) => {
      const mean = (days: readonly number[]) => days.filter((day) => isRight(day, i)).length / days.length;
      return { cluster: clusterAt(i), d: mean([3, 4]) - mean([1, 2]) };
    });
    const mean = differences.reduce((sum, { d }) => sum + d, 0) / ROWS;
    expect([plain?.last_good, own?.last_good]).toEqual(["run-2", "run-2"]);
    expect([own?.before_mean, own?.after_mean]).toEqual([
      expect.closeTo(plain?.before_mean ?? 0, 12),
      expect.closeTo(plain?.after_mean ?? 0, 12),
    ]);
    const apart = new Map<number, number>();
    for (const { cluster, d } of differences) apart.set(cluster, (apart.get(cluster) ?? 0) + d - mean);
    const [count, squares] = [apart.size, [...apart.values()].reduce((sum, x) => sum + x * x, 0)];
    // CR1, with Student's t of 14 degrees of freedom.
    const half = 2.1447866879169273 * Math.sqrt((squares / ROWS ** 2) * (count / (count - 1)));
    expect(count).toBe(15);
    expect(own?.confidence_interval).toEqual([
      expect.closeTo(mean - half, 9),
      expect.closeTo(mean + half, 9),
    ]);
    const [low = 0, high = 0] = plain?.confidence_interval ?? [];
    expect(high - low).toBeLessThan(2 * half);
  });

  it("says each thing in its sentence", async () => {
    const withoutCommit = { attributes: {} };
    const worse = await loaded(run(1, 57), run(2, 30, withoutCommit));
    const answer = await worse.history(PROJECT, CORRECT);
    expect(answer.worse_since).toBeNull();
    expect(sentenceOf(answer)).toBe(
      "sums (2026-07-02) is worse than sums (2026-07-01): 50.0% against 95.0%. One more run shows whether it stays so.",
    );
    expect(historyReason("regressed", answer, {})).toMatch(
      /^regressed: sums \(2026-07-02\) against sums \(2026-07-01\), the run before, in correct: worse, −45\.0 points$/,
    );
    expect(historyReason("worse-since", answer, {})).toBeNull();
    await worse.ingestCalls(run(3, 31, withoutCommit));
    expect(sentenceOf(await worse.history(PROJECT, CORRECT))).toMatch(
      /^Worse since sums \(2026-07-02\): 50\.8% against 95\.0% before/,
    );
    const same = await loaded(run(1, 57), run(2, 56));
    expect(sentenceOf(await same.history(PROJECT, CORRECT))).toBe(
      "No loss that lasts is shown over 2 runs since sums (2026-07-01).",
    );
    const one = await loaded(run(1, 57));
    expect(sentenceOf(await one.history(PROJECT))).toBe("sums has one run.");
  });

  it("compares with the second of two runs that are better from the next run on", async () => {
    const engine = await loaded(run(1, 30), run(2, 57), run(3, 57), run(4, 57), run(5, 31), run(6, 31));
    const { entries, worse_since: since } = await engine.history(PROJECT, CORRECT);
    expect(entries.map(({ reference }) => reference)).toEqual([
      null,
      "run-1",
      "run-1",
      "run-3",
      "run-3",
      "run-3",
    ]);
    expect(since).toMatchObject({ evaluation_call_id: "run-5", last_good: "run-4", reference: "run-3" });
    const shown = await engine.history(PROJECT, { ...CORRECT, limit: 1 });
    expect(shown.entries.map((own) => ({ ...own, label: "" }))).toEqual(
      entries.slice(-1).map((own) => ({ ...own, label: "" })),
    );
    expect(shown.cut.map((own) => own.evaluation_call_id)).toEqual(["run-3", "run-4", "run-5"]);
    expect(sentenceOf(shown)).toMatch(/^Worse since sums \(2026-07-05\), commit 5e5f607/);
  });

  it("has the last finished runs of the name with a value, by default of the latest name", async () => {
    const engine = await loaded(
      run(1, 57),
      run(2, 57),
      run(3, 57, { exception: "stopped" }),
      run(4, 57, { ended_at: undefined }),
      run(5, 57, { display_name: "other" }),
      [
        root("empty", {
          display_name: "sums",
          started_at: "2026-07-06T00:00:00Z",
          ended_at: "2026-07-06T00:00:00Z",
        }),
      ],
      [root("last", { display_name: "sums", started_at: "2026-07-07T00:00:00Z" })],
    );
    const ids = async (request: object) =>
      (await engine.history(PROJECT, request)).entries.map((one) => one.evaluation_call_id);
    expect(await ids({})).toEqual(["run-1", "run-2"]);
    expect(await ids({ limit: 1 })).toEqual(["run-2"]);
    for (const [limit, runs] of [
      [20, 6],
      [1, 5],
    ])
      expect((await engine.history(PROJECT, { limit })).warnings).toEqual([
        `4 of ${runs} runs of this name left out: not finished, of part of the rows, or without a value`,
      ]);
    await expect(engine.history(PROJECT, { name: "sum" })).rejects.toThrow("sums");
    expect(await ids({ name: "run-1" })).toEqual(["run-1", "run-2"]);
    await expect(engine.history(PROJECT, { limit: 201 })).rejects.toThrow("limit");
    await expect(engine.history(PROJECT, { scorers: ["corect"] })).rejects.toThrow("correct");
  });

  it("counts edited rows of each run against the one before, and leaves them out where that is asked for", async () => {
    const engine = await loaded(keyed(1, []), keyed(2, [3, 40]), keyed(3, [3, 40, 50]));
    const rows = async (edited_rows: "compare" | "leave_out") => {
      const answer = await engine.history(PROJECT, { name: "sums", ...CORRECT, edited_rows });
      const against = answer.entries.map(({ against_previous: one }) => [one?.n_common, one?.n_edited]);
      return { against: against.slice(1), said: answer.warnings.filter((one) => one.includes("edited")) };
    };
    const said = [
      "sums (2026-07-02): 2 of 60 shared rows were edited",
      "sums (2026-07-03): 3 of 60 shared rows were edited",
    ];
    expect(await rows("compare")).toEqual({
      against: [
        [60, 2],
        [60, 3],
      ],
      said,
    });
    expect(await rows("leave_out")).toEqual({
      against: [
        [58, 2],
        [57, 3],
      ],
      said,
    });
  });
});
