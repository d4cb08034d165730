import type { View } from "./view.ts";

export const evaluations: View = {
  record: "an evaluation",
  owner: "e.project_key",
  from: () => "main.evaluations AS e",
  beside: (shown) => `LEFT JOIN (
    SELECT evaluation_key, count(*) AS n, max(started_at) AS last, min(reference_prefix) AS dataset
    FROM main.trials GROUP BY evaluation_key
  ) AS t ON t.evaluation_key = e.evaluation_key
  LEFT JOIN main.calls AS c
    ON ${shown("c.project_key")} AND NOT c.hidden AND c.project_key = e.project_key
      AND c.id_hash = md5_number_lower(concat(e.project_key, ':', e.id)) AND c.id = e.id`,
  where: "NOT e.hidden AND (e.has_root OR t.n > 0)",
  columns: {
    evaluation_call_id: ["VARCHAR", "e.id", "its id: that of its root call"],
    display_name: ["VARCHAR", "e.display_name", "its name"],
    evaluation_ref: ["VARCHAR", "e.evaluation_ref", "reference of the evaluation that was run"],
    model_ref: ["VARCHAR", "e.model_ref", "name or reference of the model"],
    dataset_ref: [
      "VARCHAR",
      "coalesce(e.dataset_ref, replace(t.dataset, '/attr/rows/id/', ''))",
      "reference of the dataset",
    ],
    trace_id: ["VARCHAR", "e.trace_id", "its trace"],
    started_at: ["TIMESTAMP WITH TIME ZONE", "e.started_at", "start; null while the root call is not stored"],
    ended_at: ["TIMESTAMP WITH TIME ZONE", "e.ended_at", "end; null while it runs"],
    exception: ["VARCHAR", "e.exception", "what ended it early"],
    status: [
      "VARCHAR",
      `CASE WHEN e.exception = 'Cancelled' THEN 'cancelled' WHEN e.exception IS NOT NULL THEN 'failed'
        WHEN e.ended_at IS NOT NULL THEN 'finished' ELSE 'running' END`,
      "`finished`, `failed`, `cancelled` or `running`",
    ],
    last_trial_at: ["TIMESTAMP WITH TIME ZONE", "t.last", "start of the trial that started last"],
    trial_count: ["BIGINT", "coalesce(t.n, 0)", "how many trials it has"],
    user: [
      "VARCHAR",
      `CASE WHEN NOT c.hidden AND json_type(TRY(c.record::JSON), '/wb_user_id') = 'VARCHAR'
        THEN nullif(c.record ->> '/wb_user_id', '') END`,
      "who stored it; null where nobody is known",
      "c.project_key",
    ],
    attributes: [
      "JSON",
      `CASE WHEN NOT c.hidden AND json_valid(c.record) THEN json_extract(c.record::JSON, '/attributes') END`,
      "attributes of its root call",
      "c.project_key",
    ],
  },
};
