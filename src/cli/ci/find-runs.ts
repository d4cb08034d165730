import { findEvaluation } from "../../engine/catalog/find-evaluation.ts";
import type { EvaluationEntry } from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { usageFault } from "../../request/meaningless.ts";
import { namesakeOf } from "./pair-suites.ts";
import { modelOf, nameOf, readCalls, type Place } from "./read-suites.ts";

/** An evaluation, and the run that its root names; null where it names none. */
export type Run = EvaluationEntry & { readonly run: string | null };

/** The evaluations that are judged, and those that may be their baseline, by start. */
export interface Runs {
  readonly candidates: readonly Run[];
  readonly others: readonly Run[];
}

/** The evaluations of a project by start, those without one last. */
export async function listRuns(place: Place): Promise<Run[]> {
  const list = await place.engine.listEvaluations(place.project, { signal: place.signal });
  const ids = list.map(({ id }) => id);
  const calls = await readCalls(place, ids);
  return list.map((one) => {
    const { attributes = null } = calls.get(one.id) ?? {};
    const run = isJsonObject(attributes) ? attributes["run"] : null;
    return { ...one, run: typeof run === "string" ? run : null };
  });
}

/** Finds the named evaluations, or those of the run of the evaluation that started last. Throws `RequestError` on an unknown name. */
export function chooseRuns(list: readonly Run[], names: readonly string[] | undefined): Runs {
  const wanted = names?.map((name, i) => {
    const found = findEvaluation(name, list);
    if ("fault" in found) throw usageFault(["--candidate", i], found.fault);
    return found.id;
  });
  const last = list.findLast((one) => one.started_at !== null) ?? list.at(-1);
  const isLast = (one: Run) => one === last || (one.run !== null && one.run === last?.run);
  const candidates = list.filter((one) => wanted?.includes(one.id) ?? isLast(one));
  return { candidates, others: othersThan(candidates, list) };
}

/** Those with a start that are neither among the candidates nor of their runs. */
export function othersThan(candidates: readonly Run[], list: readonly Run[]): Run[] {
  const [ids, runs] = [candidates.map(({ id }) => id), candidates.map(({ run }) => run)];
  return list.filter(
    ({ id, run, started_at: start }) =>
      start !== null && !ids.includes(id) && (run === null || !runs.includes(run)),
  );
}

/** The latest finished evaluations of the candidates' names, and what else their runs had. */
export function baselineAmong(candidates: readonly Run[], list: readonly Run[]): Run[] {
  const named = (entry: Run) => ({ entry, name: nameOf(entry), model: modelOf(entry) });
  const finished = list.filter((one) => one.status === "finished");
  const all = candidates.map(named);
  const latest = all.flatMap((one) => namesakeOf(one, all, finished.map(named))?.entry ?? []);
  const runs = new Set(latest.map(({ run }) => run));
  const names = new Set(candidates.map(nameOf));
  const others = finished.filter((one) => one.run !== null && runs.has(one.run) && !names.has(nameOf(one)));
  return [...new Set([...latest, ...others])];
}
