/**
 * The views that a statement can read; each has a file of its name in `sql/duckdb/views` that documents its columns.
 */
export const VIEW_NAMES = [
  "evaluations",
  "rows",
  "trials",
  "scores",
  "results",
  "calls",
  "feedback",
  "training_jobs",
  "trajectories",
  "checkpoints",
  "objects",
  "tables",
] as const;

export type ViewName = (typeof VIEW_NAMES)[number];

export function isViewName(name: string): name is ViewName {
  return (VIEW_NAMES as readonly string[]).includes(name);
}
