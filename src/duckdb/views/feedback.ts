import type { View } from "./view.ts";

export const feedback: View = {
  record: "a piece of feedback",
  owner: "f.project_id",
  from: () => "main.feedback AS f",
  columns: {
    id: ["VARCHAR", "f.id", "its id"],
    created_at: ["TIMESTAMP WITH TIME ZONE", "f.created_at", "when it was given"],
    svc_user_id: ["VARCHAR", "f.svc_user_id", "who gave it"],
    svc_ref: ["VARCHAR", "f.svc_ref", "reference of what it is about"],
    feedback_type: ["VARCHAR", "f.feedback_type", "its type"],
    payload: ["JSON", "json_extract(f.content, '/payload')", "what it says"],
    creator: ["VARCHAR", "json_extract_string(f.content, '/creator')", "as it was sent"],
    annotation_ref: ["VARCHAR", "json_extract_string(f.content, '/annotation_ref')", "as it was sent"],
    runnable_ref: ["VARCHAR", "json_extract_string(f.content, '/runnable_ref')", "as it was sent"],
    call_ref: ["VARCHAR", "json_extract_string(f.content, '/call_ref')", "as it was sent"],
    trigger_ref: ["VARCHAR", "json_extract_string(f.content, '/trigger_ref')", "as it was sent"],
    queue_id: ["VARCHAR", "json_extract_string(f.content, '/queue_id')", "as it was sent"],
  },
};
