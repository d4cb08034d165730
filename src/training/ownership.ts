import { z } from "zod";
import { functionOf } from "../model/arguments.ts";

/** The owner of a record: a project or, where none was named, the user who sent it. */
export interface Owner {
  readonly projectId: string | null;
  readonly userId: string | null;
}

/** An external caller. Calls of the library have no caller and may use everything. */
export interface Caller {
  /** The caller's user. */
  readonly userId: string;
  /** Whether the caller may use a project. */
  readonly mayUse: (projectId: string) => boolean;
}

/** Schema of an optional {@link Caller}. */
export const callerSchema = z
  .object({ userId: z.string(), mayUse: functionOf<Caller["mayUse"]>() })
  .optional();

/**
 * The owners of a model: the project that it is registered in, otherwise those of the jobs that name it. A model
 * without owners belongs to the first job that names it.
 */
export interface ModelOwners {
  readonly registered: boolean;
  readonly owners: readonly Owner[];
}

/**
 * Whether a record is visible to a caller. A record that is not must be treated as if it did not exist, and so must
 * everything that is kept with it: the checkpoints of a model, the events of a job.
 */
export function isVisible(owners: readonly Owner[], caller: Caller | undefined): boolean {
  if (caller === undefined) return true;
  return owners.some(({ projectId, userId }) =>
    projectId === null ? userId === caller.userId : caller.mayUse(projectId),
  );
}

/**
 * Whether a job may name a model; the job of a project may not name a model that is registered in another project.
 */
export function mayTrain(
  { registered, owners }: ModelOwners,
  projectId: string | null,
  caller: Caller | undefined,
): boolean {
  const elsewhere = registered && projectId !== null && owners.every((one) => one.projectId !== projectId);
  return !elsewhere && (owners.length === 0 || isVisible(owners, caller));
}
