import { execFileSync } from "node:child_process";
import os from "node:os";
import { parseArgs } from "node:util";
import { openEngine, type Engine } from "../src/index.ts";
import { CLUSTER, startClickHouseCluster } from "../test/support/clickhouse-cluster.ts";
import { startClickHouse, type ClickHouseServer } from "../test/support/clickhouse-server.ts";
import { prepareFiles } from "./generate/files.ts";
import { isSizeName, projectId, sizes } from "./generate/parameters.ts";
import { toRequest, type Question } from "./question.ts";
import { buildQueries } from "./workloads.ts";

/**
 * Two shards beside one server, the same calls in both: `npx tsx bench/shards.ts --size 1m --workloads a,h`. Each server has
 * `--cores` cores of its own (1), so that a shard is a machine as large as the one server; the process that asks takes any.
 */
const { values } = parseArgs({
  options: {
    size: { type: "string", default: "100k" },
    workloads: { type: "string", default: "a,c,e,f,h" },
    runs: { type: "string", default: "9" },
    cores: { type: "string", default: "1" },
  },
});
const { size } = values;
if (!isSizeName(size)) throw new Error(`--size is one of ${Object.keys(sizes).join(", ")}`);
const parameters = sizes[size];
const cores = Number(values.cores);
if (os.availableParallelism() < 2 * cores)
  throw new Error(`two shards of ${cores} cores each do not fit on ${os.availableParallelism()} cores`);

/** Keeps a server to some cores, all its threads. */
function keepTo({ pid }: ClickHouseServer, first: number): void {
  execFileSync("taskset", ["-a", "-p", "-c", `${first}-${first + cores - 1}`, String(pid)]);
}

async function load(name: string, engine: Engine): Promise<void> {
  const files = await prepareFiles(parameters, console.error);
  const started = performance.now();
  await engine.ingestRows(files.rows);
  const { received } = await engine.ingestCalls(files.calls);
  console.log(`${name}: ${Math.round(received / ((performance.now() - started) / 1000))} calls/s`);
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

/** The workloads that are asked for, and summaries of the rows that their filters keep. */
function questions(): { readonly title: string; readonly question: Question }[] {
  const letters = values.workloads.split(",");
  const asked = buildQueries(parameters).filter(({ letter }) => letters.includes(letter));
  return asked.flatMap(({ letter, title, question }) => [
    { title: `(${letter}) ${title}`, question },
    ...(question.filter === null
      ? []
      : [
          {
            title: `summary with the filter of (${letter})`,
            question: { ...question, page: null, summary: true },
          },
        ]),
  ]);
}

async function compare(engines: readonly Engine[]): Promise<void> {
  for (const { title, question } of questions()) {
    const request = toRequest(question);
    const times = engines.map((): number[] => []);
    for (let run = 0; run <= Number(values.runs); run += 1) {
      const answers: string[] = [];
      for (const [i, engine] of engines.entries()) {
        const started = performance.now();
        answers.push(await engine.queryEvalResultsJson(projectId, request));
        if (run > 0) times[i]?.push(performance.now() - started);
      }
      if (new Set(answers).size > 1) throw new Error(`${title}: the answers differ`);
    }
    const [one = 0, two = 0] = times.map(median);
    console.log(
      `${title}: one server ${one.toFixed(1)} ms, two shards ${two.toFixed(1)} ms, ${(two / one).toFixed(2)} times`,
    );
  }
}

const single = await startClickHouse();
const shards = await startClickHouseCluster(2);
keepTo(single, 0);
for (const [i, shard] of shards.entries()) keepTo(shard, i * cores);
const options = { keepAnswers: false };
const engines = [
  await openEngine({ ...options, clickhouse: { url: single.url, database: "bench" } }),
  await openEngine({
    ...options,
    clickhouse: { url: shards[0]?.url ?? "", cluster: CLUSTER, database: "bench" },
  }),
];
try {
  for (const [i, engine] of engines.entries()) await load(["one server", "two shards"][i] ?? "", engine);
  await compare(engines);
} finally {
  for (const engine of engines) await engine.close();
  for (const server of [single, ...shards]) await server.kill();
}
