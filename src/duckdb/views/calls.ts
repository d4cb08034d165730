import type { View } from "./view.ts";

export const calls: View = {
  record: "a call that is not hidden and has its start",
  owner: "c.project_key",
  // A hidden call is of no project here, so that nothing of it is shown.
  from: (shown) => `(
    SELECT
      CASE WHEN NOT hidden THEN project_key END AS project_key,
      id,
      op_name,
      started_at,
      ended_at,
      exception,
      CASE WHEN ${shown("project_key")} AND NOT hidden AND json_valid(record) THEN record::JSON END AS record,
      parent_id,
      text_bytes
    FROM main.calls
    WHERE ${shown("project_key")} AND NOT hidden AND started_at IS NOT NULL
  ) AS c`,
  columns: {
    id: ["VARCHAR", "c.id", "its id"],
    op_name: ["VARCHAR", "c.op_name", "name or reference of its op"],
    trace_id: ["VARCHAR", "json_extract_string(c.record, '/trace_id')", "its trace"],
    parent_id: ["VARCHAR", "c.parent_id", "the call above it"],
    display_name: ["VARCHAR", "json_extract_string(c.record, '/display_name')", "its name"],
    started_at: ["TIMESTAMP WITH TIME ZONE", "c.started_at", "start"],
    ended_at: ["TIMESTAMP WITH TIME ZONE", "c.ended_at", "end; null while it runs"],
    exception: ["VARCHAR", "c.exception", "what ended it early"],
    attributes: [
      "JSON",
      "json_extract(c.record, '/attributes')",
      "its attributes",
      undefined,
      "c.text_bytes",
    ],
    inputs: ["JSON", "json_extract(c.record, '/inputs')", "its inputs", undefined, "c.text_bytes"],
    output: ["JSON", "json_extract(c.record, '/output')", "its output", undefined, "c.text_bytes"],
    summary: [
      "JSON",
      "json_extract(c.record, '/summary')",
      "its summary, such as usage",
      undefined,
      "c.text_bytes",
    ],
    record: ["JSON", "c.record", "all of it, unknown members too", undefined, "c.text_bytes"],
  },
};
