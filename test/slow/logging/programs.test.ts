import { expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { runPrograms } from "../../logging/run-programs.ts";
import { scratchPath } from "../../support/scratch.ts";

const SEED = Number(process.env["SEED"] ?? 1001);
const PROGRAMS = Number(process.env["PROGRAMS"] ?? 2000);
const PROGRAMS_A_FILE = 40;

it(`random programs lose nothing that was logged before they closed, or that they were promised (SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const total = { programs: 0, killed: 0, trials: 0 };
  while (total.programs < PROGRAMS) {
    const { killed, trials } = await runPrograms(scratchPath(), PROGRAMS_A_FILE, random);
    total.programs += PROGRAMS_A_FILE;
    total.killed += killed;
    total.trials += trials;
  }
  process.stdout.write(`${JSON.stringify(total)}\n`);
  expect(total.killed).toBeGreaterThan(PROGRAMS / 20);
});
