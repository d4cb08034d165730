import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";
import { answerOf, answersAbout, idsOf, importBytes, PROJECT } from "./imports.ts";
import { header, jsonLog, sample } from "./inspect-logs.ts";

const SEED = Number(process.env["SEED"] ?? 206);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 4);
const options = { seed: SEED, numRuns: SCENARIOS, endOnFailure: process.env["SHRINK"] === undefined };

const record = fc.record({
  id: fc.integer({ min: 1, max: 4 }),
  asksOther: fc.boolean(),
  expected: fc.constantFrom("A", "B", ""),
  category: fc.constantFrom("law", "art", ""),
  failure: fc.constantFrom("none", "tool"),
  score: fc.constantFrom("true", "false", ""),
});
type Drawn = typeof record extends fc.Arbitrary<infer T> ? T : never;

const step = fc.record({
  kind: fc.constantFrom("csv", "json", "rows", "calls", "inspect", "export"),
  records: fc.uniqueArray(record, {
    minLength: 2,
    maxLength: 5,
    selector: ({ id, asksOther }) => `${id}${asksOther}`,
  }),
  number: fc.integer({ min: 1, max: 1_000_000 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const questionOf = ({ id, asksOther }: Drawn) => `${asksOther ? "another" : "one"} ${id}`;

function objectsOf({ records }: Step) {
  // A score has a value somewhere.
  return records.map((one, i) => ({
    id: one.id,
    question: questionOf(one),
    expected: one.expected,
    category: one.category,
    failure: one.failure,
    score: i === 0 ? one.score !== "false" : one.score === "" ? null : one.score === "true",
  }));
}

function csvOf(one: Step): string {
  const objects = objectsOf(one);
  return [
    Object.keys(objects[0] ?? {}).join(","),
    ...objects.map((each) =>
      Object.values(each)
        .map((value) => value ?? "")
        .join(","),
    ),
  ].join("\n");
}

function inspectOf({ records, number }: Step): Buffer | string {
  const head = header({}, {});
  const samples = records.map((one) =>
    sample(
      one.id,
      one.asksOther ? 2 : 1,
      { match: one.score === "true" ? 1 : 0 },
      {
        metadata: { category: one.category, expected: one.expected },
      },
    ),
  );
  return jsonLog(
    { ...head, eval: { ...head.eval, eval_id: `run-${number}`, task: `sums-${number}` } },
    samples,
  );
}

/** Rows of Weave under the digests of rows that are stored, with other values. */
function weaveRows({ records }: Step, digests: readonly string[]): string {
  const lines = records.map((one, i) => ({
    digest: digests[(one.id + i) % digests.length] ?? "none",
    val: { input: questionOf(one), expected: one.expected, category: one.category, added: one.id },
  }));
  return lines.map((one) => JSON.stringify(one)).join("\n");
}

/** An evaluation whose trials are of stored rows, by references and as values. */
function weaveCalls({ records, number }: Step, rows: Awaited<ReturnType<typeof storedRows>>): string {
  const id = `weave-${number}`;
  const shared = { project_id: PROJECT, trace_id: id, started_at: "2026-01-01T00:00:00Z" };
  const trials = records.map((one, i) => {
    const row = rows[(one.id + i) % rows.length];
    const reference = `weave:///${PROJECT}/object/Set:v1/attr/rows/id/${row?.row_digest}`;
    return {
      ...shared,
      id: `${id}-${i}`,
      parent_id: id,
      op_name: "Evaluation.predict_and_score",
      inputs: { model: "m", example: one.asksOther ? (row?.raw_data_row ?? {}) : reference },
      output: { output: one.failure, scores: { correct: one.score === "true" } },
    };
  });
  const inputs = { self: "weave", model: "m" };
  const root = { ...shared, id, op_name: "Evaluation.evaluate", display_name: id, inputs };
  return [root, ...trials].map((one) => JSON.stringify(one)).join("\n");
}

async function storedRows(engine: Engine) {
  const entries = await engine.listEvaluations(PROJECT);
  return (await answerOf(engine, ...entries.map(({ id }) => id))).rows;
}

/** An export of another database, in which the same rows have other values. */
async function exportOf(one: Step, folder: string): Promise<string> {
  const other = await openEngine({ threads: 1 });
  try {
    const ids = idsOf([await importBytes(other, csvOf(one), {}, `elsewhere-${one.number}.csv`)]);
    const file = path.join(folder, `${one.number}.jsonl`);
    const request = { evaluation_call_ids: ids, include_raw_data_rows: true, resolve_row_refs: true };
    await other.exportResults(PROJECT, request, { format: "jsonl", path: file });
    return file;
  } finally {
    await other.close();
  }
}

/** Imports a step; answers the ids of its evaluations. */
async function take(engine: Engine, one: Step, folder: string): Promise<string[]> {
  const { kind, number } = one;
  if (kind === "export")
    return idsOf(await engine.importEvaluations(await exportOf(one, folder), { project: PROJECT }));
  const stored = kind === "rows" || kind === "calls" ? await storedRows(engine) : [];
  const bytes = {
    csv: () => csvOf(one),
    json: () => JSON.stringify(objectsOf(one)),
    rows: () =>
      weaveRows(
        one,
        stored.map((row) => row.row_digest),
      ),
    calls: () => weaveCalls(one, stored),
    inspect: () => inspectOf(one),
  }[kind]();
  return idsOf([await importBytes(engine, bytes, {}, `${kind}-${number}`)]);
}

describe(`what is stored (SEED=${SEED})`, () => {
  it(
    "is answered in the same bytes after any import of other evaluations",
    { timeout: 3_600_000 },
    async () => {
      const first = step.map((one): Step => ({ ...one, kind: one.number % 2 === 0 ? "csv" : "inspect" }));
      const property = fc.asyncProperty(
        first,
        fc.array(step, { minLength: 2, maxLength: 4 }),
        async (begin, steps) => {
          const folder = scratchFolder();
          const engine = await openEngine({ threads: 1 });
          try {
            let ids = await take(engine, begin, folder);
            let before = await answersAbout(engine, ids, folder);
            for (const one of steps) {
              const added = await take(engine, one, folder);
              expect({ after: one, told: await answersAbout(engine, ids, folder) }).toEqual({
                after: one,
                told: before,
              });
              const fresh = added.filter((id) => !ids.includes(id));
              ids = ids.concat(fresh);
              before = await answersAbout(engine, ids, folder);
            }
          } finally {
            await engine.close();
          }
        },
      );
      await fc.assert(property, options);
    },
  );
});
