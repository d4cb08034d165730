import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine, type Engine } from "../../../src/index.ts";
import { call, PROJECT, root, trial } from "../../support/records.ts";

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-commits-"));
let engine: Engine;
let last = 0;

beforeAll(async () => {
  engine = await openEngine({ path: path.join(folder, "evals.duckdb") });
  await engine.ingestCalls([root()]);
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const AT_ONCE = 64;
const ROUNDS = 15;
const MOST = 4;

/** One trial: five calls. */
function oneTrial(): Promise<unknown> {
  const id = `t${last++}`;
  const scores = ["correct", "judge", "length"].map((name) =>
    call(`${id}-${name}`, {
      op_name: `${name}.score`,
      parent_id: id,
      attributes: { svc: { score: true } },
      output: 1,
    }),
  );
  const predict = call(`${id}-predict`, { op_name: "Model.predict", parent_id: id, output: "answer" });
  return engine.ingestCalls([trial(id, { id }, { correct: true, judge: 0.5 }), predict, ...scores]);
}

function oneFeedback(): Promise<unknown> {
  const record = { project_id: PROJECT, svc_ref: `svc:///${PROJECT}/call/e`, feedback_type: "free" };
  return engine.feedback.create({ ...record, payload: { value: last++ } }, { userId: "ann" });
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

it.each([
  ["loads of one trial", oneTrial],
  ["pieces of feedback", oneFeedback],
])(`${AT_ONCE} %s at once take at most ${MOST} times as long as one`, async (what, write) => {
  for (let i = 0; i < 5; i++) await write();
  const one: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await milliseconds(write));
    many.push(await milliseconds(() => Promise.all(Array.from({ length: AT_ONCE }, write))));
  }
  process.stdout.write(
    `${AT_ONCE} ${what}: ${median(many).toFixed(1)} ms; one: ${median(one).toFixed(1)} ms\n`,
  );
  expect(median(many) / median(one)).toBeLessThanOrEqual(MOST);
});
