import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Engine } from "../../src/index.ts";
import { calls, PROJECT } from "./calls.ts";

/* One question in a process of its own; `main.ts` starts it and reads what it prints. On Linux. */

/** What was measured: times in milliseconds, of so many questions each; the most memory that was held, in MB. */
export interface Measured {
  readonly wall: number;
  readonly processor: number;
  /** Of this thread's own time, for how much the event loop was held at most. */
  readonly held: number;
  readonly peak: number;
}

const { values } = parseArgs({
  options: {
    question: { type: "string", default: "tools" },
    file: { type: "string", default: "" },
    version: { type: "string", default: path.join(import.meta.dirname, "../..") },
    shape: { type: "string", default: "" },
    times: { type: "string", default: "1" },
  },
});

const RUN = { evaluation_call_ids: ["e"] };
const QUESTIONS: Readonly<Record<string, (engine: Engine, time: number) => Promise<unknown>>> = {
  load: (engine) => engine.ingestCalls(calls(JSON.parse(values.shape) as Parameters<typeof calls>[0])),
  tools: (engine) => engine.steps(PROJECT, RUN),
  diff: (engine) => engine.steps(PROJECT, { view: "diff", ...RUN }),
  trial: (engine) => engine.steps(PROJECT, { view: "trial", trials: ["t0"] }),
  sorted: (engine) =>
    engine.queryEvalResults(PROJECT, { ...RUN, limit: 50, sort_by: [{ field: "steps.count" }] }),
  sql: (engine) => engine.sql(PROJECT, "SELECT * FROM steps"),
  page: (engine, offset) =>
    engine.queryEvalResults(PROJECT, {
      ...RUN,
      limit: 100,
      offset,
      sort_by: [{ field: "scores.ok", direction: "desc" }],
      include_costs: true,
      include_trial_errors: true,
    }),
  summary: (engine, offset) =>
    engine.queryEvalResults(PROJECT, {
      ...RUN,
      limit: 1,
      offset,
      include_summary: true,
      include_uncertainty: true,
    }),
};

/** Processor time of this thread alone, in milliseconds. */
const ownTime = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

async function measure(times: number, work: (time: number) => Promise<unknown>): Promise<Measured> {
  let [held, last] = [0, ownTime()];
  const timer = setInterval(() => {
    const now = ownTime();
    [held, last] = [Math.max(held, now - last), now];
  }, 5);
  const [began, before] = [performance.now(), process.cpuUsage()];
  for (let time = 0; time < times; time++) await work(time);
  const [wall, { user, system }] = [performance.now() - began, process.cpuUsage(before)];
  clearInterval(timer);
  const processor = (user + system) / 1000;
  return {
    wall: wall / times,
    processor: processor / times,
    held,
    peak: process.resourceUsage().maxRSS / 1000,
  };
}

const { openEngine } = (await import(
  path.join(values.version, "dist/index.js")
)) as typeof import("../../src/index.ts");
const isLoad = values.question === "load";
const engine = await openEngine({ path: values.file, threads: 2, readOnly: !isLoad });
const [ask, times] = [QUESTIONS[values.question], Number(values.times)];
if (ask === undefined) throw new Error(`there is no question ${values.question}`);
if (!isLoad) await engine.queryEvalResults(PROJECT, { ...RUN, limit: 1, offset: times });
console.log(JSON.stringify(await measure(times, (time) => ask(engine, time))));
await engine.close();
