import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { openEngine, type Engine } from "../../src/index.ts";
import { prepareFiles } from "../generate/files.ts";
import { countTrials, isSizeName, projectId, sizes } from "../generate/parameters.ts";
import { busyMachine } from "../report/machine.ts";
import type { Database } from "../subjects/duckdb-json/database.ts";
import { questions, type SqlQuestion } from "./questions.ts";
import { openTypedParquet } from "./typed-parquet.ts";

/** Questions in SQL over the views, and over the same data in typed Parquet files; both in this process, in turns. */

const { values } = parseArgs({
  options: { size: { type: "string", default: "200k" }, runs: { type: "string", default: "15" } },
});
if (!isSizeName(values.size)) throw new Error(`--size is one of ${Object.keys(sizes).join(", ")}`);

const files = await prepareFiles(sizes[values.size], (message) => console.error(message));
const store = path.join(files.folder, "evalcube-sql.duckdb");
const isLoaded = existsSync(store);
const engine = await openEngine({ path: store });
if (!isLoaded) {
  await engine.ingestRows(files.rows);
  await engine.ingestCalls(files.calls);
}
const parquet = await openTypedParquet(files);

for (const question of questions) await prove(engine, parquet, question);
const busy = busyMachine();
if (busy !== null) console.log(`Note: ${busy}.\n`);
console.log(
  `${countTrials(files.parameters).toLocaleString("en-US")} trials, medians of ${values.runs} runs in turns\n`,
);
console.log(
  "| question | views, ms | typed Parquet, ms | ratio | ratio of processor time | first after a write, ms | second |\n|---|---|---|---|---|---|---|",
);
for (const question of questions) {
  const [views, typed] = await measure(engine, parquet, question, Number(values.runs));
  const ratios = [views.elapsed / typed.elapsed, views.processor / typed.processor];
  const after = await afterWrites(engine, question, 3);
  const figures = [views.elapsed, typed.elapsed, ...ratios, ...after].map((figure) => figure.toFixed(1));
  console.log(`| ${question.title} | ${figures.join(" | ")} |`);
}
parquet.close();
await engine.close();

async function ask(views: Engine, statement: string): Promise<readonly unknown[]> {
  const table = await views.sql<Record<string, unknown>>(projectId, statement);
  return table.toArray().map((record) => record.toJSON());
}

/** Throws unless both give the same records. */
async function prove(views: Engine, typed: Database, question: SqlQuestion): Promise<void> {
  const [found, expected] = [await ask(views, question.views), await typed.run(question.parquet)];
  if (!isDeepStrictEqual(rounded(found), rounded(expected)) || expected.length === 0)
    throw new Error(
      `${question.title}: ${JSON.stringify(found.slice(0, 2))} is not ${JSON.stringify(expected.slice(0, 2))}`,
    );
}

/** Without the last digits of means, whose sums are taken in another order. */
function rounded(records: readonly unknown[]): unknown {
  return JSON.parse(
    JSON.stringify(records, (_name, value: unknown) =>
      typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value,
    ),
  );
}

/** Milliseconds. Processor time, of all threads, depends less on what else runs. */
interface Taken {
  readonly elapsed: number;
  readonly processor: number;
}

async function measure(views: Engine, typed: Database, question: SqlQuestion, runs: number) {
  const times: [Taken[], Taken[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    times[0].push(await timed(() => ask(views, question.views)));
    times[1].push(await timed(() => typed.run(question.parquet)));
  }
  return [medians(times[0]), medians(times[1])] as const;
}

/** Milliseconds that a question takes for the first and for the second time after a write, which a table may be made for. */
async function afterWrites(views: Engine, question: SqlQuestion, writes: number): Promise<number[]> {
  const times: [number[], number[]] = [[], []];
  for (let write = 0; write < writes; write++) {
    const call = { id: randomUUID(), project_id: "bench/other", op_name: "step", started_at: new Date() };
    await views.ingestCalls([call]);
    for (const asked of times) asked.push((await timed(() => ask(views, question.views))).elapsed);
  }
  return times.map(median);
}

async function timed(work: () => Promise<unknown>): Promise<Taken> {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { elapsed: performance.now() - started, processor: (user + system) / 1000 };
}

function medians(times: readonly Taken[]): Taken {
  return {
    elapsed: median(times.map(({ elapsed }) => elapsed)),
    processor: median(times.map(({ processor }) => processor)),
  };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
