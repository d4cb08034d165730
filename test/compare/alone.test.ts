import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparisonCells } from "../../src/cli/tables/comparison-tables.ts";
import type { Comparison, CompareRequest, Engine } from "../../src/index.ts";
import { claimWithFigures, comparedSides } from "../../src/words/comparison-words.ts";
import { chanceText } from "../../src/words/figures.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";

const SEED = Number(process.env["SEED"] ?? 42);
const ROWS = 40;
const IDS = ["a", "b", "c", "d", "e"];

/** Evaluations whose rates differ by little, so that some pairs show a difference alone and not among others. */
async function stored(): Promise<Engine> {
  const engine = await scratchEngine();
  const [draws = []] = fc.sample(fc.array(fc.nat(99), { minLength: 5000, maxLength: 5000 }), {
    seed: SEED,
    numRuns: 1,
  });
  let next = 0;
  const draw = () => draws[next++ % draws.length] ?? 0;
  await engine.ingestCalls(
    IDS.flatMap((id, e) => [
      root(id),
      ...Array.from({ length: ROWS }, (_, i) => {
        const scores = { ok: draw() < 85 - 7 * e, size: draw() * 1.37 - 6.3 * e, half: draw() / 2 };
        return trial(`${id}${i}`, { i }, scores, { parent_id: id });
      }),
    ]),
  );
  return engine;
}

const figures = ({ difference, p_value, standard_error, confidence_interval }: Comparison) => ({
  difference,
  p_value,
  standard_error,
  confidence_interval,
});

describe(`an answer about several pairs (SEED=${SEED})`, () => {
  it("says what each pair says alone, or less, and then that and how much less", async () => {
    const engine = await stored();
    let less = 0;
    for (const adjust of ["holm", "benjamini-hochberg", "none"] as const)
      for (const margin of [null, 0.3])
        for (const best of [false, true]) {
          const asked = { adjust, margin, lower_is_better: ["size"] };
          const several: CompareRequest = {
            ...asked,
            baseline: "a",
            candidates: IDS.slice(1),
            baseline_is_best: best,
          };
          const answer = await engine.compareEvaluations(PROJECT, several);
          const names = new Map(IDS.map((id) => [id, id]));
          const compared = { answer, request: several, sides: comparedSides(answer), names };
          let marked = 0;
          for (const one of answer.comparisons) {
            const pairs = [{ baseline: one.baseline, candidate: one.candidate }];
            const { comparisons } = await engine.compareEvaluations(PROJECT, { ...asked, pairs });
            const own = comparisons.find(({ scorer_key: key }) => key === one.scorer_key);
            if (own === undefined) throw new Error("each score is compared alone, too");
            expect(figures(one)).toEqual(figures(own));
            expect(own.alone).toBeUndefined();
            expect(one.alone).toEqual({ p_value_adjusted: own.p_value_adjusted, verdict: own.verdict });
            expect([own.verdict, "inconclusive"]).toContain(one.verdict);
            const told = claimWithFigures(compared, one);
            const isLess = one.verdict !== own.verdict;
            expect(told.includes("Alone it would have shown")).toBe(isLess);
            if (isLess) marked++;
            const p = own.verdict === "equivalent" ? "" : ` (${chanceText(own.p_value_adjusted)})`;
            const among = `among ${answer.family_size} comparisons it does not (${chanceText(one.p_value_adjusted)}).`;
            expect(told.includes(`Alone it would have shown${p}; ${among}`)).toBe(isLess);
          }
          const verdicts = comparisonCells(compared).rows.map((cells) => cells.at(-1) ?? "");
          expect(verdicts.filter((text) => text.endsWith(" *"))).toHaveLength(marked);
          less += marked;
        }
    expect(less).toBeGreaterThan(1);
  });

  it("of two evaluations and one score: a leaderboard says what their comparison says", async () => {
    const engine = await stored();
    for (const scorer of ["ok", "size", "half"])
      for (const id of IDS.slice(1)) {
        const request = { scorers: [scorer], lower_is_better: scorer === "size" ? ["size"] : null };
        const { entries } = await engine.leaderboard(PROJECT, { ...request, evaluations: ["a", id] });
        const best = entries.find(({ standing }) => standing === "best")?.evaluation_call_id ?? "";
        const other = entries.find((one) => one.evaluation_call_id !== best);
        const candidate = other?.evaluation_call_id ?? "";
        const pairs = [{ baseline: best, candidate }];
        const { comparisons } = await engine.compareEvaluations(PROJECT, { ...request, pairs });
        expect(other?.against_best).toEqual(comparisons[0]);
        expect(other?.standing === "worse").toBe(comparisons[0]?.verdict === "regressed");
      }
  });
});
