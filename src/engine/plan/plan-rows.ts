import { compileSideKinds } from "../../compile/agreement/agreement.ts";
import { compileSideTrials } from "../../compile/items/item-values.ts";
import { compileRowClusters } from "../../compile/statistics/clusters.ts";
import { checkQuery } from "../../flow/check-options.ts";
import type { Key } from "../../model/digest.ts";
import { fieldText, pointerSegments, scorePlace } from "../../model/field-path.ts";
import { BOOLEAN, TEXT } from "../../model/score-kind.ts";
import { agreementSide, type PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { meaningless } from "../../request/meaningless.ts";
import { parsePlanRequest, type Planned } from "../../request/plan-request.ts";
import {
  clustersOf,
  learnFromRate,
  learnFromRows,
  plansOf,
  type Learned,
  type PlanAnswer,
  type PlanningRow,
} from "../../respond/plan/plan-rows.ts";
import type { Session } from "../../store/session.ts";
import type { QueryContext } from "../base/context.ts";
import { planRequest } from "../catalog/planned-request.ts";
import type { QueryOptions } from "../query/query.ts";

/** Tells how many rows find a difference. Throws `RequestError` on an unknown evaluation, score or field. */
export async function planRows(
  context: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<PlanAnswer> {
  checkQuery(projectId, query);
  const asked = parsePlanRequest(input);
  const { signal } = query;
  const [first] = asked.request.evaluationIds;
  if (first === undefined) {
    const place = asked.scorer === null ? { scorer_key: null, path: null } : scorePlace(asked.scorer);
    return answerOf(asked, learnFromRate(asked.rate ?? 0), { ...place, ids: [], rows: 0 });
  }
  return context.store.read(async (session) => {
    const given = { input, asked: asked.request };
    const planned = await planRequest(session, context.catalogs, projectId, given, first.place);
    const { plan, request, catalog } = planned;
    if (
      plan.evaluationKeys.length < request.evaluationIds.length ||
      request.evaluationIds.length < asked.request.evaluationIds.length
    )
      throw meaningless(first.place, "these are not evaluations with trials, each another");
    const { side, isRate, rows } = await readRows(session, plan, catalog, asked);
    if (rows.length < LEAST_ROWS)
      throw meaningless(first.place, `has too few rows with a value to learn from: ${rows.length}`);
    const learned = learnFromRows(rows, isRate);
    const { clusterBy } = request;
    const field = clusterBy === null ? null : fieldText(["inputs", ...pointerSegments(clusterBy)]);
    const grouped = field === null ? null : clustersOf(rows, field);
    const spread = grouped === null ? learned.spread : { ...learned.spread, clusters: grouped.clusters };
    const notes = [...planned.warnings, ...learned.notes, ...(grouped?.notes ?? [])];
    const from = { ...scorePlace(side.path), ids: plan.evaluationIds, rows: rows.length };
    return answerOf(asked, { ...learned, spread, notes }, from);
  }, signal);
}

const LEAST_ROWS = 2;

function answerOf(
  asked: Planned,
  { spread, trialsPerRow, notes, ...learned }: Learned,
  from: { scorer_key: string | null; path: string | null; ids: readonly string[]; rows: number },
): PlanAnswer {
  if (spread.between + spread.within === 0 && spread.rate === null)
    throw meaningless(["scorer"], "has the same value everywhere, which does not tell how values differ");
  const planned = plansOf(spread, asked);
  return {
    scorer_key: from.scorer_key,
    path: from.path,
    rate: spread.rate !== null,
    detect: asked.detect,
    power: asked.power,
    level: asked.level,
    from: { evaluation_call_ids: from.ids, row_count: from.rows, trials_per_row: trialsPerRow },
    ...learned,
    ...planned,
    notes: [...notes, ...planned.notes],
  };
}

async function readRows(session: Session, plan: Plan, catalog: QueryCatalog, asked: Planned) {
  const side = await sideOf(session, plan, catalog, asked);
  const found = await session.all(compileSideTrials(plan, side));
  const clusters = new Map<Key, string | null>();
  const { clusterBy } = asked.request;
  if (clusterBy !== null)
    for (const { row, cluster } of await session.all(compileRowClusters(plan, clusterBy)))
      clusters.set(row, cluster);
  const byRow = new Map<Key, number[][]>();
  for (const { row, evaluationKey, value } of found) {
    const sides = byRow.get(row) ?? plan.evaluationKeys.map((): number[] => []);
    sides[plan.evaluationKeys.indexOf(evaluationKey)]?.push(value);
    byRow.set(row, sides);
  }
  const rows = [...byRow]
    .filter(([, sides]) => sides.every((trials) => trials.length > 0))
    .map(([row, sides]): PlanningRow => ({ sides, cluster: clusters.get(row) ?? null }));
  return { side, rows, isRate: found.every(({ value }) => value === 0 || value === 1) };
}

/** The score that is named; else the first of true and false, else of numbers. */
async function sideOf(
  session: Session,
  plan: Plan,
  { scorePaths }: QueryCatalog,
  { scorer }: Planned,
): Promise<PlannedSide> {
  if (scorer !== null) return agreementSide(["scorer"], scorer, scorePaths);
  let numbers: PlannedSide | null = null;
  for (const { path } of scorePaths.filter(({ leaf }) => leaf)) {
    const side = agreementSide(["scorer"], path, scorePaths);
    const kinds = (await session.all(compileSideKinds(plan, side))).map(({ kind }) => kind);
    if (kinds.includes(BOOLEAN)) return side;
    if (kinds.some((kind) => kind !== TEXT)) numbers ??= side;
  }
  if (numbers === null) throw meaningless(["scorer"], "no score has numbers or true and false here");
  return numbers;
}
