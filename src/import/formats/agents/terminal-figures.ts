import { figureOf, unchecked } from "../../check/agreement.ts";
import { numberAt, objectAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { grouped } from "../../../model/grouped.ts";
import type { Json, JsonObject } from "../../../model/json.ts";

/** Compares what a run states with its trials, of which those without a verdict count as not resolved. */
export function* terminalFigures(
  run: JsonObject,
  id: string,
  trials: readonly JsonObject[],
): Generator<LogItem> {
  const resolved = trials.filter((one) => one["is_resolved"] === true).length;
  const counts = {
    n_resolved: resolved,
    n_unresolved: trials.length - resolved,
    accuracy: resolved / trials.length,
  };
  for (const [name, computed] of Object.entries(counts)) {
    const stated = numberAt(run, name);
    if (stated !== null) yield figureOf(id, "is_resolved", name, stated, computed);
  }
  const tasks = [...grouped(trials, (one): Json => one["task_id"] ?? null).values()];
  for (const [name, stated] of Object.entries(objectAt(run, "pass_at_k"))) {
    const k = Number(name);
    if (typeof stated !== "number" || !Number.isInteger(k) || k < 1) continue;
    if (tasks.some((all) => all.length < k))
      yield unchecked(`pass_at_k ${k}`, `a task has fewer than ${k} trials`);
    else yield figureOf(id, "is_resolved", `pass_at_${k}`, stated, passAtK(tasks, k));
  }
}

/** The mean over tasks of the chance that one of k trials is resolved. */
function passAtK(tasks: readonly (readonly JsonObject[])[], k: number): number {
  const chances = tasks.map((all) => {
    const failed = all.filter((one) => one["is_resolved"] !== true).length;
    let allFail = 1;
    for (let i = 0; i < k; i++) allFail *= Math.max(0, failed - i) / (all.length - i);
    return 1 - allFail;
  });
  return chances.reduce((sum, one) => sum + one, 0) / chances.length;
}
