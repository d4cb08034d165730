import type { Engine } from "../../../src/index.ts";
import { PROJECT } from "../../support/records.ts";
import { largeRecords, MODEL_ID, type Operation } from "./operations.ts";

export const USER = "ann";

/** What of an engine operations need. */
export type Writer = Pick<
  Engine,
  "ingestCalls" | "ingestRows" | "deleteCalls" | "feedback" | "training" | "sql"
>;

/** Does one operation; what it wrote is durable when the promise resolves. */
export async function applyOperation(engine: Writer, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case "calls":
      await engine.ingestCalls(operation.records);
      return;
    case "large":
      await engine.ingestCalls(largeRecords(operation));
      return;
    case "rows":
      await engine.ingestRows(operation.records);
      return;
    case "delete":
      await engine.deleteCalls(PROJECT, operation.ids);
      return;
    case "feedback":
      await engine.feedback.create(operation.record, { userId: USER });
      return;
    case "job":
      await engine.training.createJob(jobRequest(operation), {
        projectId: PROJECT,
        userId: USER,
        idempotencyKey: operation.name,
      });
      return;
    case "event":
      await engine.training.addEvent(await jobId(engine, operation.job), {
        type: "gradient_step",
        data: { number: operation.number },
      });
      return;
    case "checkpoint":
      await engine.training.addCheckpoint(operation.modelId, {
        step: operation.step,
        metrics: { loss: 1 / operation.step },
      });
      return;
    case "model":
      await engine.training.registerModel(modelRequest(operation), { entity: "acme" });
      return;
  }
}

export function jobRequest({ name, trajectories }: Operation & { readonly kind: "job" }): object {
  const list = Array.from({ length: trajectories }, (_, i) => ({
    reward: i / 4,
    metrics: { i },
    logs: [`${name} `.repeat(20)],
  }));
  return { model_id: MODEL_ID, trajectory_groups: [{ trajectories: list }], name };
}

export function modelRequest({ name }: Operation & { readonly kind: "model" }): object {
  return { project: "qa", name, base_model: "base", return_existing: true };
}

async function jobId(engine: Writer, name: string): Promise<string> {
  const found = await engine.sql(PROJECT, "SELECT id FROM training_jobs WHERE request ->> 'name' = $1", [
    name,
  ]);
  const id: unknown = found.getChild("id")?.get(0);
  if (typeof id !== "string") throw new Error(`there is no training job ${name}`);
  return id;
}
