import { findEvaluation } from "../../request/find-evaluation.ts";
import type { EvaluationEntry } from "../../index.ts";
import { at } from "../../model/json.ts";
import { usageFault } from "../../request/meaningless.ts";
import { namesakeOf } from "./pair-suites.ts";
import { fileOf, modelOf, nameOf } from "./read-suites.ts";

/** The evaluations that are judged, and those that may be their baseline, by start. */
export interface Runs {
  readonly candidates: readonly EvaluationEntry[];
  readonly others: readonly EvaluationEntry[];
  /** All of the project. */
  readonly all: readonly EvaluationEntry[];
  /** The evaluations of the candidates' runs that are no candidates. */
  readonly leftOut: readonly EvaluationEntry[];
  /** Which evaluations the names of candidates stand for, where the names alone do not tell. */
  readonly notes: readonly string[];
}

/**
 * Finds the named evaluations, or those of the run of the evaluation that started last. Throws `RequestError` on an
 * unknown name.
 */
export function chooseRuns(list: readonly EvaluationEntry[], names: readonly string[] | undefined): Runs {
  const notes: string[] = [];
  const wanted = names?.map((name, i) => {
    const found = findEvaluation(name, list);
    if ("fault" in found) throw usageFault(["--candidate", i], found.fault);
    if (found.note !== null) notes.push(found.note);
    return found.id;
  });
  const last = list.findLast((one) => one.started_at !== null) ?? list.at(-1);
  const run = last === undefined ? null : runOf(last);
  const isLast = (one: EvaluationEntry) => one === last || (run !== null && runOf(one) === run);
  const candidates = list.filter((one) => wanted?.includes(one.id) ?? isLast(one));
  const runs = new Set(candidates.map(runOf).filter((one) => one !== null));
  const leftOut = list.filter((one) => runs.has(runOf(one) ?? "") && !candidates.includes(one));
  return { candidates, others: othersThan(candidates, list), all: list, leftOut, notes };
}

/** Those with a start that are neither among the candidates nor of their runs. */
export function othersThan(
  candidates: readonly EvaluationEntry[],
  list: readonly EvaluationEntry[],
): EvaluationEntry[] {
  const ids = new Set(candidates.map(({ id }) => id));
  const runs = new Set(candidates.map(runOf));
  const isOther = (run: string | null) => run === null || !runs.has(run);
  return list.filter((one) => one.started_at !== null && !ids.has(one.id) && isOther(runOf(one)));
}

/** The run that an evaluation names in its attributes; null where it names none. */
function runOf({ attributes }: EvaluationEntry): string | null {
  const run = at(attributes, "run");
  return typeof run === "string" ? run : null;
}

/** Whether it ran over some of its rows. */
function isPartial({ attributes }: EvaluationEntry): boolean {
  return ![undefined, null, false].includes(at(attributes, "partial") as undefined);
}

/** The latest finished evaluations of the candidates' names over all rows, and what else their runs had. */
export function baselineAmong(
  candidates: readonly EvaluationEntry[],
  list: readonly EvaluationEntry[],
): EvaluationEntry[] {
  const finished = list.filter((one) => one.status === "finished" && !isPartial(one));
  const all = candidates.map(namedOf);
  const latest = all.flatMap((one) => namesakeOf(one, all, finished.map(namedOf))?.entry ?? []);
  const runs = new Set(latest.map(runOf).filter((run) => run !== null));
  const names = new Set(candidates.map(nameOf));
  const others = finished.filter((one) => runs.has(runOf(one) ?? "") && !names.has(nameOf(one)));
  return [...new Set([...latest, ...others])];
}

function namedOf(entry: EvaluationEntry) {
  return { entry, name: nameOf(entry), model: modelOf(entry), file: fileOf(entry) };
}

/** What a reader should know of evaluations that did not come to their end, or ran over some of their rows. */
export function unfinished(list: readonly EvaluationEntry[]): string[] {
  return list.flatMap((one) => {
    const { status } = one;
    const open = `${nameOf(one)} has not finished (${status}), so it may lack trials`;
    const part = `${nameOf(one)} ran over some of its rows only`;
    return [...(status === "finished" ? [] : [open]), ...(isPartial(one) ? [part] : [])];
  });
}
