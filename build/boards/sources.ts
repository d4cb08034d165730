import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import type { CallRecord, Engine, ImportResult } from "../../src/index.ts";

/** The tokens that all attempts of an agent took. */
export interface Usage {
  readonly input: number;
  readonly output: number;
}

export interface Loaded {
  readonly results: readonly ImportResult[];
  /** By agent; without those of which an attempt does not tell its tokens. */
  readonly usage: ReadonlyMap<string, Usage>;
}

/** Loads a local copy into an engine, of each task the first attempts of an agent up to `most`. */
export type Load = (engine: Engine, source: string, most: number) => Promise<Loaded>;

/** A public board: whose results they are, which score says that an attempt succeeded, and how a local copy is read. */
export interface Board {
  readonly title: string;
  readonly address: string;
  readonly licence: string;
  readonly scorer: string;
  readonly load: Load;
}

const PROJECT = "boards/public";

export const BOARDS: Readonly<Record<string, Board>> = {
  "terminal-bench": {
    title: "Terminal-Bench",
    address: "https://github.com/laude-institute/terminal-bench-leaderboard",
    licence: "none was found in the repository",
    scorer: "is_resolved",
    load: loadTerminalBench,
  },
  "tau-bench": {
    title: "tau-bench, airline",
    address: "https://github.com/sierra-research/tau-bench",
    licence: "MIT, Sierra",
    scorer: "reward",
    load: loadTauBench,
  },
};

interface Trial {
  readonly total_input_tokens?: number | null;
  readonly total_output_tokens?: number | null;
}

interface Run {
  readonly file: string;
  readonly trials: readonly Trial[];
}

/**
 * A run is a folder with a `results.json` that lists its trials; the folder around it is the agent's, whatever lies
 * around that. The files of single trials below a run belong to it.
 */
async function loadTerminalBench(engine: Engine, source: string, most: number): Promise<Loaded> {
  const agents = new Map<string, Run[]>();
  for (const file of await filesBelow(source, "results.json")) {
    const { results: trials } = JSON.parse(await readFile(file, "utf8")) as {
      readonly results?: Run["trials"];
    };
    if (!Array.isArray(trials)) continue;
    const agent = path.basename(path.dirname(path.dirname(file)));
    agents.set(agent, [...(agents.get(agent) ?? []), { file, trials }]);
  }
  const results: ImportResult[] = [];
  const usage = new Map<string, Usage>();
  for (const [agent, all] of agents) {
    const runs = all.toSorted((a, b) => compare(runOf(a.file), runOf(b.file))).slice(0, most);
    // The id of a trial tells the attempts of several runs apart.
    const table = { row: ["task_id"], trial: ["id"], evaluationName: agent, modelName: agent };
    const files = runs.map(({ file }) => file);
    results.push(...(await engine.importEvaluations(files, { project: PROJECT, table })));
    const used = usageOf(runs.flatMap(({ trials }) => trials));
    if (used !== null) usage.set(agent, used);
  }
  return { results, usage };
}

/** The sums over trials; null where one does not tell both. The public runs write 0 for what is unknown. */
function usageOf(trials: readonly Trial[]): Usage | null {
  const sums = { input: 0, output: 0 };
  for (const { total_input_tokens: input, total_output_tokens: output } of trials) {
    if (!input || !output) return null;
    sums.input += input;
    sums.output += output;
  }
  return sums;
}

const runOf = (file: string) => path.basename(path.dirname(file));
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

async function filesBelow(source: string, name: string): Promise<string[]> {
  const names = await readdir(source, { recursive: true });
  return names.filter((one) => path.basename(one) === name).map((one) => path.join(source, one));
}

/** Trajectories as tau-bench writes them, a file or a folder of them; or calls of evaluations, one a line, packed or not. */
async function loadTauBench(engine: Engine, source: string, most: number): Promise<Loaded> {
  const isFolder = (await stat(source)).isDirectory();
  const names = isFolder ? (await readdir(source)).toSorted() : [];
  const files = isFolder ? names.map((name) => path.join(source, name)) : [source];
  const rows = files.find((file) => /\brows\.ndjson(?:\.gz)?$/.test(file));
  const calls = files.find((file) => file !== rows && /\.ndjson(?:\.gz)?$/.test(file));
  if (calls !== undefined) {
    if (rows !== undefined) await engine.ingestRows(rows);
    await engine.ingestCalls(firstAttempts(calls, most));
    return { results: [], usage: new Map() };
  }
  const results: ImportResult[] = [];
  for (const file of files.filter((one) => !isFolder || /airline.*\.json$/.test(path.basename(one))))
    results.push(...(await importTrajectories(engine, file, most)));
  return { results, usage: new Map() };
}

async function importTrajectories(engine: Engine, file: string, most: number): Promise<ImportResult[]> {
  const attempts = JSON.parse(await readFile(file, "utf8")) as readonly { readonly trial: number }[];
  const numbers = [...new Set(attempts.map(({ trial }) => trial))].toSorted((a, b) => a - b);
  const first = new Set(numbers.slice(0, most));
  const bytes = Buffer.from(JSON.stringify(attempts.filter(({ trial }) => first.has(trial))));
  const table = { modelName: path.basename(file, ".json") };
  const options = { project: PROJECT, format: "tau-bench", table };
  return await engine.importEvaluations({ name: path.basename(file), bytes }, options);
}

/** The calls of a file without the attempts at a task that come after the first ones, and what is below these. */
async function* firstAttempts(file: string, most: number): AsyncGenerator<CallRecord> {
  const bytes = createReadStream(file);
  const lines = createInterface({ input: file.endsWith(".gz") ? bytes.pipe(createGunzip()) : bytes });
  const counts = new Map<string, number>();
  const left = new Set<string>();
  for await (const line of lines) {
    const call = JSON.parse(line) as CallRecord & { readonly inputs?: { readonly example?: unknown } };
    if (call.op_name?.includes("predict_and_score") === true) {
      const task = JSON.stringify([call.parent_id, call.inputs?.example]);
      const count = (counts.get(task) ?? 0) + 1;
      counts.set(task, count);
      if (count > most) left.add(call.id);
    }
    if (!left.has(call.id) && !left.has(call.parent_id ?? "")) yield call;
  }
}
