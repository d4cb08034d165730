import { expect, it } from "vitest";
import { openEngine, type CallRecord, type Engine } from "../../../src/index.ts";
import { recordsOf } from "../../logging/reading.ts";
import { PROJECT } from "../../support/records.ts";
import { scratchPath } from "../../support/scratch.ts";

const TRIALS = 2000;
const ROUNDS = 5;
/** How many trials are loaded one by one in a round. */
const SINGLE = 10;
/** Times as long as one load of the same calls. */
const MOST = 4;
/** Of the time that a load a trial takes. */
const PART = 0.1;

async function evaluate(engine: Engine): Promise<string> {
  const { id } = await engine.evaluate(PROJECT, {
    name: "many",
    model: "bot",
    data: Array.from({ length: TRIALS }, (_, n) => ({ n, question: `What comes after ${n}?` })),
    task: ({ n }) => `${n + 1}`,
    scorers: {
      correct: ({ row, output }) => output === String(row.n + 1),
      length: ({ output }) => output.length,
      judge: ({ row }) => ({ helpful: row.n / TRIALS, tone: "kind" }),
    },
    maxConcurrency: 16,
  });
  return id;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

/** Loads records into a project of their own. */
async function load(engine: Engine, records: readonly CallRecord[], into: string): Promise<void> {
  await engine.ingestCalls(records.map((record) => ({ ...record, project_id: into })));
}

it(`${TRIALS} trials take at most ${MOST} times as long as a load of their calls, and ${PART} of a load a trial`, async () => {
  const engine = await openEngine({ path: scratchPath() });
  const records = await recordsOf(engine, await evaluate(engine));
  const trials = records.filter(({ parent_id: parent }) => parent === records[0]?.id).slice(0, SINGLE);
  const calls = trials.map((trial) => [
    trial,
    ...records.filter(({ parent_id: parent }) => parent === trial.id),
  ]);
  const logged: number[] = [];
  const loaded: number[] = [];
  const single: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    logged.push(await milliseconds(() => evaluate(engine)));
    loaded.push(await milliseconds(() => load(engine, records, `acme/whole-${round}`)));
    for (const trial of calls)
      single.push(await milliseconds(() => load(engine, trial, `acme/parts-${round}`)));
  }
  await engine.close();
  const figures = { logged: median(logged), loaded: median(loaded), each: median(single) * TRIALS };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(figures.logged / figures.loaded).toBeLessThanOrEqual(MOST);
  expect(figures.logged / figures.each).toBeLessThanOrEqual(PART);
});
