import type { LogSource } from "../../format.ts";
import type { SourceFile } from "../../read/source-file.ts";

/** Files of a run folder that belong to the run, also those that HELM writes for its own pages. */
export const RUN_FILES = [
  "run_spec.json",
  "scenario.json",
  "scenario_state.json",
  "per_instance_stats.json",
  "stats.json",
  "instances.json",
  "display_requests.json",
  "display_predictions.json",
] as const;

type RunFile = (typeof RUN_FILES)[number];

/** Opens a file of the run folder, also a packed one; null where there is none. */
export async function openRunFile(
  { file, head, beside }: LogSource,
  name: RunFile,
): Promise<SourceFile | null> {
  const isFile = (one: string) => one === name || one === `${name}.gz` || one === `${name}.zst`;
  if (isFile(head.name)) return file;
  const found = head.siblings.find(isFile);
  return found === undefined ? null : await beside(found);
}
