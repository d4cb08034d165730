import { uuidFrom } from "./ids.ts";

export const PROJECT = "acme/weave";

const SCORERS = ["exact", "close", "length", "judge"] as const;
const CALLS_A_TRIAL = SCORERS.length + 2;
const VERSION = "KaP9DUANzgtQTFf1kRvIk7caBcYxwHO6AIAAfGuaqes";

const USAGE = { total_tokens: 12, prompt_tokens: 10, completion_tokens: 2 };
const ATTRIBUTES = {
  weave: {
    python: { type: "function" },
    client_version: "0.54.0",
    source: "python-sdk",
    sys_version: "3.11",
    os_name: "Linux",
    os_version: "-",
    os_release: "-",
  },
  _weave_eval_meta: { declarative: true },
};

/**
 * Bodies of `calls/complete` with so many finished calls each, in the order and the size in which the Python SDK sends those of an
 * evaluation: the predict call and four scorer calls of a trial, then the trial. `from`: the number of the first trial.
 */
export function completeBodies(count: number, batch: number, project = PROJECT, from = 0): string[] {
  const trials = Math.ceil((count * batch) / CALLS_A_TRIAL);
  const calls = Array.from({ length: trials }, (_, i) => trialCalls(project, from + i)).flat();
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({ batch: calls.slice(i * batch, (i + 1) * batch) }),
  );
}

/** A body of `feedback/batch/create` with a record for each of so many scores. */
export function feedbackBody(records: number): string {
  const batch = Array.from({ length: records }, (_, i) => ({
    id: uuidFrom(`feedback ${i}`),
    project_id: PROJECT,
    weave_ref: `weave:///${PROJECT}/call/${uuidFrom(`predict ${i}`)}`,
    feedback_type: "wandb.runnable.exact",
    payload: { output: i % 2 === 0 },
    runnable_ref: `weave:///${PROJECT}/op/exact:${VERSION}`,
    call_ref: `weave:///${PROJECT}/call/${uuidFrom(`exact ${i}`)}`,
    scorer_tags: [],
    scorer_ratings: {},
    span_status_code: "UNSET",
  }));
  return JSON.stringify({ batch });
}

function trialCalls(project: string, trial: number): object[] {
  const model = `weave:///${project}/object/adder:${VERSION}`;
  const example = `weave:///${project}/object/sums:${VERSION}/attr/rows/id/row${trial % 1000}`;
  const call = callOf(project, trial);
  const id = uuidFrom(`trial ${trial}`);
  const inputs = { self: model, question: `What is ${trial} + 1?`, n: trial };
  const output = { answer: trial + 1, p: (trial % 100) / 100, usage: USAGE, model: "adder-1" };
  const scores = SCORERS.map((_, i) => (i === 0 ? trial % 2 === 0 : { value: (trial % 64) / 64, ok: i > 1 }));
  const named = Object.fromEntries(SCORERS.map((scorer, i) => [scorer, scores[i]]));
  return [
    call(uuidFrom(`predict ${trial}`), id, "Adder.predict", inputs, output),
    ...SCORERS.map((scorer, i) =>
      call(uuidFrom(`${scorer} ${trial}`), id, scorer, { output, n: trial }, scores[i]),
    ),
    call(
      id,
      uuidFrom("evaluation"),
      "Evaluation.predict_and_score",
      { self: `weave:///${project}/object/evaluation:${VERSION}`, model, example },
      { output, scores: named, model_latency: 0.0125 },
    ),
  ];
}

function callOf(project: string, trial: number) {
  const second = String(trial % 60).padStart(2, "0");
  return (id: string, parent: string, op: string, inputs: object, output: unknown) => ({
    project_id: project,
    id,
    op_name: `weave:///${project}/op/${op}:${VERSION}`,
    display_name: null,
    trace_id: uuidFrom("trace"),
    parent_id: parent,
    thread_id: null,
    turn_id: null,
    started_at: `2026-01-01T00:00:${second}.000001Z`,
    attributes: ATTRIBUTES,
    inputs,
    ended_at: `2026-01-01T00:01:${second}.000001Z`,
    exception: null,
    output,
    summary: { usage: { "adder-1": USAGE }, status_counts: { success: 1, error: 0 } },
    otel_dump: null,
    wb_user_id: null,
    wb_run_id: null,
    wb_run_step: null,
    wb_run_step_end: null,
  });
}
