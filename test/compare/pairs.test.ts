import { expect, it } from "vitest";
import type { Comparison, Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine } from "../support/scratch.ts";

/** Four evaluations over twelve rows, each with other scores. */
async function stored(): Promise<Engine> {
  const engine = await scratchEngine();
  const ids = ["a", "b", "c", "d"];
  await engine.ingestCalls(
    ids.flatMap((id, e) => [
      root(id),
      ...Array.from({ length: 12 }, (_, i) =>
        trial(
          `${id}${i}`,
          { i },
          { ok: (i * 7 + e * 5) % (e + 2) > 0, n: (i * i * (e + 3)) % 11 },
          { parent_id: id },
        ),
      ),
    ]),
  );
  return engine;
}

/** What does not depend on the other comparisons. */
const alone = (one: Comparison | undefined) => ({
  sides: [one?.baseline, one?.candidate, one?.scorer_key],
  figures: [one?.n_common, one?.difference, one?.standard_error, one?.p_value, one?.confidence_interval],
});

it("pairs are compared as each would be by itself, in the order of their baselines, and adjusted as one family", async () => {
  const engine = await stored();
  const pairs = [
    { baseline: "a", candidate: "b" },
    { baseline: "b", candidate: "c" },
    { baseline: "a", candidate: "d" },
  ];
  const { comparisons, family_size } = await engine.compareEvaluations(PROJECT, { pairs, adjust: "none" });
  const own = await Promise.all(
    [pairs[0], pairs[2], pairs[1]].map((pair) =>
      engine.compareEvaluations(PROJECT, {
        baseline: pair?.baseline ?? "",
        candidates: [pair?.candidate ?? ""],
        adjust: "none",
      }),
    ),
  );
  expect(comparisons.map(alone)).toEqual(own.flatMap((one) => one.comparisons).map(alone));
  expect(family_size).toBe(6);
  const holm = await engine.compareEvaluations(PROJECT, { pairs });
  const least = Math.min(...holm.comparisons.map((one) => one.p_value ?? 1));
  const first = holm.comparisons.find((one) => one.p_value === least);
  expect(first?.p_value_adjusted).toBeCloseTo(Math.min(1, 6 * least), 12);
});

it("pairs are refused where they mean nothing, at the member that is at fault", async () => {
  const engine = await stored();
  const refused = async (request: object) =>
    await refusal(engine.compareEvaluations(PROJECT, request)).then((error) => "path" in error && error.path);
  const pair = { baseline: "a", candidate: "b" };
  expect(await refused({ pairs: [pair, pair] })).toEqual(["pairs", 1, "candidate"]);
  expect(await refused({ pairs: [{ baseline: "a", candidate: "a" }] })).toEqual(["pairs", 0, "candidate"]);
  expect(await refused({ pairs: [pair], baseline: "a" })).toEqual(["baseline"]);
  expect(await refused({ pairs: [pair], baseline_is_best: true })).toEqual(["baseline_is_best"]);
  expect(await refused({ pairs: [pair, { baseline: "nope", candidate: "b" }] })).toEqual([
    "pairs",
    1,
    "baseline",
  ]);
});
