import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { runPrograms } from "../../logging/run-programs.ts";
import { scratchPath } from "../../support/scratch.ts";

const SEED = Number(process.env["SEED"] ?? 1001);
const PROGRAMS = Number(process.env["PROGRAMS"] ?? 2000);
const PROGRAMS_A_FILE = 40;

const total = { programs: 0, killed: 0, trials: 0 };

// A test has an hour, which all programs together may exceed.
describe(`random programs lose nothing that was logged before they closed, or that they were promised (SEED=${SEED})`, () => {
  const seeds = Array.from({ length: Math.ceil(PROGRAMS / PROGRAMS_A_FILE) }, (_, n) => SEED + n);

  it.each(seeds)(`${PROGRAMS_A_FILE} of seed %i on a file`, async (seed) => {
    const { killed, trials } = await runPrograms(scratchPath(), PROGRAMS_A_FILE, seededRandom(seed));
    expect(trials).toBeGreaterThan(0);
    total.programs += PROGRAMS_A_FILE;
    total.killed += killed;
    total.trials += trials;
    process.stdout.write(`${JSON.stringify(total)}\n`);
  });

  it("of which some were killed before they closed", () => {
    expect(total.killed).toBeGreaterThan(total.programs / 20);
  });
});
