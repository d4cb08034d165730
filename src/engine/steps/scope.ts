import { compileEvaluationsOf, compileTriedTrials } from "../../compile/steps/tried-trials.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { WalkScope } from "../../compile/walk/call-tree.ts";
import { EvalcubeError } from "../../errors.ts";
import { isJsonObject, parseJson } from "../../model/json.ts";
import type { Key } from "../../model/digest.ts";
import { nameText } from "../../model/name-text.ts";
import type { NamedStep, Step, TrialSteps } from "../../model/steps.ts";
import { compareText } from "../../model/text-order.ts";
import { sortInSlices } from "../../model/turns.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import type { RowOf } from "../../store/query.ts";
import type { Session } from "../../store/session.ts";
import type { QueryContext } from "../base/context.ts";
import { withLongTexts } from "../catalog/long-texts.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import { findSuccess, type Success } from "../statistics/success.ts";
import { walkedSteps } from "../walk/walked-steps.ts";

/** The trials that a request about steps is of. */
export interface StepsScope {
  readonly session: Session;
  readonly projectId: string;
  /** Null where no trial is stored. */
  readonly plan: Plan | null;
  readonly catalog: QueryCatalog;
  readonly success: Success | null;
  readonly warnings: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Finds the evaluations of a request, whose names are ids, and what says which of their trials passed. */
export async function openScope(
  session: Session,
  { catalogs }: QueryContext,
  projectId: string,
  request: EvalRequest,
  signal: AbortSignal | undefined,
): Promise<StepsScope> {
  const catalog = await readQueryCatalog(session, catalogs, projectId, request);
  const plan = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
  const success =
    plan === null ? null : await findSuccess(session, plan, catalog.scorePaths, request.success);
  const warnings = requestWarnings(request, catalog);
  return { session, projectId, plan, catalog, success, warnings, signal };
}

/** The evaluations of some trials, which are named by ids. Throws where there is no such call. */
export async function evaluationsOf(
  session: Session,
  projectId: string,
  projectKey: number,
  trials: readonly string[],
): Promise<readonly string[]> {
  const parents = await parentsOf(session, projectId, projectKey, trials);
  return trials.map((id) => {
    const parent = parents.get(id);
    if (typeof parent !== "string") throw unknownTrial(id);
    return parent;
  });
}

async function parentsOf(
  session: Session,
  projectId: string,
  projectKey: number,
  trials: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  if (session.calls === undefined) {
    const found = await session.all(compileEvaluationsOf(projectKey, trials));
    return new Map(found.map(({ id, evaluationId }) => [id, evaluationId]));
  }
  // Statements there see the trials of evaluations that are named.
  const calls = await session.calls.find(projectId, trials);
  return new Map(
    calls.map(({ id, record }) => {
      const members = parseJson(record);
      return [id, isJsonObject(members) ? members["parent_id"] : null];
    }),
  );
}

export function unknownTrial(id: string): EvalcubeError {
  return new EvalcubeError("not_found", `trials: this project has no trial ${nameText(id)}`);
}

/** A trial: its steps, and what is known of it. */
export interface TriedTrial<One extends Step> extends TrialSteps<One> {
  readonly startedAt: bigint;
  readonly passed: boolean | null;
  readonly fact: TrialFact;
}

/**
 * The trials of a scope with their steps, by row, start and id; `ids` are those alone that are asked. Of members of
 * steps that are not in `members` nothing is read.
 */
export async function readTrials<Member extends Parameters<typeof walkedSteps>[2][number]>(
  scope: StepsScope,
  ids: readonly string[] | null,
  members: readonly Member[],
): Promise<readonly TriedTrial<"callId" extends Member ? NamedStep : Step>[]> {
  const { session, signal } = scope;
  const ofPlan = walkScope(scope, ids);
  const facts = await readFacts(scope, ids);
  if (ofPlan === null || facts.size === 0) return [];
  const walked = await walkedSteps(session, ofPlan, members);
  signal?.throwIfAborted();
  const found = walked.flatMap((trial) => {
    const fact = facts.get(trial.key);
    return fact === undefined ? [] : [{ ...trial, startedAt: fact.startedAt, passed: passedOf(fact), fact }];
  });
  return sortInSlices(found, inOrder);
}

type TrialFact = RowOf<typeof compileTriedTrials>;

/** What is known of the trials of a scope, by their keys; `ids` are those alone that are asked. */
export async function readFacts(
  { session, plan, success }: StepsScope,
  ids: readonly string[] | null,
): Promise<ReadonlyMap<Key, TrialFact>> {
  if (plan === null) return new Map();
  const narrowed = narrowing(plan, plan.summary?.intersection ?? false);
  const facts = await session.all(compileTriedTrials(plan, success, ids, narrowed));
  return new Map(facts.map((fact) => [fact.key, fact]));
}

/** The trials whose steps are asked; null where none is stored. */
export function walkScope(
  { projectId, plan }: StepsScope,
  trialIds: readonly string[] | null,
): WalkScope | null {
  if (plan === null) return null;
  const { projectKey, evaluationKeys } = plan;
  return { projectId, projectKey, evaluationKeys, trialIds };
}

export function passedOf({ passed }: TrialFact): boolean | null {
  return passed === null ? null : passed === 1;
}

interface Ordered {
  readonly rowDigest: string;
  readonly startedAt: bigint;
  readonly trialId: string;
}

/** By row, start, id. */
function inOrder(a: Ordered, b: Ordered): number {
  if (a.rowDigest !== b.rowDigest) return a.rowDigest < b.rowDigest ? -1 : 1;
  return Number(a.startedAt - b.startedAt) || compareText(a.trialId, b.trialId);
}
