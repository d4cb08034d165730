import { describe, it } from "vitest";
import type { PlanRequest } from "../../src/index.ts";
import { mcnemar, pairedDifference } from "../../src/stats/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { expect } from "../stats/matchers.ts";
import { PROJECT } from "../support/records.ts";
import { callsOf, engineOf, type Score } from "./engine-of.ts";

async function planOf(trials: readonly (readonly (readonly Score[])[])[], request: PlanRequest) {
  return (await engineOf(callsOf(trials))).planRows(PROJECT, request);
}

/** Standard normal numbers; Box and Muller 1958. */
function normals(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function shareOf(runs: number, isFound: () => boolean): number {
  return Array.from({ length: runs }, isFound).filter(Boolean).length / runs;
}

const SEED = 2026;

describe("planned rows", () => {
  it.each([0.05, 0.1])(`of a rate find a difference of %f in 76 to 84 %% (seed ${SEED})`, async (detect) => {
    const { plans } = await planOf([], { detect, rate: 0.7, trials: [1] });
    const [{ rows, found, calls } = { rows: null, found: null, calls: null }] = plans;
    expect(found).toBeGreaterThanOrEqual(0.8);
    expect(calls).toBe(2 * (rows ?? 0));
    const random = seededRandom(SEED);
    const share = shareOf(600, () => {
      let [b, c] = [0, 0];
      for (let i = 0; i < (rows ?? 0); i++) {
        const [one, other] = [random() < 0.7, random() < 0.7 - detect];
        if (one && !other) b += 1;
        if (other && !one) c += 1;
      }
      return b > c && mcnemar(b, c, { method: "mid-p" }).p_value <= 0.05;
    });
    expect(share).toBeGreaterThanOrEqual(0.76);
    expect(share).toBeLessThanOrEqual(0.84);
  });

  it(`of numbers find it likewise, with the trials that they are planned for (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    const draw = normals(random);
    const rows = Array.from({ length: 600 }, () => {
      const own = 2 * draw();
      return [own + draw(), own + draw(), own + draw()];
    });
    const answer = await planOf([rows], { detect: 0.7, evaluation: "e0", trials: [1, 4] });
    expect(answer.within).toAgreeWith(1, 0.1);
    expect(answer.between).toAgreeWith(4, 0.2);
    expect(answer).toMatchObject({
      scorer_key: "ok",
      rate: false,
      notes: [],
      from: { row_count: 600, trials_per_row: 3 },
    });
    for (const { trials, rows: needed } of answer.plans) {
      const noise = Math.sqrt(2 / trials);
      const share = shareOf(1500, () => {
        const b = Array.from({ length: needed ?? 0 }, () => 0.7 + noise * draw());
        const { p_value: p, difference } = pairedDifference(
          b,
          b.map(() => 0),
        );
        return p !== null && p <= 0.05 && (difference ?? 0) > 0;
      });
      expect(share).toBeGreaterThanOrEqual(0.76);
      expect(share).toBeLessThanOrEqual(0.84);
    }
  });

  it("come from the differences of a pair, and of one trial a row from all variance", async () => {
    const random = seededRandom(7);
    const own = Array.from({ length: 80 }, () => [random()]);
    const other = own.map(([value = 0]) => [value + 0.1 * random()]);
    const request = { detect: 0.02, baseline: "e0", candidate: "e1", trials: [1] };
    const pair = await planOf([own, other], request);
    const alone = await planOf([own], { detect: 0.02, evaluation: "e0", trials: [1] });
    expect(pair.plans[0]?.rows ?? 0).toBeLessThan((alone.plans[0]?.rows ?? 0) / 20);
    const differences = own.map(([a = 0], i) => (other[i]?.[0] ?? 0) - a);
    const mean = differences.reduce((sum, d) => sum + d, 0) / 80;
    const variance = differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / 79;
    expect(pair.between + 2 * pair.within).toAgreeWith(variance);
    expect(alone.notes[0]).toContain("the most it can be");
  });

  it("grow with candidates and fall with trials, of which the least calls are told", async () => {
    const one = await planOf([], { detect: 0.05, rate: 0.6 });
    const three = await planOf([], { detect: 0.05, rate: 0.6, candidates: 3 });
    expect(three.level).toAgreeWith(0.05 / 3);
    for (const [i, { trials, rows, calls }] of three.plans.entries()) {
      expect(calls).toBe((rows ?? 0) * trials * 4);
      expect(rows ?? 0).toBeGreaterThan(one.plans[i]?.rows ?? Infinity);
    }
    const rows = one.plans.map((plan) => plan.rows ?? 0);
    expect(rows).toEqual(rows.toSorted((a, b) => b - a));
    const least = one.plans.toSorted((a, b) => (a.calls ?? 0) - (b.calls ?? 0))[0];
    expect(one.cheaper).toBe(least?.trials);
  });

  it("do not exist for a difference that no rate has room for, nor of fewer clusters than five", async () => {
    const answer = await planOf([], { detect: 0.9, rate: 0.5, trials: [1, 2] });
    expect(answer.plans.map(({ rows }) => rows)).toEqual([null, null]);
    expect(answer.cheaper).toBeNull();
    expect(answer.notes).toHaveLength(1);
    const trials = [Array.from({ length: 12 }, (_, i) => [i % 3 === 0])];
    const request: PlanRequest = { detect: 0.2, evaluation: "e0", cluster_by: "inputs.q" };
    expect((await planOf(trials, request)).notes).toContainEqual(
      "fewer than 5 values of inputs.q show no difference, whatever the number of rows",
    );
  });

  it.each<[object, readonly string[]]>([
    [{ detect: 0.1 }, ["evaluation"]],
    [{ detect: 0.1, evaluation: "e0", rate: 0.5 }, ["rate"]],
    [{ detect: 0.1, baseline: "e0" }, ["candidate"]],
    [{ detect: 0.1, evaluation: "nobody" }, ["evaluation"]],
    [{ detect: 0.1, evaluation: "e0", scorer: "okk" }, ["scorer"]],
    [{ detect: 0, rate: 0.5 }, ["detect"]],
    [{ detect: 0.1, rate: 1.5 }, ["rate"]],
    [{ detect: 0.1, rate: 0.5, cluster_by: "inputs.q" }, ["cluster_by"]],
  ])("are refused with their place: %j", async (request, path) => {
    const refused = planOf([[[true], [false]]], request as PlanRequest);
    await expect(refused).rejects.toMatchObject({ path });
  });
});
