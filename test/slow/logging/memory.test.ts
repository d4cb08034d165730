import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { scratchPath } from "../../support/scratch.ts";

const TRIALS = Number(process.env["TRIALS"] ?? 200_000);

/**
 * MiB. Without a limit V8 lets garbage pile up to a few times what is alive before it collects, the more the slower the machine: the
 * heap was 90 to 240 MiB large, and is 90 to 120 with this limit. What is alive takes 60, most of it the code of the library and tsx.
 */
const HEAP_LIMIT = 160;
/** Trials until code, caches and DuckDB have what they need. */
const FIRST = 10_000;
/** MiB. */
const MOST = 64;

interface Told {
  readonly trials: number;
  readonly seconds: number;
  /** Trials that were durable, and the most MiB that had been resident by then. */
  readonly peaks: readonly (readonly [number, number])[];
  readonly p99: number;
  readonly longest: number;
}

async function evaluateMany(...nodeOptions: string[]): Promise<Told> {
  const child = path.join(import.meta.dirname, "../../children/evaluate-many.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...nodeOptions, "--import", "tsx", child, scratchPath(), String(TRIALS)],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const told = JSON.parse(stdout) as Told;
  expect(told.trials).toBe(TRIALS);
  return told;
}

it(`an evaluation of ${TRIALS} trials needs at most ${MOST} MiB more than its first ${FIRST}`, async () => {
  const { peaks, seconds } = await evaluateMany(`--max-old-space-size=${HEAP_LIMIT}`);
  const first = peaks.find(([done]) => done >= FIRST)?.[1] ?? Number.NaN;
  const last = peaks.at(-1)?.[1] ?? Number.NaN;
  const growth = last - first;
  process.stdout.write(`${JSON.stringify({ growth, seconds, first, last })}\n`);
  expect(growth).toBeLessThan(MOST);
});

// Without the limit, which makes V8 collect nine times as often and so takes part in 3 % of the turns.
it(`an evaluation of ${TRIALS} trials leaves the event loop free`, async () => {
  const { p99, longest, seconds } = await evaluateMany();
  process.stdout.write(`${JSON.stringify({ p99, longest, seconds })}\n`);
  expect(p99).toBeLessThan(20);
});
