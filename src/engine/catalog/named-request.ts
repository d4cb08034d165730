import { compileEvaluationNames } from "../../compile/catalog/evaluations.ts";
import { withIssues } from "../../errors.ts";
import { remembered, type EpochCache } from "../../flow/epoch-cache.ts";
import type { Labelled } from "../../model/labels.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { IdOf } from "../../request/evaluation-name.ts";
import { resolveNames, type ResolvedRequest, type UnknownName } from "../../request/resolve-names.ts";
import type { Session } from "../../store/session.ts";

/** An evaluation by what it may be named by, and what tells whether it can be a baseline. */
export interface NamedEvaluation extends Labelled {
  /** Whether it ended without an exception. */
  readonly finished: boolean;
  /** Whether it ran over some of its rows. */
  readonly partial: boolean;
}

export type KeptNames = EpochCache<readonly NamedEvaluation[]>;

export type NamedRequest<Request> = ResolvedRequest<Request, NamedEvaluation>;

/** A parsed request, and the input that it was parsed from. */
export interface AskedOf<Asked> {
  readonly input: unknown;
  readonly asked: Asked;
}

/**
 * Resolves the names of a request, see `resolveNames`. A request may name
 * thousands of evaluations, so each step has a turn.
 */
export async function nameEvaluations<Asked, Request>(
  session: Session,
  { names }: { readonly names: KeptNames },
  projectId: string,
  { input, asked }: AskedOf<Asked>,
  withIds: (asked: Asked, idOf: IdOf) => Request,
  unknown?: UnknownName,
): Promise<NamedRequest<Request>> {
  const list = await readNames(session, names, projectId);
  await session.turns.take();
  const named = resolveNames(list, input, asked, withIds, unknown);
  await session.turns.take();
  return named;
}

/** The evaluations of a project by start, then id. */
export async function readNames(
  session: Session,
  cache: KeptNames,
  projectId: string,
): Promise<readonly NamedEvaluation[]> {
  return remembered(cache, session.epoch, projectId, async () => {
    await session.about(projectId, []);
    const found = await session.all(compileEvaluationNames(projectId));
    return found.map(({ displayName, modelRef, startedAt, ended, exception, ...one }) => ({
      ...one,
      display_name: displayName,
      model_ref: modelRef,
      started_at: startedAt === null ? null : formatTimestamp(startedAt),
      finished: ended && exception === null,
    }));
  });
}

/** Runs `work`; what its errors say has labels. */
export async function labelled<T>(
  { label }: Pick<NamedRequest<unknown>, "label">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withIssues(error, (issue) => ({ ...issue, msg: label([issue.msg]).join("") }));
  }
}

/** An answer with labels in all that it says, below which evaluations names stand for. */
export function labelledAnswer<
  T extends { readonly warnings: readonly string[]; readonly notes?: readonly string[] | undefined },
>({ notes, label }: Pick<NamedRequest<unknown>, "notes" | "label">, answer: T): T {
  const told = answer.notes === undefined ? {} : { notes: label(answer.notes) };
  return { ...answer, ...told, warnings: [...notes, ...label(answer.warnings)] };
}
