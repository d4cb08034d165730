import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { checkTables, scenario } from "./random-records.ts";

const SEED = Number(process.env["SEED"] ?? 1203);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 3);
const options = { seed: SEED, numRuns: SCENARIOS, endOnFailure: process.env["SHRINK"] === undefined };

describe(`tables in random order and form (SEED=${SEED})`, () => {
  it(
    "have the figures of an independent count, in two files and exported, too, and leave earlier answers as they are",
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(scenario, async (one) => {
          await expect(checkTables(scratchFolder(), one)).resolves.toBeUndefined();
        }),
        options,
      );
    },
  );
});
