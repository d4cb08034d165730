import { afterAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type HistoryAnswer } from "../../src/index.ts";
import {
  HISTORY_COLUMNS,
  historyCells,
  historySentence,
  regressedReason,
} from "../../src/view/words/history.ts";
import { plainText } from "../../src/view/words/sentence.ts";
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

const sentenceOf = (answer: HistoryAnswer) => plainText(historySentence(answer, {}));
const CORRECT = { scorers: ["correct"] } as const;

describe("history", () => {
  it("compares each run with the one before and the best, each pair once, and tells since when they are worse", async () => {
    const engine = await loaded(run(1, 57), run(2, 56), run(3, 56), run(4, 30), run(5, 31));
    const answer = await engine.history(PROJECT, { name: "sums", ...CORRECT });
    expect(answer).toMatchObject({ name: "sums", headline: 0, adjust: "holm", confidence: 0.95 });
    expect(
      answer.entries.map(({ label, commit, branch, row_count: n }) => [label, commit, branch, n]),
    ).toEqual([1, 2, 3, 4, 5].map((day) => [`sums (2026-07-0${day})`, `${day}e5f607aa`, "main", ROWS]));
    // Four with the one before, four with the best, of which one is both; of two runs no row moved, which has a p value of 1.
    expect(answer.family_size).toBe(7);
    for (const [baseline, candidate] of [
      ["run-1", "run-4"],
      ["run-3", "run-4"],
    ] as const) {
      const { comparisons } = await engine.compareEvaluations(PROJECT, {
        baseline,
        candidates: [candidate],
        ...CORRECT,
      });
      const entry = answer.entries.find((one) => one.evaluation_call_id === candidate);
      const own = baseline === "run-1" ? entry?.against_best : entry?.against_previous;
      expect(own?.difference).toBe(comparisons[0]?.difference);
      expect(own?.p_value).toBe(comparisons[0]?.p_value);
    }
    expect(answer.worse_since).toEqual({ evaluation_call_id: "run-4", last_good: "run-3" });
    expect(sentenceOf(answer)).toBe(
      "Worse since sums (2026-07-04), commit 4e5f607: 50.0% against 95.0% of sums (2026-07-01), the best; sums (2026-07-03) before it was not shown worse.",
    );
    const cells = answer.entries.map((one) =>
      HISTORY_COLUMNS.map((name) => historyCells(answer, one, {})[name]).join(" | "),
    );
    expect(cells[0]).toMatch(
      /^sums \(2026-07-01\) \| 1e5f607 \| main \| 60 \| 95\.0% ± \d+\.\d \| – \| best$/,
    );
    expect(cells[3]).toMatch(/▼ worse, −43\.3 points \| ▼ worse, −45\.0 points ◄ worse since here$/);
    expect(regressedReason(answer, {})).toBeNull();
  });

  it("counts a pair once where the best comes right behind a worse run", async () => {
    const engine = await loaded(run(1, 30), run(2, 57));
    const answer = await engine.history(PROJECT, CORRECT);
    expect(answer.family_size).toBe(1);
    const [first, second] = answer.entries;
    expect(first?.against_best?.p_value_adjusted).toBe(second?.against_previous?.p_value);
    expect([first?.against_best?.verdict, second?.against_previous?.verdict]).toEqual([
      "regressed",
      "improved",
    ]);
    expect(sentenceOf(answer)).toBe("The latest, sums (2026-07-02), is the best of 2 runs.");
  });

  it("says each thing in its sentence", async () => {
    const withoutCommit = { attributes: {} };
    const worse = await loaded(run(1, 57), run(2, 30, withoutCommit));
    const answer = await worse.history(PROJECT, CORRECT);
    expect(sentenceOf(answer)).toBe(
      "Worse since sums (2026-07-02): 50.0% against 95.0% of sums (2026-07-01), the best.",
    );
    expect(regressedReason(answer, {})).toMatch(
      /^regressed: sums \(2026-07-02\) against sums \(2026-07-01\), the run before, in correct: worse, −45\.0 points$/,
    );
    const same = await loaded(run(1, 57), run(2, 56));
    expect(sentenceOf(await same.history(PROJECT, CORRECT))).toBe(
      "The latest of 2 runs, sums (2026-07-02), is not shown worse than the best, sums (2026-07-01).",
    );
    const one = await loaded(run(1, 57));
    expect(sentenceOf(await one.history(PROJECT))).toBe("There is one finished run of sums.");
    const numbers = await same.history(PROJECT, { scorers: ["tokens"] });
    expect(sentenceOf(numbers)).toMatch(
      /^Lower since sums \(2026-07-02\), commit 2e5f607: 57\.00 against 58\.00 of/,
    );
    const fewer = { scorers: ["tokens"], lower_is_better: ["tokens"] };
    expect(plainText(historySentence(await same.history(PROJECT, fewer), fewer))).toBe(
      "The latest, sums (2026-07-02), is the best of 2 runs.",
    );
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
        `4 of ${runs} runs of this name left out: not finished, or without a value`,
      ]);
    await expect(engine.history(PROJECT, { name: "sum" })).rejects.toThrow("sums");
    expect(await ids({ name: "run-1" })).toEqual(["run-1", "run-2"]);
    await expect(engine.history(PROJECT, { limit: 201 })).rejects.toThrow("limit");
    await expect(engine.history(PROJECT, { scorers: ["corect"] })).rejects.toThrow("correct");
  });
});
