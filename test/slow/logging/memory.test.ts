import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { scratchPath } from "../../support/scratch.ts";

const TRIALS = Number(process.env["TRIALS"] ?? 200_000);

interface Told {
  readonly trials: number;
  readonly seconds: number;
  /** Trials that were durable, and MiB resident then. */
  readonly resident: readonly (readonly [number, number])[];
  readonly p99: number;
  readonly longest: number;
}

it(`an evaluation of ${TRIALS} trials needs no more memory than one of 10,000, and leaves the event loop free`, async () => {
  const child = path.join(import.meta.dirname, "../../children/evaluate-many.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", child, scratchPath(), String(TRIALS)],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const told = JSON.parse(stdout) as Told;
  const early = told.resident.filter(([done]) => done <= 10_000).map(([, mib]) => mib);
  const later = told.resident.filter(([done]) => done > 10_000).map(([, mib]) => mib);
  const growth = Math.max(...later) - Math.max(...early);
  const { seconds, p99, longest } = told;
  process.stdout.write(
    `${JSON.stringify({ growth, seconds, p99, longest, first: early, last: later.at(-1) })}\n`,
  );
  expect(told.trials).toBe(TRIALS);
  expect(p99).toBeLessThan(20);
  expect(growth).toBeLessThan(64);
});
