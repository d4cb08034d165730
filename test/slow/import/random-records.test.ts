import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTables, scenario } from "../../import/random-records.ts";
import { scratchFolder } from "../../support/scratch.ts";

const SEED = Number(process.env["SEED"] ?? 12_020);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 1000);

describe(`many tables in random order and form (SEED=${SEED})`, () => {
  it("have the figures of an independent count, in two files and exported, too", async () => {
    const property = fc.asyncProperty(scenario, async (one) => {
      await expect(checkTables(scratchFolder(), one)).resolves.toBeUndefined();
    });
    await fc.assert(property, { seed: SEED, numRuns: SCENARIOS, endOnFailure: true });
  });
});
