import type { CallRecord } from "../../src/index.ts";

export const PROJECT = "bench/steps";

/** How many trials there are, and how many steps each has; `chain`: each of them stands below the one before. */
export interface Shape {
  readonly trials: number;
  readonly steps: number;
  readonly chain: boolean;
}

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

/** A chat and a tool in turns: fourteen tools, of whose calls a tenth fail. */
function step(trial: string, i: number, { chain }: Shape, random: () => number): CallRecord {
  const parent = chain && i > 0 ? `${trial}-${i - 1}` : trial;
  const base = { id: `${trial}-${i}`, project_id: PROJECT, op_name: "step", parent_id: parent };
  const times = { started_at: at(i), ended_at: at(i + 0.5) };
  if (i % 2 === 0 && !chain) {
    const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };
    const usage = { m: { prompt_tokens: 10 + i, completion_tokens: 5 } };
    return { ...base, ...times, attributes, inputs: {}, output: "x", summary: { usage } };
  }
  const name = `tool_${Math.floor(random() * 14)}`;
  const failed = random() < 0.1 ? { "error.type": "Timeout" } : {};
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, ...failed };
  const inputs = { a: chain ? i : Math.floor(random() * 20) };
  return { ...base, ...times, attributes, inputs, output: "x" };
}

/** One evaluation, two trials a row. */
export function* calls(shape: Shape): Generator<CallRecord> {
  let seed = 1;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  yield { id: "e", project_id: PROJECT, op_name: "Evaluation.evaluate", started_at: at(0) };
  for (let t = 0; t < shape.trials; t++) {
    yield {
      id: `t${t}`,
      project_id: PROJECT,
      op_name: "Evaluation.predict_and_score",
      parent_id: "e",
      started_at: at(0),
      inputs: { example: { q: Math.floor(t / 2) } },
      output: { output: "x", scores: { ok: random() < 0.6 } },
    };
    for (let i = 0; i < shape.steps; i++) yield step(`t${t}`, i, shape, random);
  }
}
