import type { z } from "zod";
import { isJsonObject, parseJson, type JsonObject } from "../../model/json.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { sql } from "../../store/sql.ts";
import type { RecordStore } from "../../store/session.ts";
import { findVersion, selectVersions, versionValues, type ObjectVersion } from "../objects/versions.ts";
import type { versionRequest } from "./requests.ts";

/** The versions of evaluations of a project, as JSON texts, by object and version. */
export async function* evaluationVersions(
  store: RecordStore,
  projectId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const where = sql` AND kind <> 'op' AND coalesce(base_object_class, 'Evaluation') = 'Evaluation'`;
  const found = await store.read(
    (session) => session.all(selectVersions(projectId, { where, withValues: false })),
    signal,
  );
  for await (const [version, val = null] of versionValues(store, projectId, found, signal)) {
    const text = writeEvaluation({ ...version, val });
    if (text !== null) yield text;
  }
}

/** One version as JSON text; null where it is none of an evaluation. */
export async function evaluationVersion(
  store: RecordStore,
  { project_id: projectId, object_id: objectId, digest }: z.output<typeof versionRequest>,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const found = await store.read((session) => findVersion(session, projectId, objectId, digest), signal);
  return found === undefined ? null : writeEvaluation(found);
}

function writeEvaluation({ base_object_class: base, val: stored, ...version }: ObjectVersion): string | null {
  const parsed = parseJson(stored ?? "null");
  const val: JsonObject = isJsonObject(parsed) ? parsed : {};
  if ((base ?? val["_class_name"]) !== "Evaluation") return null;
  const text = (name: string) => (typeof val[name] === "string" ? val[name] : null);
  const { scorers, trials } = val;
  return JSON.stringify({
    object_id: version.object_id,
    digest: version.digest,
    version_index: version.version_index,
    created_at: formatTimestamp(version.created_at),
    name: text("name") ?? version.object_id,
    description: text("description"),
    dataset: text("dataset") ?? "",
    scorers: Array.isArray(scorers) ? scorers.filter((one) => typeof one === "string") : [],
    trials: Number.isSafeInteger(trials) ? trials : 1,
    evaluation_name: text("evaluation_name"),
    evaluate_op: text("evaluate"),
    predict_and_score_op: text("predict_and_score"),
    summarize_op: text("summarize"),
  });
}
