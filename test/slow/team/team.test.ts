import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { scratchFolder } from "../../support/scratch.ts";
import {
  importLogs,
  keepCopies,
  logRuns,
  nameOfLog,
  ROWS,
  SAMPLES,
  TRIALS,
  trialCounts,
  type Office,
} from "./people.ts";
import { startTeamService } from "./team-service.ts";

/** For so long two people and a job work. */
const MINUTES = Number(process.env["MINUTES"] ?? 10);
const SEED = Number(process.env["SEED"] ?? 66);
const KILLS = 5;
/** For so long the service is away: mostly started anew at once, once for longer than anybody waits. */
const AWAY_SECONDS: readonly number[] = [0, 5, 20, 70, 1];

it(`two people and a job lose nothing, and store nothing twice, while their service is killed ${KILLS} times (SEED=${SEED})`, async () => {
  const folder = scratchFolder();
  const database = path.join(folder, "team.duckdb");
  const service = await startTeamService(folder, database);
  const share = (MINUTES * 60_000) / 20;
  const runs = Array.from({ length: 20 }, (_, n) => `run-${n}`);
  const logs = Array.from({ length: 30 }, (_, n) => `log-${n}`);
  const random = seededRandom(SEED);
  let working = true;
  const office: Office = {
    folder,
    service,
    random,
    problems: [],
    broken: [],
    acknowledged: new Set(),
    goesOn: () => working,
  };
  const falls = (async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(((MINUTES * 60_000) / (KILLS + 1)) * (0.5 + random() / 2));
      await service.fall(Math.min(AWAY_SECONDS[kill] ?? 0, MINUTES * 7));
    }
  })();
  const job = keepCopies(office);
  await Promise.all([logRuns(office, runs, share / 4), importLogs(office, logs, share / 2), falls]);
  working = false;
  const { backups, reads } = await job;
  expect(await service.stop()).toBe(0);
  process.stdout.write(
    `${JSON.stringify({ backups, reads, broken: office.broken, problems: office.problems }, null, 1)}\n`,
  );
  expect(office.problems).toEqual([]);
  expect(backups).toBeGreaterThan(0);
  const expected = [
    ...runs.map((name): [string, number[]] => [name, [ROWS * TRIALS]]),
    ...logs.map((name): [string, number[]] => [nameOfLog(name), [SAMPLES]]),
  ];
  expect(Object.fromEntries(await trialCounts(database))).toEqual(Object.fromEntries(expected));
});
