import { valueIf, type View } from "./view.ts";

export const scores: View = {
  record: "a score value of a trial, late ones too",
  owner: "e.project_key",
  // What p gives depends on p alone, so that a condition on it is met before the scores are read.
  from: (shown) => `main.scores AS s
    JOIN main.evaluations AS e ON e.evaluation_key = s.evaluation_key
    JOIN (
      SELECT
        path_key,
        ${valueIf(shown("project_key"), "names[1]")} AS scorer_key,
        ${valueIf(shown("project_key"), "CASE WHEN len(names) > 1 THEN array_to_string(names[2:], '.') END")} AS path
      FROM (
        SELECT path_key, project_key, from_json(path, '["VARCHAR"]') AS names
        FROM main.score_paths WHERE ${shown("project_key")}
      )
    ) AS p ON p.path_key = s.path_key`,
  beside: () => `LEFT JOIN main.trials AS t ON t.trial_key = s.trial_key
    LEFT JOIN main.rows AS r ON r.row_key = s.row_key`,
  where: "NOT e.hidden",
  columns: {
    trial_id: ["VARCHAR", "t.id", "its trial"],
    evaluation_call_id: ["VARCHAR", "e.id", "its evaluation"],
    row_digest: ["VARCHAR", "r.digest", "its row"],
    scorer_key: ["VARCHAR", "p.scorer_key", "its scorer", null],
    path: ["VARCHAR", "p.path", "names below the scorer joined by dots; null at its root", null],
    value_type: [
      "VARCHAR",
      "CASE s.kind WHEN 0 THEN 'continuous' WHEN 1 THEN 'binary' ELSE 'text' END",
      "of this value: `continuous`, `binary` or `text`",
    ],
    numeric_value: ["DOUBLE", "CASE WHEN s.kind = 0 THEN s.number END", "a number"],
    boolean_value: ["BOOLEAN", "CASE WHEN s.kind = 1 THEN s.number = 1 END", "a boolean"],
    text_value: ["VARCHAR", "CASE WHEN s.kind = 2 THEN s.text END", "a text"],
  },
};
