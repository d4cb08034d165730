import {
  compileEvaluationList,
  compileListedErrors,
  compileRowSets,
  type ListedEvaluation,
} from "../../compile/catalog/evaluations.ts";
import { compileRootMembers } from "../../compile/catalog/calls.ts";
import type { Session, Store } from "../../store/session.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import { ROW_MARK } from "../../model/references.ts";
import { CANCELLED } from "../../model/messages.ts";
import { parseJson, type Json } from "../../model/json.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { epochCache, remembered, type EpochCache } from "../../flow/epoch-cache.ts";
import { compileEvaluationCounts, compileProject, compileProjects } from "../../compile/catalog/project.ts";

/** An evaluation in the list of a project. */
export interface EvaluationEntry {
  /** Id of the root call. */
  readonly id: string;
  /** Display name; null where none was given. */
  readonly display_name: string | null;
  /** Reference to the evaluation that ran. */
  readonly evaluation_ref: string | null;
  /** Reference to the model that was evaluated. */
  readonly model_ref: string | null;
  /**
   * Reference to the dataset that the root call names in its inputs, else that of its rows, of several the first; null
   * without any.
   */
  readonly dataset_ref: string | null;
  /**
   * The first text among `attributes.commit`, `git_commit`, `git.commit` and `revision` of the root call; null without
   * one.
   */
  readonly commit: string | null;
  /** The first text among `attributes.branch`, `git_branch` and `git.branch` of the root call; null without one. */
  readonly branch: string | null;
  /**
   * What the file is called that it was imported from, without folders and ending, such as `nightly`; null where it was
   * not.
   */
  readonly file: string | null;
  /**
   * Attributes of the root call; null where it has none, and while it is not stored. Of more than 990 levels the JSON
   * text.
   */
  readonly attributes: Json;
  /** ISO 8601 in UTC; null while the root call is not stored. */
  readonly started_at: string | null;
  /** ISO 8601 in UTC; null while the end of the root call is not stored. */
  readonly ended_at: string | null;
  /** What the root call failed with; null where it did not. An empty text is no exception. */
  readonly exception: string | null;
  /**
   * `cancelled`: the root call has the exception `Cancelled`, as where its signal ended it. `failed`: it has another
   * one. `finished`: it ended without one. `running`: neither; nothing tells an evaluation that runs from one whose
   * process died but `last_trial_at`.
   */
  readonly status: "finished" | "failed" | "cancelled" | "running";
  /** Whose key stored it over HTTP, or who said so before; null where nobody is known. */
  readonly user: string | null;
  /** Start of the trial that started last, ISO 8601 in UTC; null where there is no trial. */
  readonly last_trial_at: string | null;
  /** Number of stored trials. */
  readonly trial_count: number;
  /** Number of rows that have trials. */
  readonly row_count: number;
  /**
   * First 12 hexadecimal digits of SHA-256 over the digests of the contents of these rows, each once, sorted, each with
   * a line end: the same for the same rows. Null where there are none.
   */
  readonly rows_digest: string | null;
  /** Number of trials in error. */
  readonly error_count: number;
  /** The text that most of these have, without ids and numbers; null without any. */
  readonly top_error: string | null;
}

/** An entry with its attributes as JSON text. */
type KeptEntry = EvaluationEntry & { readonly attributes: string | null };

/** Lists since the last write, by project: to count the trials of a million takes 50 ms. */
export type KeptLists = EpochCache<readonly KeptEntry[]>;

/** Most bytes that are kept, and those of an entry beside its attributes, roughly. */
const CAPACITY = 5_000_000;
const ENTRY = 500;

export function createKeptLists(): KeptLists {
  return epochCache(CAPACITY, (_project, list) =>
    list.reduce((sum, { attributes }) => sum + ENTRY + (attributes?.length ?? 0), ENTRY),
  );
}

/** Lists the evaluations of a project by start, those without a root call last, then by id. */
export async function listEvaluations(
  store: Store,
  kept: KeptLists,
  projectId: string,
  signal: AbortSignal | undefined,
): Promise<EvaluationEntry[]> {
  const list = await store.read(
    (session) => remembered(kept, session.epoch, projectId, () => readList(session, projectId)),
    signal,
  );
  // The answer is the caller's, who may change it.
  return list.map(({ attributes, ...one }) => ({
    ...one,
    attributes: attributes === null ? null : parseJson(attributes),
  }));
}

/** Digits of the digest of a set of rows that are told. */
const DIGEST_SHOWN = 12;

/** Reads the rows that ran in these evaluations, by the ids of those that have any. */
export async function readRowSets(session: Session, among: Sql) {
  const found = await session.all(compileRowSets(among));
  return new Map(
    found.map(({ id, count, digest }) => [id, { count, digest: digest.slice(0, DIGEST_SHOWN) }]),
  );
}

/** What its root call names as its dataset, else what its rows name. */
export function datasetRefOf({ datasetRef, datasetPrefix }: ListedEvaluation): string | null {
  return datasetRef ?? datasetPrefix?.slice(0, -ROW_MARK.length) ?? null;
}

async function readList(session: Session, projectId: string): Promise<KeptEntry[]> {
  await session.about(projectId, []);
  const [project] = await session.all(compileProject(projectId));
  if (project === undefined) return [];
  const found = await session.all(compileEvaluationList(projectId));
  const failed = await session.all(compileListedErrors(project.key));
  const users = await readUsers(session, projectId);
  const errors = new Map(failed.map((one) => [one.id, one]));
  const sets = await readRowSets(session, sql`e.project_key = ${constant(project.key)} AND NOT e.hidden`);
  return found.map((one) => ({
    id: one.id,
    display_name: one.displayName,
    evaluation_ref: one.evaluationRef,
    model_ref: one.modelRef,
    dataset_ref: datasetRefOf(one),
    commit: one.commit,
    branch: one.branch,
    file: one.file,
    attributes: one.attributes,
    started_at: timeOrNull(one.startedAt),
    ended_at: timeOrNull(one.endedAt),
    exception: one.exception,
    status: statusOf(one),
    user: users.get(one.id) ?? null,
    last_trial_at: timeOrNull(one.lastTrialAt),
    trial_count: one.trials,
    row_count: sets.get(one.id)?.count ?? 0,
    rows_digest: sets.get(one.id)?.digest ?? null,
    error_count: errors.get(one.id)?.count ?? 0,
    top_error: errors.get(one.id)?.top ?? null,
  }));
}

/** Who stored evaluations, by id, where that is known. */
export async function readUsers(session: Session, projectId: string): Promise<ReadonlyMap<string, string>> {
  const roots = await session.all(compileRootMembers(projectId, ["/wb_user_id"]));
  return new Map(
    roots.flatMap(({ id, members: [said = null] }) => {
      const user: unknown = said === null ? null : JSON.parse(said);
      return typeof user === "string" && user !== "" ? [[id, user] as const] : [];
    }),
  );
}

function statusOf({ exception, endedAt }: ListedEvaluation): EvaluationEntry["status"] {
  if (exception !== null) return exception === CANCELLED ? "cancelled" : "failed";
  return endedAt === null ? "running" : "finished";
}

function timeOrNull(microseconds: bigint | null): string | null {
  return microseconds === null ? null : formatTimestamp(microseconds);
}

/** A project of a database. */
export interface ProjectEntry {
  /** `entity/project`. */
  readonly project_id: string;
  /** Number of evaluations that `listEvaluations` gives. */
  readonly evaluation_count: number;
}

/** Lists the projects of a database by id. */
export async function listProjects(store: Store): Promise<string[]> {
  const found = await store.read(async (session) => {
    await session.about(null, []);
    return session.all(compileProjects());
  });
  return found.map(({ id }) => id);
}

/** Lists the projects of a database by id, each with the number of its evaluations. */
export async function countEvaluations(
  store: Store,
  signal: AbortSignal | undefined,
): Promise<ProjectEntry[]> {
  const found = await store.read(async (session) => {
    await session.about(null, []);
    return session.all(compileEvaluationCounts());
  }, signal);
  return found.map(({ id, evaluations }) => ({ project_id: id, evaluation_count: evaluations }));
}
