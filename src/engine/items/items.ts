import { compileSideKinds } from "../../compile/agreement/agreement.ts";
import { compileItemValues, compileRowDigests } from "../../compile/items/item-values.ts";
import { checkQuery } from "../../flow/check-options.ts";
import { scorePlace } from "../../model/field-path.ts";
import { countOf } from "../../model/messages.ts";
import { TEXT } from "../../model/score-kind.ts";
import { agreementSide, leafOf, type PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { parseItemsRequest } from "../../request/items-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import {
  describeItems,
  itemsSentence,
  type ItemsAnswer,
  type ItemValues,
} from "../../respond/items/items.ts";
import type { Session } from "../../store/session.ts";
import type { QueryContext } from "../base/context.ts";
import { planRequest } from "../catalog/planned-request.ts";
import type { QueryOptions } from "../query/query.ts";

/**
 * Tells what each row says of some evaluations. Throws `RequestError` on an unknown score, one of texts alone, and on
 * more than {@link MOST_VALUES} values.
 */
export async function readItems(
  context: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<ItemsAnswer> {
  checkQuery(projectId, query);
  const { scorer, confidence, request: asked } = parseItemsRequest(input);
  const { signal } = query;
  return context.store.read(async (session) => {
    const planned = await planRequest(session, context.catalogs, projectId, { input, asked });
    const { plan, catalog, request } = planned;
    const side = agreementSide(["scorer"], leafOf(scorer, catalog.scorePaths), catalog.scorePaths);
    await refuseTexts(session, plan, side);
    const found = await readValues(session, plan, side);
    await session.turns.take();
    const { rows, counts } = describeItems(found, confidence);
    const valued = (e: number) => found.values[e]?.some((value) => !Number.isNaN(value)) === true;
    const evaluations = plan.evaluationIds.filter((_, e) => valued(e));
    const end = request.limit === null ? rows.length : request.offset + request.limit;
    return {
      ...scorePlace(side.path),
      evaluations,
      confidence,
      row_count: rows.length,
      counts,
      rows: rows.slice(request.offset, end),
      sentence: itemsSentence(rows.length, evaluations.length, counts),
      warnings: [...planned.warnings, ...fewEvaluations(evaluations.length, rows.length)],
    };
  }, signal);
}

async function refuseTexts(session: Session, plan: Plan, side: PlannedSide): Promise<void> {
  const kinds = await session.all(compileSideKinds(plan, side));
  if (kinds.length > 0 && kinds.every(({ kind }) => kind === TEXT))
    throw meaningless(["scorer"], "has texts only, which are neither right nor wrong");
}

const MOST_VALUES = 2_000_000;

async function readValues(session: Session, plan: Plan, side: PlannedSide): Promise<ItemValues> {
  const found = await session.all(compileItemValues(plan, side, MOST_VALUES + 1));
  if (found.length > MOST_VALUES)
    throw meaningless(["evaluations"], `these have more than ${MOST_VALUES} values; filters take fewer rows`);
  const valued = new Set(found.map(({ row }) => row));
  const rows = (await session.all(compileRowDigests(plan)))
    .filter(({ row }) => valued.has(row))
    .toSorted((a, b) => Number(a.digest > b.digest) - Number(a.digest < b.digest));
  const placeOf = new Map(rows.map(({ row }, i) => [row, i]));
  const values = plan.evaluationKeys.map(() => new Float64Array(rows.length).fill(Number.NaN));
  const orderOf = new Map(plan.evaluationKeys.map((key, i) => [key, i]));
  const trials = new Uint32Array(rows.length);
  const unstable = new Set<number>();
  for (const one of found) {
    const [place = 0, own] = [placeOf.get(one.row), values[orderOf.get(one.evaluationKey) ?? -1]];
    if (own !== undefined) own[place] = one.value;
    trials[place] = (trials[place] ?? 0) + one.trials;
    if (one.differ) unstable.add(place);
  }
  const rates = found.every(({ odd }) => odd === 0);
  return { digests: rows.map(({ digest }) => digest), values, trials, unstable, rates };
}

const LEAST_TESTED = 8;

function fewEvaluations(evaluations: number, rows: number): string[] {
  if (evaluations >= LEAST_TESTED || rows === 0) return [];
  const said = `${countOf(evaluations, "evaluation")} ${evaluations === 1 ? "has" : "have"} values`;
  return [`no row has an interval or a p value: ${said}, ${LEAST_TESTED} are needed`];
}
