import { expect, it } from "vitest";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { scratchPath } from "../support/scratch.ts";
import { runPrograms } from "./run-programs.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e6));

it(`what random programs log before they close, or are promised before they are killed, is stored (SEED=${SEED})`, async () => {
  const { killed, trials } = await runPrograms(scratchPath(), 30, seededRandom(SEED));
  expect(killed).toBeGreaterThan(0);
  expect(trials).toBeGreaterThan(30);
});
