import type { Engine, EvaluationEntry } from "../../index.ts";
import { at, type Json } from "../../model/json.ts";
import { oneLine } from "../../model/plain-line.ts";
import { modelName } from "../../model/references.ts";
import { UsageError } from "../terminal/failure.ts";
import type { Evaluation } from "./evaluation-module.ts";

/** An evaluation that is to run, and what is stored of it where that is all. */
export interface Going {
  readonly evaluation: Evaluation;
  readonly complete: EvaluationEntry | null;
}

/**
 * What `--resume` goes on with: of each evaluation of a module the latest of its name, under the name of their latest
 * run. One that was not begun in that run is begun. Throws `UsageError` where the latest is of another model.
 */
export async function resumed(
  engine: Engine,
  project: string,
  evaluations: readonly Evaluation[],
): Promise<{ readonly run: string | null; readonly going: readonly Going[] }> {
  const list = await engine.listEvaluations(project);
  const { namedObject } = await import("../on-use/on-use.ts");
  const refs = evaluations.map(({ model }) => namedObject(project, "model", model as Json).reference);
  const found = evaluations.map((one, i) => latestOf(one, refs[i] ?? "", evaluations, list));
  const last = list.findLast((one) => found.includes(one));
  const run = last === undefined ? null : runOf(last);
  const going: Going[] = [];
  for (const [i, evaluation] of evaluations.entries()) {
    const stored = found[i];
    if (stored === undefined || (run !== null && runOf(stored) !== run)) {
      going.push({ evaluation, complete: null });
      continue;
    }
    const { id } = stored;
    refuseOtherModel(stored, refs[i] ?? "");
    const complete = (await isComplete(engine, project, evaluation, stored)) ? stored : null;
    going.push({ evaluation: { ...evaluation, id, resume: true }, complete });
  }
  return { run, going };
}

function latestOf(
  { name, id }: Evaluation,
  model: string,
  all: readonly Evaluation[],
  list: readonly EvaluationEntry[],
): EvaluationEntry | undefined {
  if (id !== undefined) return list.find((one) => one.id === id);
  const isOneOfSeveral = all.filter((one) => one.name === name).length > 1;
  return list.findLast((one) => one.display_name === name && (!isOneOfSeveral || one.model_ref === model));
}

function runOf({ attributes }: EvaluationEntry): string | null {
  const run = at(attributes, "run");
  return typeof run === "string" ? run : null;
}

function refuseOtherModel({ display_name: name, id, model_ref: ref }: EvaluationEntry, model: string): void {
  if (ref === null || ref === model) return;
  throw new UsageError(
    `--resume: ${oneLine(name ?? id)} ran with the model ${modelName(ref)}, and the module has ${modelName(model)}; run it without --resume`,
  );
}

/** Whether an evaluation has no trial in error, no failed scorer, and all trials and rows that are asked for. */
async function isComplete(
  engine: Engine,
  project: string,
  { scorers, trials, attributes }: Evaluation,
  stored: EvaluationEntry,
): Promise<boolean> {
  const partial = at(stored.attributes, "partial");
  const isOther =
    partial !== undefined && JSON.stringify(partial) !== JSON.stringify(attributes?.["partial"]);
  if (stored.status !== "finished" || stored.error_count > 0 || isOther) return false;
  const request = { evaluation_call_ids: [stored.id], limit: 0, include_summary: true } as const;
  const answer = await engine.queryEvalResults(project, { ...request, include_errors: true });
  const [told] = answer.summary?.evaluations ?? [];
  const failed = told?.errors?.some(({ scorer }) => scorer !== null && Object.hasOwn(scorers, scorer));
  const wanted = typeof trials === "number" ? trials * answer.total_rows : 0;
  return failed !== true && stored.trial_count >= wanted;
}
