/** What is asked and answered, by operation. */
export interface OperationExample {
  readonly request?: unknown;
  readonly reply: unknown;
}

const MODEL = "0198b0d4-6a4f-4c0e-9f53-2f1f0a4f7c11";
const JOB = "5d3c2c0e-0f6a-4a39-8a5b-6f2f6d9f1b20";
const CHECKPOINT = "9f1c7a52-1d7c-4a8e-b7a0-3c5d7f2f9e01";
const EVENT = "b6c1f9a4-7e0a-4a5b-9c65-0d9f4f3e8a77";

const feedback: OperationExample = {
  request: {
    project_id: "acme/qa",
    svc_ref: "svc:///acme/qa/call/trial-1",
    feedback_type: "svc.note.1",
    payload: { note: "Right, but too long." },
  },
  reply: {
    id: "0198b0d4-6a4f-7c0e-9f53-2f1f0a4f7c11",
    created_at: "2026-01-31T12:00:00.000000Z",
    svc_user_id: "ann",
    payload: { note: "Right, but too long." },
  },
};

const trial = {
  predict_and_score_call_id: "trial-1",
  predict_call_id: null,
  model_output: "4",
  scores: { correct: true, judge: { helpfulness: 0.9 } },
  model_latency_seconds: 0.8,
  total_tokens: 42,
  scorer_call_ids: {},
};

const evalResults: OperationExample = {
  request: {
    evaluation_call_ids: ["run-1"],
    filters: [{ query: { $expr: { $gt: [{ $getField: "scores.judge.helpfulness" }, { $literal: 0.5 }] } } }],
    sort_by: [{ field: "scores.judge.helpfulness", direction: "desc" }],
    limit: 50,
  },
  reply: {
    rows: [
      {
        row_digest: "_UlM_CTB1-5bTdSaXVyo0Cj_lb1jqyl-P8XyXy6FP7U",
        raw_data_row: null,
        evaluations: [{ evaluation_call_id: "run-1", trials: [trial] }],
      },
    ],
    total_rows: 1,
    summary: null,
    warnings: [],
  },
};

const chat: OperationExample = {
  request: { model: "m", messages: [{ role: "user", content: "Hi" }] },
  reply: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1769860800,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  },
};

const model = { entity: "acme", project: "qa", name: "agent", base_model: "base-7b" };

function page(item: { readonly id: string; readonly [member: string]: unknown }): OperationExample {
  return { reply: { object: "list", data: [item], first_id: item.id, last_id: item.id, has_more: false } };
}

/** By `operationId`. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  createFeedback: feedback,
  queryEvalResults: evalResults,
  listModels: {
    reply: {
      object: "list",
      data: [{ id: "m", object: "model", created: 0, owned_by: "acme", root: "m" }],
    },
  },
  createChatCompletion: chat,
  createChatCompletionWithSlash: chat,
  createTrainingJob: {
    request: {
      model_id: MODEL,
      trajectory_groups: [
        {
          trajectories: [
            {
              messages_and_choices: [
                { role: "user", content: "What is 2 + 2?" },
                { index: 0, finish_reason: "stop", message: { role: "assistant", content: "4" } },
              ],
              reward: 1,
              metrics: { correct: true },
            },
          ],
        },
      ],
      experimental_config: { learning_rate: 0.000005, ppo: null },
    },
    reply: { id: JOB },
  },
  listTrainingEvents: page({ id: EVENT, type: "training_started", data: { num_sequences: 8 } }),
  registerModel: { request: { ...model, return_existing: true }, reply: { id: MODEL, ...model } },
  listCheckpoints: page({ id: CHECKPOINT, step: 1, metrics: { reward: 0.5 } }),
};
