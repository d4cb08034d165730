import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import type { Labelled } from "../model/labels.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import { PREVIOUS } from "../request/find-evaluation.ts";
import type { ComparisonAnswer } from "../respond/compare/comparison.ts";
import {
  costsOf,
  scopeOf,
  type Answers,
  type LatestRuns,
  type LeftOut,
  type Question,
} from "./model/answers.ts";
import { byStart } from "./model/runs.ts";
import { chosen, isPartial, nameOf, runsByName, type RunsByName } from "./chosen-evaluations.ts";

/** Who compares. */
interface Comparing {
  readonly compare: (request: CompareRequest) => Promise<ComparisonAnswer>;
}

/** The evaluations of a page, and all that it says of how they were chosen. */
export interface ChosenRuns extends Pick<Answers, "runs" | "latest" | "left_out" | "evaluations" | "also"> {
  /** Id of the baseline that the question names. */
  readonly named: string | null;
  /** Id of the run before the one that the page is about; null where it is not about two runs of a name. */
  readonly pair: string | null;
}

/** Chooses the evaluations of a page. */
export async function chooseLatest(
  source: Comparing,
  all: readonly EvaluationEntry[],
  question: Question,
): Promise<ChosenRuns> {
  const { left_out: left, ...found } = chosen(all, question);
  const byName = runsByName(all);
  if (found.runs !== "latest") {
    const shown = { ...found, left_out: latestFirst(left) };
    return { ...shown, ...namedBeside(shown, [], byName), latest: [], pair: null };
  }
  const latest = await readLatest(source, byName, question);
  const own =
    latest.find(({ name }) => name === question.name) ??
    latest.find(({ baseline }) => baseline !== null) ??
    latest[0];
  const evaluations = all.filter(({ id }) => id === own?.candidate || id === own?.baseline);
  const left_out = latestFirst(left.filter((one) => nameOf(one) === own?.name));
  const shown = { ...found, evaluations, left_out };
  return { ...shown, ...namedBeside(shown, latest, byName), latest, pair: own?.baseline ?? null };
}

function latestFirst(left: readonly EvaluationEntry[]): LeftOut[] {
  return byStart(left)
    .toReversed()
    .map((one) => ({ ...one, partial: isPartial(one) }));
}

/** Runs of a history that are shown. */
const MOST_RUNS = 20;

/** Other evaluations that the page names: in its histories, among the latest runs, and those left out. */
function namedBeside(
  { evaluations, left_out }: Pick<Answers, "evaluations" | "left_out">,
  latest: readonly LatestRuns[],
  byName: RunsByName,
): Pick<Answers, "also"> {
  const shown = new Set(evaluations.map(({ id }) => id));
  const pairs = new Set(latest.flatMap(({ candidate, baseline }) => [candidate, baseline]));
  const paired = [...byName.values()].flat().filter(({ id }) => pairs.has(id));
  const runs = [...new Set(evaluations.map(nameOf))].flatMap(
    (name) => byName.get(name)?.slice(-MOST_RUNS) ?? [],
  );
  const others = [...left_out, ...paired, ...runs].filter(({ id }) => !shown.has(id));
  const labelled = others.map(({ id, display_name, started_at, model_ref, commit, branch }): Labelled => {
    return { id, display_name, started_at, model_ref, commit, branch };
  });
  return { also: [...new Map(labelled.map((one) => [one.id, one])).values()] };
}

/** Names that are judged. */
const MOST_NAMES = 200;

function startOf(own: readonly EvaluationEntry[]): string {
  return own.at(-1)?.started_at ?? "";
}

/** The latest two runs of each name, compared alone: those shown worse first, then the latest start. */
async function readLatest(source: Comparing, byName: RunsByName, question: Question): Promise<LatestRuns[]> {
  const names = [...byName].toSorted(
    ([, a], [, b]) => Number(startOf(b) > startOf(a)) - Number(startOf(b) < startOf(a)),
  );
  const latest: LatestRuns[] = [];
  for (const [name, own] of names.slice(0, MOST_NAMES))
    latest.push(await latestOf(source, name, own, question));
  return latest.toSorted((a, b) => Number(isWorse(b)) - Number(isWorse(a)));
}

function isWorse({ comparison }: LatestRuns): boolean {
  return comparison?.comparisons.some(({ verdict }) => verdict === "regressed") === true;
}

async function latestOf(
  source: Comparing,
  name: string,
  own: readonly EvaluationEntry[],
  question: Question,
): Promise<LatestRuns> {
  const [candidate = "", before = null] = [own.at(-1)?.id, own.at(-2)?.id];
  const alone = { name, candidate, baseline: before, comparison: null };
  if (before === null) return alone;
  try {
    const comparison = await source.compare({
      ...comparedMembers(question),
      baseline: PREVIOUS,
      candidates: [candidate],
    });
    return { ...alone, baseline: comparison.comparisons[0]?.baseline ?? before, comparison };
  } catch (error) {
    const member = String(memberAtFault(error));
    // Runs of one name may lack a score that others have, and rows in common.
    if (!LACKING.has(member)) throw error;
    return member === "baseline" ? { ...alone, baseline: null } : alone;
  }
}

const LACKING = new Set(["baseline", "candidates", "scorers", "lower_is_better", "higher_is_better"]);

/** The members of a question that a comparison has too. */
export function comparedMembers(question: Question) {
  const { scorers, lower_is_better, higher_is_better, confidence, adjust, margin, ...others } = question;
  const { cluster_by, edited_rows } = others;
  const own = { scorers, lower_is_better, higher_is_better, confidence, adjust, margin, cluster_by };
  return { ...scopeOf(question), ...own, edited_rows, ...costsOf(question) };
}

/**
 * The library refuses a comparison without scores at the baseline, and one whose candidates share no rows at the first.
 */
export function memberAtFault(error: unknown): unknown {
  if (!(error instanceof Error) || !("path" in error) || !Array.isArray(error.path)) return null;
  return (error.path as unknown[])[0];
}
