import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { notLinux } from "../../support/platform.ts";
import { because } from "../../support/skipped.ts";
import { watchEngine, type Watched, type WatchedEngine } from "../../support/watched-engine.ts";
import { costlyStatements } from "./statements.ts";

/** Every so many-th statement is run. */
const EVERY = Number(process.env["EVERY"] ?? 1);
/** A statement that took too long is tried again: the machine may be busy. */
const TRIES = Number(process.env["TRIES"] ?? 3);
const TIME_LIMIT_SECONDS = 2;
const MOST_SECONDS = TIME_LIMIT_SECONDS + 1;
const MOST_GROWTH_MIB = 256 + 512;
const MOST_STALL_MS = 1_000;

const ENDS = [
  "answered",
  "invalid_request",
  "unsupported_request",
  "time_limit",
  "memory_limit",
  "statement_failed",
  "result_too_large",
];

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-test-"));
let engine: WatchedEngine | null = null;
let engines = 0;
const seen: Watched[] = [];

/** A process that died or was killed is replaced. */
async function ask(statement: string): Promise<Watched> {
  engine ??= await watchEngine({
    file: path.join(folder, `${engines++}.duckdb`),
    patienceSeconds: 8,
  });
  const watched = await engine.ask(statement, TIME_LIMIT_SECONDS);
  if (!engine.alive()) engine = null;
  return watched;
}

async function askInTime(statement: string): Promise<Watched> {
  let watched = await ask(statement);
  for (let i = 1; i < TRIES && isLate(watched); i++) watched = await ask(statement);
  return watched;
}

function isLate({ seconds, stallMs }: Watched): boolean {
  return seconds > MOST_SECONDS || stallMs > MOST_STALL_MS;
}

afterAll(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
  const outcomes = [...new Set(seen.map(({ outcome }) => outcome))];
  const told = outcomes.map((one) => `${seen.filter(({ outcome }) => outcome === one).length} ${one}`);
  const worst = (measure: (watched: Watched) => number) => Math.max(...seen.map(measure)).toFixed(2);
  const most = `${worst(({ seconds }) => seconds)} s, ${worst(({ growthMiB }) => growthMiB)} MiB`;
  const held = `event loop held ${worst(({ stallMs }) => stallMs)} ms`;
  process.stdout.write(`${seen.length} statements: ${told.join(", ")}; at most ${most}, ${held}\n`);
});

describe.skipIf(notLinux !== null).each([...costlyStatements()])(
  `a costly statement (%s)${because(notLinux)}`,
  (_name, statements) => {
    it.each(
      statements.filter((_, i) => i % EVERY === 0).map((statement) => [statement.slice(0, 120), statement]),
    )("ends within its limits: %s", async (_start, statement) => {
      const watched = await askInTime(statement);
      seen.push(watched);
      expect(ENDS, watched.said).toContain(watched.outcome);
      expect(watched.growthMiB).toBeLessThan(MOST_GROWTH_MIB);
      expect(watched.seconds).toBeLessThan(MOST_SECONDS);
      expect(watched.stallMs).toBeLessThan(MOST_STALL_MS);
    });
  },
);
