import { z } from "zod";
import { functionOf } from "../model/arguments.ts";

/** Whom a record belongs to: a project or, where none was named, the user who sent it. */
export interface Owner {
  readonly projectId: string | null;
  readonly userId: string | null;
}

/** Who asks from outside. Calls of the library have no caller: they may use everything. */
export interface Caller {
  /** Who asks. */
  readonly userId: string;
  /** Whether the caller may use a project. */
  readonly mayUse: (projectId: string) => boolean;
}

/** Of a caller that a library call is given. */
export const callerSchema = z
  .object({ userId: z.string(), mayUse: functionOf<Caller["mayUse"]>() })
  .optional();

/**
 * The owners of a model: the project that it is registered in, else those of the jobs that name it. A model that
 * nobody owns belongs to the first job that names it.
 */
export interface ModelOwners {
  readonly registered: boolean;
  readonly owners: readonly Owner[];
}

/**
 * Whether a record is there for a caller. What is not must be answered as if it did not exist; so must everything
 * that is kept with it: the checkpoints of a model, the events of a job.
 */
export function isVisible(owners: readonly Owner[], caller: Caller | undefined): boolean {
  if (caller === undefined) return true;
  return owners.some(({ projectId, userId }) =>
    projectId === null ? userId === caller.userId : caller.mayUse(projectId),
  );
}

/** Whether a job may name a model; the job of a project may not name what is registered in another. */
export function mayTrain(
  { registered, owners }: ModelOwners,
  projectId: string | null,
  caller: Caller | undefined,
): boolean {
  const elsewhere = registered && projectId !== null && owners.every((one) => one.projectId !== projectId);
  return !elsewhere && (owners.length === 0 || isVisible(owners, caller));
}
