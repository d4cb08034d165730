import type { Labelled } from "../../src/model/labels.ts";

/** An evaluation that only its name and id tell from others. */
export function labelled(id: string, display_name: string | null): Labelled {
  return { id, display_name, started_at: null, model_ref: null, commit: null, branch: null };
}
