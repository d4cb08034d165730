import { openCore } from "../../src/engine/engine.ts";
import { createFeedback, eachFeedbackJson } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { createLogging } from "../../src/logging/logging.ts";
import type { Session } from "../../src/store/session.ts";
import { identifier, join, sql } from "../../src/store/sql.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { createTraining } from "../../src/training/training.ts";
import { createWeave } from "../../src/weave/weave.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { MODEL_ID } from "./valid-requests.ts";
import { WEAVE_OBJECT, WEAVE_TABLE } from "./weave-targets.ts";

const OTHER_MODEL_ID = "0198b0d4-0000-4000-8000-00000000000b";

/** An engine with records of every kind, and a view of all that it stores. */
export async function openFlooded() {
  const { store, logged, ...core } = await openCore({ threads: 1, memoryLimit: "512MiB" });
  const given = createSqlFeedbackStore(store);
  const feedback = createFeedback(given);
  const training = createTraining(createSqlTrainingStore(store));
  await core.ingestCalls([
    ...["e", "f"].map((id) => root(id)),
    ...["e", "f"].flatMap((parent_id) =>
      Array.from({ length: 5 }, (_, n) =>
        trial(
          `${parent_id}${n}`,
          { n },
          { acc: n + parent_id.length, ok: n % 2 === 0, text: "x" },
          { parent_id },
        ),
      ),
    ),
  ]);
  await core.ingestRows([{ project_id: PROJECT, digest: "d", val: { n: 1 } }]);
  const note = { project_id: PROJECT, svc_ref: "svc:///acme/qa/call/e1", feedback_type: "svc.note.1" };
  const { id: feedbackId } = await feedback.create({ ...note, payload: { note: "x" } }, { userId: "ann" });
  await training.addCheckpoint(OTHER_MODEL_ID, { step: 1, metrics: { loss: 1 } });
  const job = { model_id: MODEL_ID, trajectory_groups: [] };
  const { id: jobId } = await training.createJob(job, { projectId: PROJECT });
  const weave = createWeave({ store, ...core, feedback: { ...feedback, eachJson: eachFeedbackJson(given) } });
  const ann = { userId: "ann" };
  await weave.createObject(JSON.stringify(WEAVE_OBJECT), ann);
  const stored = await weave.createTable(JSON.stringify(WEAVE_TABLE), ann);
  const { digest: table, row_digests: rows } = JSON.parse(stored) as {
    digest: string;
    row_digests: string[];
  };
  return {
    ...core,
    weave,
    logScore: createLogging({ ...logged, write: core.storeCalls }).logScore,
    feedback,
    training,
    ids: { feedbackId, jobId, table, row: rows[0] ?? "" },
    /** Differs when any stored record does. */
    state: () => store.read(readState),
  };
}

export type FloodedEngine = Awaited<ReturnType<typeof openFlooded>>;

async function readState(session: Session): Promise<string> {
  const names = await session.rows(sql`SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY 1`);
  const tables = names.map(([name]) => {
    const table = identifier(String(name));
    return sql`SELECT count(*)::BIGINT, coalesce(bit_xor(hash(t)), 0)::VARCHAR FROM ${table} AS t`;
  });
  const found = await session.rows(join(tables, sql` UNION ALL `));
  return names.map(([name], at) => `${String(name)} ${found[at]?.join(" ")}`).join("\n");
}
