import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { openEngine, type Engine } from "../src/index.ts";
import { startClickHouse } from "../test/support/clickhouse-server.ts";
import { benchFolder, prepareFiles } from "./generate/files.ts";
import { describeParameters, isSizeName, projectId, sizes } from "./generate/parameters.ts";
import { checkGrown } from "./growth/check-answers.ts";
import { growDatabase } from "./growth/grow-database.ts";
import { toRequest } from "./question.ts";
import { CONFIGURATION, ask, merged } from "./subjects/evalcube/on-clickhouse.ts";
import { buildQueries, type QueryWorkload } from "./workloads.ts";

/**
 * The same questions about the same evaluations with so many times as many rows and trials, in turns:
 * `npx tsx bench/clickhouse-growth.ts --size 1m --times 10`. With `--reuse` the calls are those that `npm run bench -- --subjects
 * evalcube-clickhouse` has loaded.
 */
const { values } = parseArgs({
  options: {
    size: { type: "string", default: "100k" },
    times: { type: "string", default: "10" },
    workloads: { type: "string", default: "a,c,e,g,h,i,k" },
    runs: { type: "string", default: "7" },
    reuse: { type: "boolean", default: false },
  },
});
const { size } = values;
if (!isSizeName(size)) throw new Error(`--size is one of ${Object.keys(sizes).join(", ")}`);
const parameters = sizes[size];
const [times, runs] = [Number(values.times), Number(values.runs)];
/** The small one has the name that the benchmark gives. */
const [SMALL, LARGE] = ["evalcube", "evalcube_grown"];

async function load(engine: Engine): Promise<void> {
  const files = await prepareFiles(parameters, console.error);
  await engine.ingestRows(files.rows);
  await engine.ingestCalls(files.calls);
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const started = performance.now();
  const result = await work();
  return [result, performance.now() - started];
}

/** The first answers, which are checked, are not timed. */
async function compare(small: Engine, large: Engine, { letter, title, question }: QueryWorkload) {
  const request = toRequest(question);
  const [before, after]: [number[], number[]] = [[], []];
  for (let run = 0; run <= runs; run += 1) {
    const [was, wasTook] = await timed(() => small.queryEvalResults(projectId, request));
    const [is, isTook] = await timed(() => large.queryEvalResults(projectId, request));
    if (run === 0) checkGrown(question, was, is, times);
    else {
      before.push(wasTook);
      after.push(isTook);
    }
  }
  const [one, many] = [median(before), median(after)];
  console.log(
    `| (${letter}) ${title} | ${one.toFixed(1)} ms | ${many.toFixed(1)} ms | ${(many / one).toFixed(2)} |`,
  );
}

async function tellSizes(url: string): Promise<void> {
  const told = await ask(
    url,
    `SELECT database, table, sum(rows) AS records, count() AS parts, formatReadableSize(sum(bytes_on_disk)) AS disk FROM system.parts
      WHERE active AND database IN ('${SMALL}', '${LARGE}') AND table IN ('trials', 'trial_texts', 'scores', 'rows')
      GROUP BY database, table ORDER BY table, database FORMAT PrettyCompactMonoBlock`,
  );
  console.error(told);
}

const loaded = path.join(benchFolder(), describeParameters(parameters), "store-evalcube-clickhouse");
await mkdir(benchFolder(), { recursive: true });
const folder = await mkdtemp(path.join(benchFolder(), "growth-"));
if (values.reuse) await cp(loaded, folder, { recursive: true, verbatimSymlinks: true });
const server = await startClickHouse({ folder, coordinator: false, configuration: CONFIGURATION });
const { url } = server;
const open = (database: string, readOnly: boolean): Promise<Engine> =>
  openEngine({ clickhouse: { url, database }, keepAnswers: false, readOnly });
try {
  const small = await open(SMALL, false);
  if (!values.reuse) await load(small);
  await (await open(LARGE, false)).close();
  await growDatabase({ url, from: SMALL, to: LARGE, times });
  const [, merging] = await timed(() => merged(url));
  console.error(`merged ${(merging / 1000).toFixed(1)} s longer`);
  await tellSizes(url);
  const large = await open(LARGE, true);
  console.log(`| question | ${size} | ${times} times as many trials | ratio |\n|---|---:|---:|---:|`);
  const letters = values.workloads.split(",");
  for (const workload of buildQueries(parameters))
    if (letters.includes(workload.letter)) await compare(small, large, workload);
  await small.close();
  await large.close();
} finally {
  await server.kill();
  await rm(folder, { recursive: true, force: true });
}
