import { expect, it } from "vitest";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { sendThroughFaults } from "./sdk/sent-through-faults.ts";

const SEED = Number(process.env["SEED"] ?? 404);

it(`what comes again after an answer of 503 or a cut connection is stored once (SEED=${SEED})`, async () => {
  const { busy, cut } = await sendThroughFaults(2, 6, seededRandom(SEED));
  expect(Math.min(busy, cut)).toBeGreaterThan(3);
});
