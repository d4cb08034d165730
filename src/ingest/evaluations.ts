import type { Session } from "../model/session.ts";
import { sql } from "../model/sql.ts";
import type { CallBatch } from "./call-batch.ts";
import { identity, type Catalog } from "./catalog.ts";
import { findCalls, type CallIdentity, type KnownCall } from "./stored-calls.ts";
import type { Call } from "./call.ts";

const ROOT_OP = "Evaluation.evaluate";

/** Gives every parent of a trial, and every root that says it is one, a record in `evaluations`. */
export async function writeEvaluations(session: Session, catalog: Catalog, batch: CallBatch): Promise<void> {
  const created = new Map<string, CallIdentity>();
  const want = (projectKey: number, id: string) => {
    const key = identity(projectKey, id);
    if (!catalog.evaluations.has(key)) created.set(key, { projectKey, id });
  };
  for (const { trial } of batch.trials.values()) if (trial.parentId !== null) want(trial.projectKey, trial.parentId);
  for (const call of batch.changed.values()) if (call.call?.opName === ROOT_OP) want(call.projectKey, call.id);
  for (const [key, one] of created) catalog.evaluations.set(key, { ...one, key: catalog.evaluations.size + 1 });

  const roots = new Map<string, KnownCall>();
  for (const [id, call] of batch.changed) if (catalog.evaluations.has(id)) roots.set(id, call);
  const unseen = [...created.values()].filter((one) => !roots.has(identity(one.projectKey, one.id)));
  for (const root of await findCalls(session, unseen)) roots.set(identity(root.projectKey, root.id), root);

  const written = [...new Set([...created.keys(), ...roots.keys()])];
  if (written.length > 0) await writeRoots(session, catalog, written, roots);
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
  const texts = (name: string, read: (call: Call, root: KnownCall) => unknown) => ({
    name,
    type: "VARCHAR" as const,
    values: entries.map(({ root }) => {
      const value = root?.call == null ? null : read(root.call, root);
      return typeof value === "string" ? value : null;
    }),
  });
  const member = (root: KnownCall, name: string): unknown => (JSON.parse(root.text) as Record<string, unknown>)[name];
  await session.load("load_evaluations", [
    { name: "evaluation_key", type: "INTEGER", values: entries.map(({ entry }) => entry.key) },
    { name: "project_key", type: "INTEGER", values: entries.map(({ entry }) => entry.projectKey) },
    { name: "id", type: "VARCHAR", values: entries.map(({ entry }) => entry.id) },
    { name: "has_root", type: "BOOLEAN", values: entries.map(({ root }) => root !== null) },
    { name: "hidden", type: "BOOLEAN", values: entries.map(({ root }) => root?.hidden ?? false) },
    texts("evaluation_ref", (call) => (typeof call.inputs["self"] === "string" ? call.inputs["self"] : call.inputs["this"])),
    texts("model_ref", (call) => call.inputs["model"]),
    texts("display_name", (_, root) => member(root, "display_name")),
    texts("trace_id", (_, root) => member(root, "trace_id")),
    { name: "started_at", type: "BIGINT", values: entries.map(({ root }) => root?.call?.startedAt ?? null) },
  ]);
  await session.run(sql`DELETE FROM evaluations WHERE evaluation_key IN (SELECT evaluation_key FROM load_evaluations)`);
  await session.run(sql`INSERT INTO evaluations BY NAME SELECT * FROM load_evaluations`);
}
