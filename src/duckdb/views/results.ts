import { MODEL_OUTPUT } from "./trials.ts";
import { ROW_VALUE } from "./rows.ts";
import { valueIf, type View } from "./view.ts";

export const results: View = {
  record:
    "a trial with its evaluation and its row, and a column more for each score dimension of the project",
  owner: "e.project_key",
  from: () => `main.trials AS t
    JOIN main.evaluations AS e ON e.evaluation_key = t.evaluation_key`,
  // The value of a row is made once, not for each trial.
  beside: (shown) => `LEFT JOIN main.calls AS c ON c.call_key = t.trial_key AND ${shown("c.project_key")}
    LEFT JOIN (
      SELECT
        r.row_key,
        ${valueIf(shown("r.project_key"), "r.digest")} AS digest,
        ${valueIf(shown("r.project_key"), ROW_VALUE)} AS value,
        r.text_bytes
      FROM main.rows AS r
      WHERE ${shown("r.project_key")}
    ) AS r ON r.row_key = t.row_key`,
  where: "NOT e.hidden",
  columns: {
    trial_id: ["VARCHAR", "t.id", "id of the trial"],
    evaluation_call_id: ["VARCHAR", "e.id", "its evaluation"],
    display_name: ["VARCHAR", "e.display_name", "name of the evaluation"],
    model_ref: ["VARCHAR", "e.model_ref", "name or reference of the model"],
    row_digest: ["VARCHAR", "r.digest", "its row", null],
    row_value: ["JSON", "r.value", "the dataset row", null, "r.text_bytes"],
    predict_call_id: ["VARCHAR", "t.predict_call_id", "the call of the model"],
    started_at: ["TIMESTAMP WITH TIME ZONE", "t.started_at", "start"],
    model_latency_seconds: ["DOUBLE", "t.latency_seconds", "how long the model took"],
    total_tokens: ["DOUBLE", "t.total_tokens", "tokens of the model"],
    stop_reason: ["VARCHAR", "t.stop_reason", "why it ended"],
    model_output: ["JSON", MODEL_OUTPUT, "what the model answered", undefined, "t.text_bytes"],
    details: [
      "JSON",
      "list_filter([json_extract(t.output::JSON, '/details')], lambda value: value <> 'null')[1]",
      "what else the trial brought: `details ->> 'failure_type'`",
      undefined,
      "t.text_bytes",
    ],
    attributes: [
      "JSON",
      "CASE WHEN json_valid(c.record) THEN json_extract(c.record::JSON, '/attributes') END",
      "attributes of the trial's call",
      "c.project_key",
      "c.text_bytes",
    ],
  },
  inFile: {
    beside: `LEFT JOIN (
      SELECT
        s.trial_key,
        ('{' || string_agg(
          to_json(n.name) || ':'
            || CASE s.kind WHEN 0 THEN to_json(s.number) WHEN 1 THEN to_json(s.number = 1) ELSE to_json(s.text) END,
          ',' ORDER BY n.name, s.path_key
        ) || '}')::JSON AS scores
      FROM main.scores AS s
      JOIN (
        SELECT path_key, array_to_string([replace(one, '.', '\\.') FOR one IN from_json(path, '["VARCHAR"]')], '.') AS name
        FROM main.score_paths
      ) AS n ON n.path_key = s.path_key
      GROUP BY s.trial_key
    ) AS s ON s.trial_key = t.trial_key`,
    columns: {
      scores: [
        "JSON",
        "coalesce(s.scores, '{}'::JSON)",
        "values by dimension; a dot within a name is written `\\.` there",
      ],
    },
  },
};
