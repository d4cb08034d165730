import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { parseJson, writeJson, type Json } from "../../src/model/json.ts";
import { scenario } from "../oracle/arbitraries.ts";
import { formatTimestamp, parseTimestamp } from "../../src/model/timestamp.ts";
import { play } from "../oracle/play.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { call, PROJECT } from "../support/records.ts";
import { scratchFolder } from "../support/scratch.ts";
import { importFile } from "./imports.ts";

const SEED = Number(process.env["SEED"] ?? 903);
const RUNS = Number(process.env["RUNS"] ?? 2);
const options = { seed: SEED, numRuns: RUNS, endOnFailure: process.env["SHRINK"] === undefined };

const FORMATS = ["csv", "jsonl", "json", "parquet", "arrow"] as const;

const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ maxLength: 8 }));
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -3, max: 3 }));

/** Each dimension has one kind of values, and null; the names of some are hard to tell from those of others. */
const DIMENSIONS: readonly (readonly [readonly string[], fc.Arbitrary<Json>])[] = [
  [["correct"], fc.boolean()],
  [["share"], number],
  [["said"], text],
  [["judge", "score"], number],
  [["judge", "why"], fc.constantFrom("true", "1.5", "", "NaN", "null", "='x'")],
  [["a.b"], number],
  [["a", "b"], fc.boolean()],
  [["Share"], fc.boolean()],
  [["back\\", "slash"], number],
  [[" blank ", ""], number],
  [["__proto__"], number],
];

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const scores = fc.tuple(...DIMENSIONS.map(([, value]) => fc.oneof(maybe(value), fc.constant(null))));

const drawnTrial = fc.record({
  row: fc.integer({ min: 0, max: 5 }),
  scores,
  output: fc.oneof(text, fc.json({ maxDepth: 2 }).map(parseJson)),
  latency: maybe(
    fc.oneof(
      fc.integer({ min: 0, max: 10_000_000 }).map((n) => n / 1e6),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
    ),
  ),
  tokens: maybe(fc.integer({ min: 0, max: 1e6 })),
  cost: maybe(fc.double({ min: 0, max: 10, noNaN: true })),
  fails: fc.constantFrom("no", "no", "no", "no", "exception", "silently"),
  hasPredict: fc.boolean(),
  details: maybe(fc.json({ maxDepth: 2 }).map(parseJson)),
});

const drawnEvaluation = fc.record({
  name: maybe(text.filter((one) => one !== "")),
  model: maybe(fc.constantFrom("small", "svc:///acme/qa/object/large:v1")),
  self: maybe(fc.constantFrom("svc:///acme/qa/object/quiz:v1", "quiz")),
  trace: maybe(fc.constant("trace")),
  ends: fc.constantFrom("finished", "failed", "running"),
  second: fc.integer({ min: 10, max: 59 }),
  trials: fc.array(drawnTrial, { minLength: 1, maxLength: 8 }),
});

type Drawn = typeof drawnEvaluation extends fc.Arbitrary<infer T> ? T : never;

function scoresOf(values: readonly (Json | undefined)[]): Json {
  const found: { [name: string]: Json } = Object.create(null) as { [name: string]: Json };
  for (const [i, [names]] of DIMENSIONS.entries()) {
    const value = values[i];
    const [first = "", second] = names;
    if (value === undefined) continue;
    if (second === undefined) found[first] = value;
    else found[first] = { ...(found[first] as object), [second]: value };
  }
  return found;
}

/** The row that trials hold, or refer to. */
const isReferenced = (row: number) => row % 2 === 1;
const inputOf = (row: number) => ({
  question: `question ${row}`,
  text: hostileTexts[row] ?? "",
  deep: [row / 8],
});
const exampleOf = (row: number) =>
  isReferenced(row) ? `svc:///acme/qa/object/set:v1/attr/rows/id/row${row}` : inputOf(row);

function* callsOf(id: string, drawn: Drawn) {
  const { name, model, self, trace, ends, second } = drawn;
  const start = `2026-01-31T12:00:${second}Z`;
  const shared = { started_at: start, trace_id: trace ?? id };
  yield call(id, {
    ...shared,
    op_name: "Evaluation.evaluate",
    display_name: name,
    inputs: { self, model },
    ...(ends === "running" ? {} : { ended_at: "2026-01-31T13:00:00Z" }),
    ...(ends === "failed" ? { exception: "Stopped: by hand" } : {}),
  });
  for (const [i, one] of drawn.trials.entries()) {
    const own = `${id}-${i}`;
    const at = `2026-01-31T12:00:${second}.${String(900 - i)}Z`;
    const summary =
      one.tokens === undefined
        ? {}
        : { summary: { usage: { [model ?? "model"]: { total_tokens: one.tokens } } } };
    const micros = one.latency === undefined ? Number.NaN : Math.round(one.latency * 1e6);
    const isTimed = one.hasPredict && micros / 1e6 === one.latency && micros < 59e6;
    yield call(own, {
      ...shared,
      started_at: at,
      op_name: "Evaluation.predict_and_score",
      parent_id: id,
      inputs: { example: exampleOf(one.row), model },
      ...(one.fails === "exception" ? { exception: `TimeoutError: ${i} after 30 s` } : {}),
      ...(one.fails === "silently"
        ? {}
        : {
            output: {
              output: one.output,
              scores: scoresOf(one.scores),
              ...(one.details === undefined ? {} : { details: one.details }),
              ...(one.cost === undefined ? {} : { cost_usd: one.cost }),
              ...(isTimed || one.latency === undefined ? {} : { model_latency: one.latency }),
            },
          }),
      ...(one.hasPredict ? {} : summary),
    });
    if (!one.hasPredict) continue;
    const end = isTimed ? formatTimestamp((parseTimestamp(at) ?? 0n) + BigInt(micros)) : null;
    yield call(`${own}-predict`, {
      ...shared,
      started_at: at,
      op_name: "predict",
      parent_id: own,
      ...(end === null ? {} : { ended_at: end }),
      ...summary,
    });
  }
}

async function load(engine: Engine, evaluations: readonly Drawn[]): Promise<string[]> {
  const ids = evaluations.map((_, i) => `run ${i}`);
  const stored = [1, 3].map((row) => ({ project_id: PROJECT, digest: `row${row}`, val: inputOf(row) }));
  await engine.ingestRows(stored);
  await engine.ingestCalls(evaluations.flatMap((drawn, i) => [...callsOf(ids[i] ?? "", drawn)]));
  return ids;
}

/** All that the figures of evaluations are told by, as text in parts. */
async function figures(engine: Engine, ids: readonly string[]): Promise<readonly string[]> {
  const query = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ids,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_summary: true,
    include_uncertainty: true,
    include_usage: true,
    include_errors: true,
    include_costs: true,
  });
  const [baseline = "", ...candidates] = ids;
  const all = [
    { ...query, rows: query.rows.map((row) => sorted(row)) },
    await engine.leaderboard(PROJECT, { evaluations: ids, prices: {} }).catch(String),
    await engine.compareEvaluations(PROJECT, { baseline, candidates }).catch(String),
  ];
  return writeJson(all).split(/(?<=,)(?=")/);
}

/** The first parts in which two lists differ. */
function differing(a: readonly string[], b: readonly string[]): readonly string[] {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at < 0 && a.length === b.length
    ? []
    : [a.slice(at - 3, at + 3).join(""), b.slice(at - 3, at + 3).join("")];
}

/** The order of members is no figure. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => sorted(one));
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name as keyof typeof value])]));
}

const asked = (ids: readonly string[], others: Partial<EvalResultsRequest> = {}) =>
  ({ evaluation_call_ids: ids, include_raw_data_rows: true, resolve_row_refs: true, ...others }) as const;

async function exported(
  engine: Engine,
  request: EvalResultsRequest,
  format: (typeof FORMATS)[number],
  writing = {},
) {
  const file = path.join(scratchFolder(), `trials.${format}`);
  await engine.exportResults(PROJECT, request, { format, path: file, ...writing });
  return file;
}

/** Counts over the drawn trials, as the engine counts them. */
function counted(drawn: Drawn) {
  const went = drawn.trials.filter(({ fails }) => fails !== "silently");
  const of = (i: number) => went.map(({ scores: values }) => values[i]);
  return {
    trials: drawn.trials.length,
    errors: drawn.trials.filter(({ fails }) => fails !== "no").length,
    right: of(0).filter((value) => value === true).length,
    judged: of(0).filter((value) => typeof value === "boolean").length,
    nulls: drawn.trials.filter(({ fails, scores: values }) => fails === "no" && values[1] === null).length,
    shares: of(1).filter((value) => typeof value === "number").length,
  };
}

async function countedBy(engine: Engine, id: string) {
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [id],
    include_summary: true,
    include_uncertainty: true,
  });
  const evaluation = summary.evaluations[0];
  const listed = (await engine.listEvaluations(PROJECT)).find((one) => one.id === id);
  const stat = (key: string) =>
    evaluation?.scorer_stats.find((one) => one.scorer_key === key && one.path === null);
  return {
    trials: evaluation?.trial_count ?? 0,
    errors: listed?.error_count ?? 0,
    right: stat("correct")?.pass_true_count ?? 0,
    judged: stat("correct")?.pass_known_count ?? 0,
    nulls: stat("share")?.null_count ?? 0,
    shares: stat("share")?.numeric_count ?? 0,
  };
}

describe(`exports that are imported (SEED=${SEED})`, () => {
  it(
    "give the figures of random evaluations in every format, and change nothing where they came from",
    { timeout: 400_000 },
    async () => {
      const evaluations = fc.array(drawnEvaluation, { minLength: 1, maxLength: 3 });
      const property = fc.asyncProperty(evaluations, async (drawn) => {
        const engine = await openEngine({ threads: 1 });
        const ids = await load(engine, drawn);
        const before = await figures(engine, ids);
        for (const format of FORMATS) {
          const file = await exported(engine, asked(ids), format);
          const fresh = await openEngine({ threads: 1 });
          const result = await importFile(fresh, file);
          expect(result).toMatchObject({ format: "evalcube", rejected: [], unchanged: 0 });
          expect(differing(before, await figures(fresh, ids)), format).toEqual([]);
          for (const [i, one] of drawn.entries())
            expect(await countedBy(fresh, ids[i] ?? "")).toMatchObject(counted(one));
          await fresh.close();
          const again = await importFile(engine, file);
          expect(again).toMatchObject({ stored: 0, unchanged: again.received });
          expect(again.notes).toContainEqual(expect.stringContaining("0 stored"));
          expect(differing(before, await figures(engine, ids))).toEqual([]);
        }
        await engine.close();
      });
      await fc.assert(property, options);
    },
  );

  it(
    "of random calls are imported where they came from, and change no answer",
    { timeout: 400_000 },
    async () => {
      const property = fc.asyncProperty(
        scenario(1),
        async ({ events: played, projectId, requests: [request] }) => {
          const engine = await openEngine({ threads: 1 });
          await play(engine, played, 1000);
          const { evaluation_call_ids } = request ?? {};
          const whole = { evaluation_call_ids, include_raw_data_rows: true, resolve_row_refs: true } as const;
          const before = await engine.queryEvalResultsJson(projectId, { ...whole, include_summary: true });
          const file = path.join(scratchFolder(), "trials.jsonl");
          const { trials } = await engine.exportResults(projectId, whole, { format: "jsonl", path: file });
          // A file without a trial is no export.
          const results = trials === 0 ? [] : await engine.importEvaluations(file, { project: projectId });
          expect(results.map(({ format, stored }) => [format, stored])).toEqual(
            trials === 0 ? [] : [["evalcube", 0]],
          );
          const fresh = await openEngine({ threads: 1 });
          if (trials > 0) await fresh.importEvaluations(file, { project: projectId });
          await fresh.close();
          expect(await engine.queryEvalResultsJson(projectId, { ...whole, include_summary: true })).toEqual(
            before,
          );
          await engine.close();
        },
      );
      await fc.assert(property, { ...options, numRuns: 3 * RUNS });
    },
  );
});
