import {
  compileEvaluationNames,
  compileEvaluations,
  compileRowDifficulties,
} from "../../compile/catalog/evaluations.ts";
import { compileValueKinds, type ScoreScope } from "../../compile/scores/score-records.ts";
import { fieldText } from "../../model/field-path.ts";
import { quotedName } from "../../model/name-text.ts";
import { BOOLEAN, TEXT } from "../../model/score-kind.ts";
import { agreementSide, leafOf } from "../../plan/agreement-plan.ts";
import { fieldUses } from "../../plan/field-uses.ts";
import { keyedNumbers, type VirtualLeaf } from "../../plan/plan.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import { ROW_PREFIX } from "../../plan/virtual-leaves.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { Session } from "../../store/session.ts";
import type { Ask } from "./asked-once.ts";

const MOST_ROWS = 1_000_000;

/** Finds how difficult rows are, in each score in which a request has a field of that. */
export type RateRows = (
  ask: Ask,
  request: EvalRequest,
  stored: readonly CatalogPath[],
  firstKey: number,
) => Promise<readonly VirtualLeaf[]>;

/** Rates rows by evaluations that the request does not ask for. */
export function rowRater(
  session: Session,
  scope: Omit<ScoreScope, "virtualLeaves"> & { readonly projectKey: number },
): RateRows {
  return async (ask, request, stored, firstKey) => {
    const uses = fieldUses(request).filter(({ field }) => field.root === "row");
    const fields = new Map(uses.map((use) => [JSON.stringify(use.field.segments), use]));
    if (fields.size === 0) return [];
    await session.about(scope.projectId, []);
    const ids = await othersOf(ask, request, scope.projectId);
    await session.about(scope.projectId, ids);
    const others = ids.length === 0 ? [] : await session.all(compileEvaluations(scope.projectKey, ids));
    const keys = others.map(({ key }) => key);
    const leaves: VirtualLeaf[] = [];
    for (const { part, field } of fields.values()) {
      const pathKey = await scoreOf(ask, request, stored, part, field.segments.slice(1));
      const asked = compileRowDifficulties(keys, pathKey, scope.includeChildren, MOST_ROWS + 1);
      const found = keys.length === 0 ? [] : await session.all(asked);
      if (found.length > MOST_ROWS)
        throw meaningless([part], `there are more than ${MOST_ROWS} rows to rate`);
      const path = [...ROW_PREFIX, ...field.segments];
      const key = firstKey - leaves.length;
      leaves.push({ kind: "difficulty", key, path, numbers: keyedNumbers(found), isField: true });
    }
    await session.about(scope.projectId, request.evaluationIds);
    return leaves;
  };
}

/** The finished evaluations that are asked how difficult rows are: none of the request has a say. */
async function othersOf(ask: Ask, request: EvalRequest, projectId: string): Promise<readonly string[]> {
  const { difficultyFrom, evaluationIds } = request;
  const requested = new Set(evaluationIds);
  const names = await ask(compileEvaluationNames(projectId));
  const ended = names.filter((one) => one.ended && one.exception === null);
  const finished = new Set(ended.map(({ id }) => id));
  if (difficultyFrom === null) return [...finished].filter((id) => !requested.has(id));
  for (const [i, id] of difficultyFrom.entries()) {
    const loc = ["difficulty_from", i];
    if (requested.has(id))
      throw meaningless(loc, `${quotedName(id)} is asked for itself; others say how difficult rows are`);
    if (!finished.has(id)) throw meaningless(loc, `${quotedName(id)} is no evaluation that has finished`);
  }
  return [...new Set(difficultyFrom)];
}

/** The key of the score in which rows are rated. Throws `RequestError` on an unknown one, and on one of texts. */
async function scoreOf(
  ask: Ask,
  { difficultyOf, success }: EvalRequest,
  stored: readonly CatalogPath[],
  part: string,
  named: readonly string[],
): Promise<number> {
  const leaves = stored.filter(({ leaf }) => leaf);
  const kinds = leaves.length === 0 ? [] : await ask(compileValueKinds(leaves.map(({ key }) => key)));
  const areAll = (of: number, kind: number) => {
    const own = kinds.filter(({ pathKey }) => pathKey === of);
    return own.length > 0 && own.every((one) => one.kind === kind);
  };
  const path = named.length > 0 ? named : (difficultyOf ?? success);
  if (path !== null) {
    const { pathKey } = agreementSide([part], leafOf(path, stored), stored);
    if (!areAll(pathKey, TEXT)) return pathKey;
    throw meaningless(
      [part],
      `${quotedName(fieldText(path))} has texts only, which are neither right nor wrong`,
    );
  }
  const truth = leaves.find(({ key }) => areAll(key, BOOLEAN));
  if (truth !== undefined) return truth.key;
  throw meaningless([part], "no score is true or false; name one, as row.difficulty.<score>");
}
