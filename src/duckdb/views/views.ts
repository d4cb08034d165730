import { calls } from "./calls.ts";
import { evaluations } from "./evaluations.ts";
import { feedback } from "./feedback.ts";
import { results } from "./results.ts";
import { rows } from "./rows.ts";
import { scores } from "./scores.ts";
import { steps } from "./steps.ts";
import { checkpoints, trainingJobs, trajectories } from "./training.ts";
import { trials } from "./trials.ts";
import { viewOfFile } from "./view.ts";
import { objects, tables } from "./weave.ts";

/** The views that statements and other programs read, by name. */
export const VIEWS = {
  evaluations,
  rows,
  trials,
  scores,
  results,
  calls,
  steps,
  feedback,
  training_jobs: trainingJobs,
  trajectories,
  checkpoints,
  objects,
  tables,
};

export type ViewName = keyof typeof VIEWS;

export const VIEW_NAMES = Object.keys(VIEWS) as readonly ViewName[];

export function isViewName(name: string): name is ViewName {
  return Object.hasOwn(VIEWS, name);
}

/** Statements that make the views of a file anew. Other programs read them, so they call no macro of this one. */
export const MAKE_FILE_VIEWS = [
  "CREATE SCHEMA IF NOT EXISTS evalcube",
  ...Object.entries(VIEWS).map(
    ([name, view]) => `CREATE OR REPLACE VIEW evalcube.${name} AS ${viewOfFile(view)}`,
  ),
].join(";\n");
