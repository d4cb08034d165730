import { zipFile, type MadeEntry } from "./zip-file.ts";

type Members = Readonly<Record<string, unknown>>;

/** A sample of an Inspect log. */
export function sample(id: number | string, epoch: number, scores: Members, others: Members = {}) {
  return {
    id,
    epoch,
    input: `What is ${id}?`,
    target: String(id),
    messages: [
      { role: "user", content: `What is ${id}?`, id: "m1" },
      { role: "assistant", content: "It is." },
    ],
    output: {
      model: "m",
      choices: [{ message: { role: "assistant", content: "It is." } }],
      completion: "It is.",
    },
    scores: Object.fromEntries(
      Object.entries(scores).map(([name, value]) => [name, { value, answer: "It is." }]),
    ),
    metadata: { band: "low" },
    model_usage: { m: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
    working_time: 0.5,
    events: [{ event: "model", deep: [[["]"]]] }],
    ...others,
  };
}

/** The header of an Inspect log: the log without its samples. */
export function header(results: Members = {}, others: Members = {}) {
  return {
    version: 2,
    status: "success",
    eval: {
      eval_id: "run-1",
      run_id: "r",
      created: "2026-01-01T00:00:00+00:00",
      task: "sums",
      task_id: "t",
      task_version: 3,
      model: "m",
      model_args: { answers: "x".repeat(5000) },
      packages: { inspect_ai: "0.3.200" },
    },
    plan: { name: "plan" },
    results,
    stats: { started_at: "2026-01-01T00:00:01+00:00", completed_at: "2026-01-01T00:00:09+00:00" },
    ...others,
  };
}

/** The `.json` form of a log. */
export function jsonLog(head: Members, samples: readonly unknown[]): string {
  return JSON.stringify({ ...head, samples, reductions: [] });
}

interface NamedSample {
  readonly id: number | string;
  readonly epoch: number;
}

/** The entries of the `.eval` form of a log. */
export function logEntries(head: Members, samples: readonly NamedSample[]): MadeEntry[] {
  return [
    { name: "_journal/start.json", data: JSON.stringify({ version: 2, eval: head["eval"] }) },
    ...samples.map((one) => ({
      name: `samples/${one.id}_epoch_${one.epoch}.json`,
      data: JSON.stringify(one),
    })),
    { name: "summaries.json", data: "[]" },
    { name: "header.json", data: JSON.stringify(head) },
  ];
}

export function evalLog(head: Members, samples: readonly NamedSample[]): Buffer {
  return zipFile(logEntries(head, samples));
}
