import { expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { sendThroughFaults } from "../../weave/sdk/sent-through-faults.ts";

const SEED = Number(process.env["SEED"] ?? 404);
const ROUNDS = Number(process.env["ROUNDS"] ?? 20);

it(`of many programs, what comes again after a fault is stored once (SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const all = { busy: 0, cut: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const { busy, cut } = await sendThroughFaults(4, 60, random);
    all.busy += busy;
    all.cut += cut;
  }
  process.stdout.write(`${all.busy} answers of 503, ${all.cut} cut connections\n`);
  expect(Math.min(all.busy, all.cut)).toBeGreaterThan(ROUNDS * 5);
});
