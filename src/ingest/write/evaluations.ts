import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import type { CallBatch } from "../merge/call-batch.ts";
import type { Catalog } from "../keys/catalog.ts";
import { readRoot } from "../../model/references.ts";
import { readText } from "../record/record-text.ts";
import { lookUpCalls, type RecentCalls } from "../lookup/recent-calls.ts";
import { type CallIdentity, type CallLookup, type KnownCall } from "../lookup/stored-calls.ts";

const ROOT_OP = "Evaluation.evaluate";

/** Writes `evaluations`: one record for each parent of a trial, and for each root that is marked as an evaluation. */
export async function writeEvaluations(
  lookup: CallLookup,
  recent: RecentCalls,
  catalog: Catalog,
  batch: CallBatch,
): Promise<void> {
  const created = new Map<string, CallIdentity>();
  const want = (one: CallIdentity) => {
    if (!catalog.evaluations.has(one.identity)) created.set(one.identity, one);
  };
  for (const { trial } of batch.trials.values()) if (trial.parent !== null) want(trial.parent);
  batch.changed.forEach((call) => {
    if (call.call?.opName === ROOT_OP) want(call);
  });
  for (const [key, { projectKey, id }] of created)
    catalog.evaluations.set(key, { projectKey, id, key: catalog.evaluations.size + 1 });

  const roots = new Map<string, KnownCall>();
  batch.changed.forEach((call, id) => {
    if (catalog.evaluations.has(id)) roots.set(id, call);
  });
  const unseen = [...created.values()].filter((one) => !roots.has(one.identity));
  for (const root of await lookUpCalls(lookup, recent, unseen)) roots.set(root.identity, root);

  const written = [...new Set([...created.keys(), ...roots.keys()])];
  if (written.length > 0) await writeRoots(lookup.session, catalog, written, roots);
}

async function writeRoots(
  session: Session,
  catalog: Catalog,
  identities: readonly string[],
  roots: ReadonlyMap<string, KnownCall>,
): Promise<void> {
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
  session.load("evaluations", [
    { name: "evaluation_key", type: "INTEGER", values: entries.map(({ entry }) => entry.key) },
    { name: "project_key", type: "INTEGER", values: entries.map(({ entry }) => entry.projectKey) },
    { name: "id", type: "VARCHAR", values: entries.map(({ entry }) => entry.id) },
    { name: "has_root", type: "BOOLEAN", values: entries.map(({ root }) => root !== null) },
    { name: "hidden", type: "BOOLEAN", values: entries.map(({ root }) => root?.hidden ?? false) },
    texts("evaluationRef", "evaluation_ref"),
    texts("modelRef", "model_ref"),
    texts("displayName", "display_name"),
    texts("traceId", "trace_id"),
    { name: "started_at", type: "BIGINT", values: entries.map(({ root }) => root?.call?.startedAt ?? null) },
    { name: "ended_at", type: "BIGINT", values: entries.map(({ root }) => root?.call?.endedAt ?? null) },
    texts("exception", "exception"),
  ]);
  await session.run(
    sql`DELETE FROM evaluations WHERE evaluation_key IN (SELECT evaluation_key FROM loaded('evaluations'))`,
  );
  await session.run(sql`INSERT INTO evaluations BY NAME SELECT * FROM loaded('evaluations')`);
}
