import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { CallRecord, EvalResultsRequest } from "../../src/index.ts";

/*
 * What calls below trials cost pages that ask nothing of them, after `npm run build`: a page of fifty rows with costs and errors, whose
 * trials have a predict call and none or forty calls below it. Prints the median processor time of a page of all threads.
 */

const PROJECT = "bench/pages";
const { values } = parseArgs({
  options: { trials: { type: "string", default: "10000" }, calls: { type: "string", default: "40" } },
});
const TRIALS = Number(values.trials);
const PAGES = 40;
const ROWS = 50;

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

function* callsOf(below: number): Generator<CallRecord> {
  yield { id: "e", project_id: PROJECT, op_name: "Evaluation.evaluate", started_at: at(0) };
  for (let t = 0; t < TRIALS; t++) {
    const times = { project_id: PROJECT, started_at: at(t), ended_at: at(t + 1) };
    const output = { output: "x", scores: { ok: t % 3 === 0 } };
    const trial = { ...times, id: `t${t}`, op_name: "Evaluation.predict_and_score", parent_id: "e" };
    yield { ...trial, inputs: { example: { q: t } }, output };
    const summary = { usage: { m: { prompt_tokens: 10, completion_tokens: 5 } } };
    const failed = t % 50 === 0 ? { exception: "Error: timeout" } : {};
    const predict = { ...times, id: `p${t}`, op_name: "Model.predict", parent_id: `t${t}` };
    yield { ...predict, output: "x", summary, ...failed };
    for (let i = 0; i < below; i++)
      yield { ...times, id: `c${t}-${i}`, op_name: "helper", parent_id: `p${t}`, inputs: { i }, output: "y" };
  }
}

const { openEngine } = (await import(
  path.join(import.meta.dirname, "../../dist/index.js")
)) as typeof import("../../src/index.ts");
const folder = await mkdtemp(path.join(tmpdir(), "evalcube-bench-pages-"));

async function pageTime(below: number): Promise<number> {
  const file = { path: path.join(folder, `${below}.duckdb`), threads: 2 };
  const writer = await openEngine(file);
  await writer.ingestCalls(callsOf(below));
  await writer.close();
  const engine = await openEngine({ ...file, readOnly: true, keepAnswers: false });
  const times: number[] = [];
  for (let page = 0; page < PAGES; page++) {
    const before = process.cpuUsage();
    const request: EvalResultsRequest = {
      evaluation_call_ids: ["e"],
      include_costs: true,
      include_trial_errors: true,
      prices: { m: { input: 1, output: 2 } },
      limit: ROWS,
      offset: ROWS * page,
    };
    await engine.queryEvalResults(PROJECT, request);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  await engine.close();
  return times.toSorted((a, b) => a - b)[PAGES / 2] ?? 0;
}

const [none, some] = [await pageTime(0), await pageTime(Number(values.calls))];
const shown = `${none.toFixed(1)} ms without calls below, ${some.toFixed(1)} ms with ${values.calls}`;
console.log(`${TRIALS} trials, a page of ${ROWS}: ${shown}: ${(some / none).toFixed(2)} times`);
await rm(folder, { recursive: true });
