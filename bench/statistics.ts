import { parseArgs } from "node:util";
import { openEngine, type Engine } from "../src/index.ts";

/** Times statistics on a database: `npx tsx bench/statistics.ts --db PATH [--project bench/qa] [--runs 7]`. */
const { values } = parseArgs({
  options: {
    db: { type: "string" },
    project: { type: "string", default: "bench/qa" },
    runs: { type: "string", default: "7" },
  },
});
if (values.db === undefined) throw new Error("name a database: --db PATH");
const { db, project } = values;
const runs = Number(values.runs);

interface Timing {
  readonly wall: number;
  readonly cpu: number;
}

async function time(work: () => Promise<unknown>): Promise<Timing> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
}

/** In an engine of its own, which keeps no answers: the first run, and the least of those after it. */
async function measure(name: string, ask: (engine: Engine, ids: readonly string[]) => Promise<unknown>) {
  const engine = await openEngine({ path: db, readOnly: true, keepAnswers: false });
  const ids = (await engine.listEvaluations(project)).map((one) => one.id);
  const first = await time(() => ask(engine, ids));
  const later: Timing[] = [];
  for (let i = 0; i < runs; i++) later.push(await time(() => ask(engine, ids)));
  await engine.close();
  const least = (of: (timing: Timing) => number) => Math.min(...later.map(of)).toFixed(0);
  console.log(
    `${name}: first ${first.wall.toFixed(0)} ms (CPU ${first.cpu.toFixed(0)}), then ${least(({ wall }) => wall)} ms (CPU ${least(({ cpu }) => cpu)})`,
  );
}

const summary = (ids: readonly string[], uncertain: boolean) => ({
  evaluation_call_ids: ids,
  include_rows: false,
  include_summary: true,
  ...(uncertain ? { include_uncertainty: true, pass_k: [1] } : {}),
});

await measure("summary", (engine, ids) => engine.queryEvalResultsJson(project, summary(ids, false)));
await measure("summary with uncertainty", (engine, ids) =>
  engine.queryEvalResultsJson(project, summary(ids, true)),
);
await measure("comparison of all others with the first", (engine, [baseline = "", ...candidates]) =>
  engine.compareEvaluations(project, { baseline, candidates }),
);
