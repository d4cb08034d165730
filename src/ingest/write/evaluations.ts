import type { Column } from "../../store/session.ts";
import type { CallBatch } from "../merge/call-batch.ts";
import type { Dictionaries } from "../keys/catalog.ts";
import { readRoot, WITHDRAWN_OP } from "../../model/references.ts";
import { readText } from "../record/record-text.ts";
import type { CallIdentity, KnownCall, StoredCalls } from "../lookup/known-call.ts";

const ROOT_OP = "Evaluation.evaluate";

/**
 * The evaluations that are new or whose root changed, as columns of `evaluations`: one record for each parent of a
 * trial, and for each root that is marked as an evaluation. Adds new ones to the catalog.
 */
export async function evaluationColumns(
  stored: StoredCalls,
  catalog: Dictionaries,
  batch: Pick<CallBatch, "trials" | "changed">,
): Promise<Column[]> {
  const created = new Map<string, CallIdentity>();
  const want = (one: CallIdentity) => {
    if (!catalog.evaluations.has(one.identity)) created.set(one.identity, one);
  };
  for (const { trial } of batch.trials.values()) if (trial.parent !== null) want(trial.parent);
  batch.changed.forEach((call) => {
    if (call.call?.opName === ROOT_OP) want(call);
  });
  for (const [key, { projectKey, id }] of created)
    catalog.evaluations.set(key, { projectKey, id, key: catalog.newKey("evaluation", projectKey, id) });

  const roots = new Map<string, KnownCall>();
  batch.changed.forEach((call, id) => {
    if (catalog.evaluations.has(id)) roots.set(id, call);
  });
  const unseen = [...created.values()].filter((one) => !roots.has(one.identity));
  for (const root of await stored.find(unseen)) roots.set(root.identity, root);

  return rootColumns(catalog, [...new Set([...created.keys(), ...roots.keys()])], roots);
}

/** Evaluations, by identity, as columns of the table. */
export function rootColumns(
  catalog: Pick<Dictionaries, "evaluations">,
  identities: readonly string[],
  roots: ReadonlyMap<string, KnownCall>,
): Column[] {
  const entries = identities.flatMap((id) => {
    const entry = catalog.evaluations.get(id);
    return entry === undefined ? [] : [{ entry, root: roots.get(id) ?? null }];
  });
  const read = entries.map(({ root }) => (root?.call == null ? null : readRoot(readText(root.text))));
  const texts = (name: keyof ReturnType<typeof readRoot>, column: string) => ({
    name: column,
    type: "VARCHAR" as const,
    values: read.map((root) => root?.[name] ?? null),
  });
  return [
    { name: "evaluation_key", type: "INTEGER", values: entries.map(({ entry }) => entry.key) },
    { name: "project_key", type: "INTEGER", values: entries.map(({ entry }) => entry.projectKey) },
    { name: "id", type: "VARCHAR", values: entries.map(({ entry }) => entry.id) },
    { name: "has_root", type: "BOOLEAN", values: entries.map(({ root }) => isRoot(root)) },
    { name: "hidden", type: "BOOLEAN", values: entries.map(({ root }) => root?.hidden ?? false) },
    texts("evaluationRef", "evaluation_ref"),
    texts("modelRef", "model_ref"),
    texts("datasetRef", "dataset_ref"),
    texts("displayName", "display_name"),
    texts("traceId", "trace_id"),
    { name: "started_at", type: "BIGINT", values: entries.map(({ root }) => root?.call?.startedAt ?? null) },
    { name: "ended_at", type: "BIGINT", values: entries.map(({ root }) => root?.call?.endedAt ?? null) },
    texts("exception", "exception"),
    texts("commit", "code_commit"),
    texts("branch", "code_branch"),
    texts("file", "import_file"),
    texts("attributes", "attributes"),
  ];
}

const isRoot = (root: KnownCall | null) => root !== null && root.call?.opName !== WITHDRAWN_OP;
