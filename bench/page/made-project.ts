import path from "node:path";
import { openEngine } from "../../src/index.ts";
import { exactFraction, randomAt } from "../generate/random.ts";
import { sentences } from "../generate/text.ts";

const PROJECT = "bench/page";
const EVALUATIONS = 10;
const SEED = 20261127;

/** A database of ten evaluations of the same rows, one trial a row, each with a true or false, a number and a latency. */
export async function makeProject(folder: string, rows: number): Promise<{ db: string; project: string }> {
  const db = path.join(folder, "made.duckdb");
  const engine = await openEngine({ path: db });
  try {
    await engine.ingestCalls(calls(rows));
  } finally {
    await engine.close();
  }
  return { db, project: PROJECT };
}

const TOPICS = ["law", "maths", "history", "physics"];

function rowAt(i: number) {
  const random = randomAt(SEED, 0, i);
  return { id: i, question: sentences(random, 12), topic: TOPICS[i % TOPICS.length] ?? "" };
}

function* calls(rows: number) {
  for (let e = 0; e < EVALUATIONS; e++) {
    const model = `weave:///${PROJECT}/object/model-${e}:v1`;
    const own = { project_id: PROJECT, trace_id: `run-${e}`, attributes: {} };
    const started_at = `2026-07-${String(e + 1).padStart(2, "0")}T12:00:00Z`;
    const names = { op_name: "Evaluation.evaluate", display_name: `model ${e}` };
    const times = { started_at, ended_at: started_at };
    yield { ...own, ...names, ...times, id: `run-${e}`, inputs: { self: "rows", model }, output: null };
    for (let i = 0; i < rows; i++) {
      const random = randomAt(SEED, 1 + e, i);
      yield {
        ...own,
        ...times,
        id: `trial-${e}-${i}`,
        parent_id: `run-${e}`,
        op_name: "Evaluation.predict_and_score",
        inputs: { example: rowAt(i), model },
        output: {
          output: sentences(random, 20),
          scores: { correct: random() < 0.7 + e / 50, judge: { points: exactFraction(random()) } },
          model_latency: random() * 3,
        },
      };
    }
  }
}
