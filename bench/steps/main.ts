import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { CallRecord, Engine } from "../../src/index.ts";

/*
 * What steps of agents cost, after `npm run build`: a load of trials with steps, then the first answer of each question by an engine
 * that was opened for it. Prints how long each took, the processor time of all threads, and for how much of its own the event loop was
 * held at most, which is how long others wait on a core of their own. On Linux.
 */

const PROJECT = "bench/steps";
const { values } = parseArgs({
  options: { trials: { type: "string", default: "10000" }, steps: { type: "string", default: "60" } },
});
const [TRIALS, STEPS] = [Number(values.trials), Number(values.steps)];

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

/** A chat and a tool in turns: fourteen tools, of whose calls a tenth fail. */
function step(trial: string, i: number, random: () => number): CallRecord {
  const base = { id: `${trial}-${i}`, project_id: PROJECT, op_name: "step", parent_id: trial };
  const times = { started_at: at(i), ended_at: at(i + 0.5) };
  if (i % 2 === 0) {
    const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };
    const usage = { m: { prompt_tokens: 10 + i, completion_tokens: 5 } };
    return { ...base, ...times, attributes, inputs: {}, output: "x", summary: { usage } };
  }
  const name = `tool_${Math.floor(random() * 14)}`;
  const failed = random() < 0.1 ? { "error.type": "Timeout" } : {};
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, ...failed };
  return { ...base, ...times, attributes, inputs: { a: Math.floor(random() * 20) }, output: "x" };
}

function* calls(): Generator<CallRecord> {
  let seed = 1;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  yield { id: "e", project_id: PROJECT, op_name: "Evaluation.evaluate", started_at: at(0) };
  for (let t = 0; t < TRIALS; t++) {
    yield {
      id: `t${t}`,
      project_id: PROJECT,
      op_name: "Evaluation.predict_and_score",
      parent_id: "e",
      started_at: at(0),
      inputs: { example: { q: Math.floor(t / 2) } },
      output: { output: "x", scores: { ok: random() < 0.6 } },
    };
    for (let i = 0; i < STEPS; i++) yield step(`t${t}`, i, random);
  }
}

const RUN = { evaluation_call_ids: ["e"] };
const QUESTIONS: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  tools: (engine) => engine.steps(PROJECT, RUN),
  diff: (engine) => engine.steps(PROJECT, { view: "diff", ...RUN }),
  trial: (engine) => engine.steps(PROJECT, { view: "trial", trials: ["t0"] }),
  sorted: (engine) =>
    engine.queryEvalResults(PROJECT, { ...RUN, limit: 50, sort_by: [{ field: "steps.count" }] }),
};

/** Processor time of this thread alone, in milliseconds. */
const ownTime = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  let [held, last] = [0, ownTime()];
  const timer = setInterval(() => {
    const now = ownTime();
    [held, last] = [Math.max(held, now - last), now];
  }, 5);
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const [wall, { user, system }] = [performance.now() - began, process.cpuUsage(before)];
  clearInterval(timer);
  const figures = [wall, (user + system) / 1000, held].map((one) => one.toFixed(0).padStart(8));
  console.log(`${name.padEnd(8)}${figures.join("")}`);
}

const { openEngine } = (await import(
  path.join(import.meta.dirname, "../../dist/index.js")
)) as typeof import("../../src/index.ts");
const folder = await mkdtemp(path.join(tmpdir(), "evalcube-bench-steps-"));
const file = { path: path.join(folder, "steps.duckdb"), threads: 2 };
console.log(`${TRIALS} trials x ${STEPS} steps, ms: wall, processor, event loop held`);
const writer = await openEngine(file);
await measure("load", () => writer.ingestCalls(calls()));
await writer.close();
for (const [name, ask] of Object.entries(QUESTIONS)) {
  const engine = await openEngine({ ...file, readOnly: true });
  await engine.queryEvalResults(PROJECT, { ...RUN, limit: 1 });
  await measure(name, () => ask(engine));
  await engine.close();
}
await rm(folder, { recursive: true });
