import { expect, it } from "vitest";
import { rates } from "../../bench/levels/designs.ts";
import { measureHistory, measureNext } from "../../bench/levels/history.ts";

const SEED = Number(process.env["SEED"] ?? 2607);
const CHAINS = Number(process.env["RUNS"] ?? 100);
const design = rates({ name: "true/false", rows: 60, rate: 0.85 });

it(`unchanged runs are hardly ever told to be worse (SEED=${SEED})`, async () => {
  const { atAny } = await measureHistory(design, { chains: CHAINS, seed: SEED, runs: 10 });
  expect(atAny).toBeLessThanOrEqual(0.05);
});

it(`a loss of 30 points is told, and the span holds it and is short (SEED=${SEED})`, async () => {
  const chains = { chains: CHAINS, seed: SEED, runs: 10, place: 6, loss: 0.3 };
  const { atLast, held, median, mean } = await measureHistory(design, chains);
  expect(atLast).toBeGreaterThanOrEqual(0.85);
  expect(held).toBeGreaterThanOrEqual(0.95);
  expect(median).toBeLessThanOrEqual(2);
  expect(mean).toBeLessThanOrEqual(4);
});

it(`where one more run is said to show whether a loss stays, it does (SEED=${SEED})`, async () => {
  const found = await measureNext(design, { chains: 2 * CHAINS, seed: SEED, loss: 0.35 });
  expect(found.said).toBeGreaterThan(0.5);
  expect(found.stays).toBeGreaterThanOrEqual(0.95);
  expect(found.recovers).toBeLessThanOrEqual(0.08);
  const slight = await measureNext(design, { chains: 2 * CHAINS, seed: SEED, loss: 0.1 });
  expect(slight.said).toBeLessThan(0.05);
});
