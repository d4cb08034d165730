import { expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { scratchPath } from "../../support/scratch.ts";
import { killServices } from "../../weave/sdk/killed-services.ts";

const SEED = Number(process.env["SEED"] ?? 505);
const KILLS = Number(process.env["KILLS"] ?? 100);

it(`services that are killed at random moments lose nothing that they answered (SEED=${SEED})`, async () => {
  const cut = await killServices(scratchPath(), KILLS, 60, seededRandom(SEED));
  process.stdout.write(`${KILLS} kills, ${cut} programs cut off\n`);
  expect(cut).toBeGreaterThan(KILLS / 2);
});
