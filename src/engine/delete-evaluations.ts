import { compileEvaluationsWithFeedback } from "../compile/catalog/feedback.ts";
import { checkArgument } from "../model/arguments.ts";
import { BASELINE_TYPE } from "../model/conventions.ts";
import { readDuration } from "../model/duration.ts";
import { parseTimestamp } from "../model/timestamp.ts";
import { deleteRequestWire, type DeleteRequest } from "../request/delete-request.ts";
import type { Store } from "../store/session.ts";
import type { EvaluationEntry } from "./catalog/list-evaluations.ts";
import { inProject } from "./catalog/stored-calls.ts";
import type { EvaluationDeletion, Loading } from "./loading.ts";

/** Why evaluations stay that are old enough, by id. */
type Kept = ReadonlyMap<string, EvaluationDeletion["kept"][number]["reason"]>;

interface OfProject {
  readonly store: Store;
  readonly list: () => Promise<readonly EvaluationEntry[]>;
  readonly deleteCalls: Loading["deleteCalls"];
}

/** Hides the evaluations of a project that a request names; calls that are none stay, and unknown ids are not kept. */
export async function deleteEvaluations(
  { store, list, deleteCalls }: OfProject,
  projectId: string,
  input: DeleteRequest,
  signal: AbortSignal | undefined,
): Promise<EvaluationDeletion> {
  const asked = checkArgument(input, deleteRequestWire);
  const all = await list();
  const dry_run = asked.dry_run === true;
  const marked = "ids" in asked || asked.all === true ? NONE : await readMarked(store, projectId, signal);
  const { gone, kept } = "ids" in asked ? chooseNamed(all, asked.ids) : chooseOld(all, asked, marked);
  const ids = gone.map(({ id }) => id);
  const { hidden } =
    dry_run || ids.length === 0 ? { hidden: 0 } : await deleteCalls(projectId, ids, { signal });
  const evaluations = gone.map(({ id, display_name, started_at, trial_count, user }) => ({
    id,
    display_name,
    started_at,
    trial_count,
    user,
  }));
  return { dry_run, hidden, evaluations, kept };
}

const NONE: Kept = new Map();

async function readMarked(store: Store, projectId: string, signal: AbortSignal | undefined): Promise<Kept> {
  return await inProject(store, { projectId, signal }, NONE, async (session, projectKey) => {
    const found = await session.all(compileEvaluationsWithFeedback(projectId, projectKey, BASELINE_TYPE));
    return new Map(found.map(({ id, named }) => [id, named ? "baseline" : "feedback"] as const));
  });
}

function chooseNamed(all: readonly EvaluationEntry[], ids: readonly string[]) {
  const named = new Set(ids);
  return { gone: all.filter(({ id }) => named.has(id)), kept: [] };
}

/** Of the evaluations that began long enough ago those that go, and those that stay nonetheless. */
function chooseOld(
  all: readonly EvaluationEntry[],
  asked: Extract<ReturnType<typeof deleteRequestWire.parse>, { older_than: string }>,
  marked: Kept,
  now = Date.now(),
) {
  const before = BigInt(now - (readDuration(asked.older_than) ?? 0)) * 1000n;
  const reasons = new Map(marked);
  const left = new Map<string | null, number>();
  const named = all.filter(
    ({ display_name: name, user }) =>
      (asked.name == null || name === asked.name) && (asked.user == null || user === asked.user),
  );
  for (const { id, display_name: name } of named.toReversed()) {
    if (reasons.has(id)) continue;
    const count = left.get(name) ?? asked.keep_latest ?? 0;
    if (count > 0) reasons.set(id, "latest");
    left.set(name, count - 1);
  }
  const old = named.filter(({ started_at: at }) => at !== null && (parseTimestamp(at) ?? before) < before);
  return {
    gone: old.filter(({ id }) => !reasons.has(id)),
    kept: old.flatMap(({ id }) => {
      const reason = reasons.get(id);
      return reason === undefined ? [] : [{ id, reason }];
    }),
  };
}
