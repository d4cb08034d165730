import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEngine } from "../../src/index.ts";
import { formatResults, type Result } from "../service/results.ts";
import { dataOf, IMAGE_ROWS, writeImages, writeLargeCall, writeLargeTrials, writeTrials } from "./data.ts";
import { runCommand, startService, type Ended, type Service, type Spent } from "./processes.ts";
import { QUESTIONS, WRITES, type Data, type Question } from "./questions.ts";
import { PROJECT } from "./transcripts.ts";

/*
 * Evaluations of transcripts beside evaluations of short texts: `npx tsx bench/long-texts/main.ts --trials 2000`.
 */

const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "200" },
    bytes: { type: "string", default: "600000" },
    times: { type: "string", default: "5" },
    only: { type: "string", default: "loads,questions,writes,wholes,images" },
  },
});
const trials = Number(values.trials);
const bytes = Number(values.bytes);
const times = Number(values.times);
const parts = new Set(values.only.split(","));

const MB = 1e6;
const MIB = 2 ** 20;
const SHORT_BYTES = 1000;

const results: Result[] = [];

function tell(measure: string, value: string, bar: string, met: boolean): void {
  results.push({ measure, value, bar, met });
  console.error(`${met ? "  " : "! "}${measure}: ${value} (${bar})`);
}

const ms = (value: number) => `${value.toFixed(0)} ms`;
const mib = (value: number) => `${(value / MIB).toFixed(0)} MiB`;

await mkdir(process.env["EVALCUBE_BENCH_DIR"] ?? tmpdir(), { recursive: true });
const folder = await mkdtemp(join(process.env["EVALCUBE_BENCH_DIR"] ?? tmpdir(), "evalcube-bench-texts-"));
const inFolder = (name: string) => join(folder, name);

async function load(from: string, to: string, memoryLimit = "1GiB"): Promise<Ended> {
  await rm(to, { force: true });
  const ended = await runCommand(folder, memoryLimit, ["ingest", "--db", to, from]);
  if (ended.status !== 0) throw new Error(ended.output);
  return ended;
}

const files = {
  long: { calls: inFolder("long.ndjson"), db: inFolder("long.duckdb") },
  short: { calls: inFolder("short.ndjson"), db: inFolder("short.duckdb") },
};

async function measureLoads(): Promise<void> {
  const sent = await writeTrials(files.long.calls, trials, bytes);
  await writeTrials(files.short.calls, trials, SHORT_BYTES);
  const short = await load(files.short.calls, files.short.db);
  const little = await load(files.long.calls, files.long.db, "256MiB");
  const long = await load(files.long.calls, files.long.db);
  const rate = sent / MB / ((long.cpuMs - short.cpuMs) / 1000);
  tell("load, MB a second of processor time", rate.toFixed(0), "≥ 40", rate >= 40);
  tell("its peak", mib(long.peakBytes), "≤ 1.3 GiB", long.peakBytes <= 1.3 * 1024 * MIB);
  tell("peak at 256 MiB", mib(little.peakBytes), "≤ 600 MiB", little.peakBytes <= 600 * MIB);
  const part = (await stat(files.long.db)).size / sent;
  tell("file, of the input", part.toFixed(2), "≤ 0.4", part <= 0.4);
}

async function withServices(work: (long: Service, short: Service) => Promise<void>): Promise<void> {
  const long = await startService(files.long.db, "1GiB");
  const short = await startService(files.short.db, "1GiB");
  try {
    await work(long, short);
  } finally {
    const took = await long.stop();
    await short.stop();
    tell("SIGTERM", ms(took), "≤ 1500 ms", took <= 1500);
  }
}

interface Costs {
  readonly cpuMs: number;
  readonly grownBytes: number;
  readonly waitedMs: number;
  readonly areRight: boolean;
}

/** Medians of processor time, the most of all else; the first time, which fills what stays, is left out. */
async function costOf(service: Service, question: Question, data: Data): Promise<Costs> {
  const all: Spent[] = [];
  let areRight = true;
  for (let at = 0; at <= times; at++) {
    const spent = await service.ask(question.ask(data, at));
    if (!question.isRight(spent.text, data, at)) areRight = false;
    if (at > 0) all.push(spent);
  }
  const cpu = all.map((one) => one.cpuMs).toSorted((a, b) => a - b);
  return {
    cpuMs: cpu[Math.floor(cpu.length / 2)] ?? NaN,
    grownBytes: Math.max(...all.map((one) => one.grownBytes)),
    waitedMs: Math.max(...all.map((one) => one.waitedMs)),
    areRight,
  };
}

async function measureQuestion(
  question: Question,
  [long, short]: readonly [Service, Service],
  [data, shortData]: readonly [Data, Data],
): Promise<void> {
  const { measure, bar, most } = question;
  const found = await costOf(long, question, data);
  const other = "times" in bar ? await costOf(short, question, shortData) : null;
  const least = "times" in bar ? bar.times * (other?.cpuMs ?? NaN) : bar.ms(data);
  const right = found.areRight ? "" : "wrong, ";
  const beside = other === null ? "" : `, of short ones ${other.cpuMs.toFixed(1)} ms`;
  tell(
    measure,
    `${right}${found.cpuMs.toFixed(1)} ms${beside}`,
    "times" in bar ? `≤ ${bar.times} x` : `≤ ${ms(least)}`,
    found.areRight && found.cpuMs <= least,
  );
  const { grownMb, waitedMs } = most ?? {};
  if (grownMb !== undefined)
    tell(`${measure}: grows by`, mib(found.grownBytes), `≤ ${grownMb} MB`, found.grownBytes <= grownMb * MB);
  if (waitedMs !== undefined)
    tell(`${measure}: others wait`, ms(found.waitedMs), `≤ ${waitedMs} ms`, found.waitedMs <= waitedMs);
}

async function measureQuestions(): Promise<void> {
  const data = [dataOf(trials, bytes), dataOf(trials, SHORT_BYTES)] as const;
  await withServices(async (...services) => {
    for (const question of [
      ...(parts.has("questions") ? QUESTIONS : []),
      ...(parts.has("writes") ? WRITES : []),
    ])
      await measureQuestion(question, services, data).catch((error: unknown) => {
        tell(question.measure, error instanceof Error ? error.message : String(error), "an answer", false);
      });
  });
}

/** Commands that read all of a database. */
async function measureWholes(): Promise<void> {
  const of = ["--db", files.long.db];
  const all = [...of, "--evaluation", "e"];
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ...["parquet", "jsonl", "csv", "arrow", "json"].map(
      (format) => [`export as ${format}`, ["export", ...all, "--out", inFolder(`all.${format}`)]] as const,
    ),
    ["report", ["report", ...all, "--out", inFolder("report.html")]],
    ["backup", ["backup", ...of, "--out", inFolder("backup.duckdb")]],
    ["check", ["check", ...of]],
    ["migrate", ["migrate", ...of, "--to", inFolder("copy.duckdb")]],
  ];
  for (const [name, args] of commands) {
    const { status, peakBytes, output } = await runCommand(folder, "256MiB", args);
    const value = status === 0 ? mib(peakBytes) : `status ${status}: ${output.slice(0, 200)}`;
    tell(`${name} at 256 MiB, peak`, value, "≤ 600 MiB", status === 0 && peakBytes <= 600 * MIB);
  }
  await writeLargeCall(inFolder("large.ndjson"));
  const large = await load(inFolder("large.ndjson"), inFolder("large.duckdb"), "256MiB");
  tell("a call of 30 MB at 256 MiB, peak", mib(large.peakBytes), "≤ 600 MiB", large.peakBytes <= 600 * MIB);
  await writeLargeTrials(inFolder("large.ndjson"));
  await load(inFolder("large.ndjson"), inFolder("large.duckdb"));
  const question: Question = {
    measure: "page without outputs of 40 x 5 MB",
    bar: { ms: () => 60 },
    ask: (_, at) => ({
      path: `/v2/${PROJECT}/eval_results/query`,
      body: { evaluation_call_ids: ["e"], include_outputs: false, limit: 40 - at },
    }),
    isRight: (text) => text.includes('"total_rows":40'),
  };
  const service = await startService(inFolder("large.duckdb"), "1GiB");
  const nothing: Data = { trials: 40, bytes: 5 * MB, needles: [], first: [] };
  await measureQuestion(question, [service, service], [nothing, nothing]);
  await service.stop();
}

async function measureImages(): Promise<void> {
  const [one, ten] = [inFolder("one.duckdb"), inFolder("ten.duckdb")];
  await writeImages(inFolder("images.ndjson"), 1);
  await load(inFolder("images.ndjson"), one);
  await writeImages(inFolder("images.ndjson"), 10);
  await load(inFolder("images.ndjson"), ten);
  const [small, large] = [(await stat(one)).size, (await stat(ten)).size];
  tell(
    "images of 10 evaluations, of the file of one",
    (large / small).toFixed(2),
    "≤ 1.05",
    large <= 1.05 * small,
  );
  const spent: number[] = [];
  for (const path of [one, ten]) {
    const engine = await openEngine({ path });
    const request = { evaluation_call_ids: ["e0"], include_raw_data_rows: true, limit: 20 };
    await engine.queryEvalResultsJson(PROJECT, request);
    const begun = process.cpuUsage();
    const text = await engine.queryEvalResultsJson(PROJECT, { ...request, offset: 20 });
    const { user, system } = process.cpuUsage(begun);
    if (text.length < 20 * IMAGE_ROWS.bytes) throw new Error("a page lacks images");
    spent.push((user + system) / 1000);
    await engine.close();
  }
  const [first = NaN, second = NaN] = spent;
  tell(
    "page with images of 10 evaluations",
    `${ms(second)}, of one ${ms(first)}`,
    "≤ 1.2 x",
    second <= 1.2 * first,
  );
}

try {
  await measureLoads();
  if (parts.has("wholes")) await measureWholes();
  if (parts.has("images")) await measureImages();
  if (parts.has("questions") || parts.has("writes")) await measureQuestions();
  console.log(`${trials} trials of ${bytes} bytes\n\n${formatResults(results)}`);
} finally {
  await rm(folder, { recursive: true });
}
