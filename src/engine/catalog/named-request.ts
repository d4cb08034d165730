import { compileEvaluationNames } from "../../compile/catalog/evaluations.ts";
import { RequestError } from "../../errors.ts";
import { remembered, type EpochCache } from "../../flow/epoch-cache.ts";
import type { Labelled } from "../../model/labels.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { Session, Store } from "../../store/session.ts";
import { nameIn, type NamedRequest as Named } from "../../request/name-request.ts";

/** An evaluation by what it may be named by, and what tells whether it can be a baseline. */
export interface NamedEvaluation extends Labelled {
  /** Whether it ended without an exception. */
  readonly finished: boolean;
  /** Whether it ran over some of its rows. */
  readonly partial: boolean;
}

export type KeptNames = EpochCache<readonly NamedEvaluation[]>;

export type NamedRequest = Named<NamedEvaluation>;

interface Naming {
  readonly store: Store;
  readonly catalogs: { readonly names: KeptNames };
}

/** Puts ids where a request names evaluations otherwise. Throws `RequestError` where a text cannot stand for one. */
export async function nameEvaluations(
  { store, catalogs }: Naming,
  projectId: string,
  input: unknown,
  signal: AbortSignal | undefined,
  strict = false,
): Promise<NamedRequest> {
  const now = await store.epoch();
  const known = now === null ? undefined : catalogs.names.find(projectId, now);
  const list =
    known ?? (await store.read((session) => readNames(session, catalogs.names, projectId), signal));
  return nameIn(input, list, strict);
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
export async function labelled<T>({ label }: NamedRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const messages = label(error.issues.map(({ msg }) => msg));
    const [first, ...rest] = error.issues.map((issue, i) => ({ ...issue, msg: messages[i] ?? issue.msg }));
    throw first === undefined ? error : new RequestError(error.kind, [first, ...rest]);
  }
}

/** An answer with labels in all that it says, below which evaluations names stand for. */
export function labelledAnswer<
  T extends { readonly warnings: readonly string[]; readonly notes?: readonly string[] | undefined },
>({ notes, label }: Pick<NamedRequest, "notes" | "label">, answer: T): T {
  const told = answer.notes === undefined ? {} : { notes: label(answer.notes) };
  return { ...answer, ...told, warnings: [...notes, ...label(answer.warnings)] };
}
