import { expect, it } from "vitest";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { scratchPath } from "../support/scratch.ts";
import { killLoggers } from "./killed-loggers.ts";

const SEED = Number(process.env["SEED"] ?? 303);

it(`a logger that is killed loses no acknowledged trial, and has none twice when it goes on (SEED=${SEED})`, async () => {
  expect(await killLoggers(scratchPath(), 2, 100, seededRandom(SEED))).toBeGreaterThan(0);
});
