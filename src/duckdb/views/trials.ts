import type { View } from "./view.ts";

/** What the model answered: the member `output` of the output of a call, else `model_output`; null where it is null. */
export const MODEL_OUTPUT = `list_filter([coalesce(
      json_extract(t.output, '/output'),
      CASE WHEN NOT starts_with(t.output, '{"output":') AND NOT json_exists(t.output, '/output')
        THEN json_extract(t.output, '/model_output') END
    )], lambda value: value <> 'null')[1]`;

export const trials: View = {
  record: "a trial: one answer of a model to one row",
  owner: "e.project_key",
  from: () => `main.trials AS t
    JOIN main.evaluations AS e ON e.evaluation_key = t.evaluation_key`,
  beside: () => "LEFT JOIN main.rows AS r ON r.row_key = t.row_key",
  where: "NOT e.hidden",
  columns: {
    trial_id: ["VARCHAR", "t.id", "its id: that of its predict-and-score call"],
    evaluation_call_id: ["VARCHAR", "e.id", "its evaluation"],
    row_digest: ["VARCHAR", "r.digest", "its row"],
    predict_call_id: ["VARCHAR", "t.predict_call_id", "the call of the model"],
    started_at: ["TIMESTAMP WITH TIME ZONE", "t.started_at", "start"],
    model_latency_seconds: ["DOUBLE", "t.latency_seconds", "how long the model took"],
    total_tokens: ["DOUBLE", "t.total_tokens", "tokens of the model"],
    stop_reason: ["VARCHAR", "t.stop_reason", "why it ended"],
    model_output: ["JSON", MODEL_OUTPUT, "what the model answered", undefined, "t.text_bytes"],
    output: ["JSON", "t.output::JSON", "the whole output of the call, scores too", undefined, "t.text_bytes"],
  },
};
