import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openEngine } from "../../../src/index.ts";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { temporaryFolder } from "../../cli/command.ts";
import { killLoggers } from "../../logging/killed-loggers.ts";
import { PROJECT } from "../../support/records.ts";
import { until } from "../../support/until.ts";
import { startTeamService, type TeamService } from "../team/team-service.ts";

const SEED = Number(process.env["SEED"] ?? 911);

let place: ReturnType<typeof temporaryFolder>;
let service: TeamService;

beforeEach(async () => {
  place = temporaryFolder();
  service = await startTeamService(place.folder, "held.duckdb");
  vi.stubEnv("EVALCUBE_KEY", service.keys.ann);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await service.stop();
  place.remove();
});

it(`loggers over a service that are killed lose nothing, and store nothing twice (SEED=${SEED})`, async () => {
  expect(await killLoggers(service.url, 6, 600, seededRandom(SEED))).toBeGreaterThan(0);
});

it("a service that is killed amid an evaluation loses nothing, and stores nothing twice", async () => {
  const far = await openEngine({ url: service.url, key: service.keys.ann });
  const logging = killLoggers(service.url, 1, 3000, seededRandom(SEED));
  const stored = async () => (await far.listEvaluations(PROJECT))[0]?.trial_count ?? 0;
  for (let fall = 1; fall <= 3; fall++) {
    // More than the logger stored that is killed.
    await until(`${1000 * fall} trials`, async () => (await stored()) > 1000 * fall);
    await service.fall(1);
  }
  expect(await logging).toBeLessThanOrEqual(1);
  await far.close();
});
