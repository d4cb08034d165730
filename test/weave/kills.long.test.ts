import { expect, it } from "vitest";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { scratchPath } from "../support/scratch.ts";
import { killServices } from "./sdk/killed-services.ts";

const SEED = Number(process.env["SEED"] ?? 505);

it(`a service that is killed has what it answered, nothing in part, and takes the rest again (SEED=${SEED})`, async () => {
  expect(await killServices(scratchPath(), 2, 8, seededRandom(SEED))).toBeGreaterThan(0);
});
