import { expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { killLoggers } from "../../logging/killed-loggers.ts";
import { scratchPath } from "../../support/scratch.ts";

const SEED = Number(process.env["SEED"] ?? 909);
const KILLS = Number(process.env["KILLS"] ?? 100);
const KILLS_A_FILE = 10;

it(`loggers that are killed at random moments lose nothing that they acknowledged (SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  let kills = 0;
  while (kills < KILLS) kills += await killLoggers(scratchPath(), KILLS_A_FILE, 1200, random);
  process.stdout.write(`${kills} kills\n`);
  expect(kills).toBeGreaterThanOrEqual(KILLS);
});
