import {
  compileEvaluationList,
  compileListedErrors,
  compileValued,
} from "../../compile/catalog/evaluations.ts";
import { countOf } from "../../model/messages.ts";
import { nameText } from "../../model/name-text.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { CompareGroup } from "../../request/parse-compare-request.ts";
import { checkSides, type Dimension } from "../../respond/compare/dimensions.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { Session } from "../../store/session.ts";

/** Throws `RequestError` where no score is compared, which says why, and on a direction of one that is not. */
export async function checkScores(
  session: Session,
  projectId: string,
  comparing: CompareGroup,
  catalog: QueryCatalog,
  dimensions: readonly Dimension[],
): Promise<void> {
  const paths = dimensions.map(({ path }) => path);
  if (comparing.lenient || dimensions.length > 0) return checkSides(comparing, paths);
  const reasons = comparing.models === null ? await whyNoScore(session, projectId, comparing, catalog) : [];
  const shared = "the baseline and the candidates share no score of numbers or booleans";
  throw meaningless(comparing.baselinePlace, reasons.join("; ") || shared);
}

/**
 * Why sides of a comparison have no score: all of their trials failed, or none has a value. Empty where each has one.
 */
async function whyNoScore(
  session: Session,
  projectId: string,
  { baseline, candidates }: Pick<CompareGroup, "baseline" | "candidates">,
  { projectKey, evaluations }: QueryCatalog,
): Promise<string[]> {
  const sides = new Map([baseline, ...candidates].map((id) => [id, evaluations.get(id)?.key ?? -1]));
  const valued = await session.all(compileValued([...sides.values()]));
  const list = await session.all(compileEvaluationList(projectId));
  const errors = projectKey === null ? [] : await session.all(compileListedErrors(projectKey));
  return [...sides].flatMap(([id, key]) => {
    const one = list.find((listed) => listed.id === id);
    if (one === undefined || valued.some((own) => own.key === key)) return [];
    const name = nameText(one.displayName ?? id);
    const trials = countOf(one.trials, "trial");
    const failed = errors.find((own) => own.id === id);
    if (failed?.count !== one.trials) return [`${name}: ${trials} and no score`];
    return [`all ${trials} of ${name} failed: ${failed.top}`];
  });
}
