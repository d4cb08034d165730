import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import { grouped } from "../model/grouped.ts";
import { isJsonObject } from "../model/json.ts";
import { didYouMean } from "../model/nearest.ts";
import { findEvaluation } from "../request/find-evaluation.ts";
import { meaningless } from "../request/meaningless.ts";
import type { Answers, Question } from "./model/answers.ts";

/** How many evaluations a page can have. */
const MOST_EVALUATIONS = 200;

/**
 * The evaluations of a page: in which way they were chosen, and what is left out since it was not finished or ran on
 * part of the rows.
 */
export interface Chosen extends Pick<Answers, "runs"> {
  readonly left_out: readonly EvaluationEntry[];
  readonly evaluations: readonly EvaluationEntry[];
  /** Id of the baseline that the question names. */
  readonly named: string | null;
}

/** The finished runs of each name, the latest last; an evaluation without a name is called by its id. */
export type RunsByName = ReadonlyMap<string, readonly EvaluationEntry[]>;

/**
 * The evaluations that a question names; where it names none, those that its `runs` stand for, all for `latest`. Throws
 * `RequestError` on a name that stands for none, on too many, and on members that do not go together.
 */
export function chosen(list: readonly EvaluationEntry[], question: Question): Chosen {
  const { evaluations: ids, baseline, runs, name } = question;
  const other = ids != null ? "evaluations" : baseline != null ? "baseline" : null;
  if (runs != null && (ids != null || (other !== null && runs === "latest")))
    throw meaningless(["runs"], `does not go together with ${other}; leave one of them out`);
  if (name != null && (other !== null || (runs ?? "latest") !== "latest"))
    throw meaningless(["name"], "goes together with runs: latest alone");
  const named = baseline == null ? null : idOf(baseline, list, ["baseline"]);
  if (ids != null) return { runs: "chosen", evaluations: atMost(namedBy(ids, list)), left_out: [], named };
  const kept = finishedOf(list);
  const byName = runsByName(list);
  const way = runs ?? (name != null || (named === null && hasRunTwice(byName)) ? "latest" : "all");
  if (way === "latest" && name != null) checkName(name, byName);
  const latest = new Set([...byName.values()].flatMap((own) => own.at(-1) ?? []));
  const counts = (one: EvaluationEntry) => way !== "names" || latest.has(one);
  const evaluations = list.filter((one) => (kept.has(one) && counts(one)) || one.id === named);
  const left_out = list.filter((one) => !kept.has(one) && one.id !== named);
  return { runs: way, evaluations: way === "latest" ? evaluations : atMost(evaluations), left_out, named };
}

/** Those that are finished, over all of the rows; all where none is. */
function finishedOf(list: readonly EvaluationEntry[]): ReadonlySet<EvaluationEntry> {
  const finished = list.filter((one) => one.status === "finished" && !isPartial(one));
  return new Set(finished.length === 0 ? list : finished);
}

/** Whether it ran on part of the rows, as it was told to. */
export function isPartial({ attributes }: Pick<EvaluationEntry, "attributes">): boolean {
  return isJsonObject(attributes) && (attributes["partial"] ?? false) !== false;
}

export function runsByName(list: readonly EvaluationEntry[]): RunsByName {
  return grouped(finishedOf(list), nameOf);
}

/** The name of an evaluation among runs. */
export function nameOf({ display_name: name, id }: Pick<EvaluationEntry, "display_name" | "id">): string {
  return name ?? id;
}

function hasRunTwice(byName: RunsByName): boolean {
  return [...byName.values()].some((own) => own.length > 1);
}

function checkName(name: string, byName: RunsByName): void {
  if (byName.has(name)) return;
  const hint = didYouMean(name, byName.keys());
  throw meaningless(["name"], `no finished evaluation is called ${JSON.stringify(name)}${hint}`);
}

function namedBy(ids: readonly string[], list: readonly EvaluationEntry[]): EvaluationEntry[] {
  const known = new Map(list.map((one) => [one.id, one]));
  return [...new Set(ids)].flatMap((id, i) => known.get(idOf(id, list, ["evaluations", i])) ?? []);
}

function atMost(found: readonly EvaluationEntry[]): readonly EvaluationEntry[] {
  if (found.length <= MOST_EVALUATIONS) return found;
  throw meaningless(
    ["evaluations"],
    `a page shows at most ${MOST_EVALUATIONS} evaluations, not ${found.length}; name those to show`,
  );
}

/** The id that a name stands for. Throws `RequestError`. */
function idOf(text: string, list: readonly EvaluationEntry[], place: (string | number)[]): string {
  const found = findEvaluation(text, list);
  if ("id" in found) return found.id;
  throw meaningless(place, found.fault);
}
