import { readFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openEngine, type Engine } from "../src/index.ts";
import { evaluationRun } from "./generate/evaluation-run.ts";
import { isSizeName, sizes } from "./generate/parameters.ts";
import { lateCalls } from "./generate/chunks.ts";
import { prepareFiles } from "./generate/files.ts";
import { trialLines } from "./generate/trial-calls.ts";

/**
 * Times loads of 100 calls into a large database, each of calls that are not stored yet:
 * `npx tsx bench/small-loads.ts --db PATH`, a copy of which is opened, or without `--db` right after the load of all calls of that size.
 */
const { values } = parseArgs({
  options: {
    db: { type: "string" },
    size: { type: "string", default: "1m" },
    loads: { type: "string", default: "51" },
    of: { type: "string", default: "new" },
  },
});
const { db, size, of } = values;
if (!isSizeName(size)) throw new Error(`--size is one of ${Object.keys(sizes).join(", ")}`);
const parameters = sizes[size];

const kinds = {
  /** Of one more evaluation, whose root is not stored. */
  new: (batch: number) => lateCalls(parameters, batch).text.trimEnd().split("\n"),
  /** Of the last evaluation, which is stored. */
  stored: (batch: number) => {
    const run = evaluationRun(parameters, parameters.evaluations - 1);
    const rows = Array.from({ length: 25 }, (_, i) => run.firstRow + ((batch * 25 + i) % parameters.rows));
    return rows.flatMap((row) => trialLines(parameters, run, row, parameters.trials + batch));
  },
  /** One more score of 100 trials that are stored, far from each other. */
  scores: (batch: number) => {
    const run = evaluationRun(parameters, 0);
    return Array.from({ length: 100 }, (_, i) => {
      const row = run.firstRow + ((batch + i * 997) % parameters.rows);
      const [, score = ""] = trialLines(parameters, run, row, 0);
      return score.replace(/"id":"/, `"id":"late-${batch}-`).replace("correct.score", "late.score");
    });
  },
};

function isKind(name: string): name is keyof typeof kinds {
  return Object.hasOwn(kinds, name);
}

interface Spent {
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
  readonly writtenBytes: number;
}

async function measured(work: () => Promise<unknown>): Promise<Spent> {
  const cpu = process.cpuUsage();
  const before = writtenBytes();
  const started = performance.now();
  await work();
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { milliseconds, cpuMilliseconds: (user + system) / 1000, writtenBytes: writtenBytes() - before };
}

/** What this process has had written to disks. */
function writtenBytes(): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

/** A database of its own to write to. */
async function openLarge(path: string): Promise<Engine> {
  await rm(path, { force: true });
  if (db !== undefined) await copyFile(db, path);
  const engine = await openEngine({ path });
  if (db === undefined) {
    const files = await prepareFiles(parameters);
    const { milliseconds } = await measured(async () => {
      await engine.ingestRows(files.rows);
      await engine.ingestCalls(files.calls);
    });
    console.log(`loaded in ${(milliseconds / 1000).toFixed(1)} s`);
  }
  return engine;
}

async function measureLoads(engine: Engine): Promise<Spent[]> {
  if (!isKind(of)) throw new Error(`--of is one of ${Object.keys(kinds).join(", ")}`);
  const callsOf = kinds[of];
  const spent: Spent[] = [];
  for (let batch = 0; batch < Number(values.loads); batch++) {
    const calls = callsOf(batch).map((line): object => JSON.parse(line));
    spent.push(
      await measured(async () => {
        const { stored } = await engine.ingestCalls(calls);
        if (stored !== calls.length) throw new Error(`${stored} of ${calls.length} calls were stored`);
      }),
    );
  }
  return spent;
}

function told(name: string, spent: Spent): string {
  const mebibytes = (spent.writtenBytes / 2 ** 20).toFixed(2);
  return `| ${name} | ${spent.milliseconds.toFixed(1)} | ${spent.cpuMilliseconds.toFixed(1)} | ${mebibytes} |`;
}

/** The least of a sorted list that so large a part of it does not exceed, each column by itself. */
function quantile(spent: readonly Spent[], part: number): Spent {
  const at = (read: (one: Spent) => number): number =>
    spent.map(read).toSorted((a, b) => a - b)[Math.ceil(part * spent.length) - 1] ?? NaN;
  return {
    milliseconds: at((one) => one.milliseconds),
    cpuMilliseconds: at((one) => one.cpuMilliseconds),
    writtenBytes: at((one) => one.writtenBytes),
  };
}

const copy = `${db ?? `${(await prepareFiles(parameters)).folder}/store`}.small-loads`;
const engine = await openLarge(copy);
const [first, ...others] = await measureLoads(engine);
const closed = await measured(() => engine.close());
console.log("| | ms | CPU, ms | MiB written |\n|---|---:|---:|---:|");
if (first !== undefined) console.log(told("the first", first));
console.log(told(`median of ${others.length} more`, quantile(others, 0.5)));
console.log(told("their p95", quantile(others, 0.95)));
console.log(told("the slowest", quantile(others, 1)));
console.log(told("close", closed));
await rm(copy, { force: true });
