import { randomUUID } from "node:crypto";
import { RequestError } from "../errors.ts";
import { modelRequestSchema } from "./model-request.ts";
import { schemaError } from "../model/schema-issues.ts";
import type { StoredModel, TrainingStore } from "./store.ts";

/** A registered model. */
export interface TrainingModel {
  readonly id: string;
  readonly entity: string;
  readonly project: string;
  readonly name: string;
  readonly base_model: string;
}

export interface RegisterModelOptions {
  /** Stands in for an entity that the request leaves out. */
  readonly entity: string;
  /** Called with the model's project before anything is stored; throws to refuse. */
  readonly authorize?: (projectId: string) => void;
}

/** Registers a model, or finds the one of this entity, project and name if `return_existing` is set. */
export async function registerModel(
  store: TrainingStore,
  request: unknown,
  options: RegisterModelOptions,
): Promise<TrainingModel> {
  const parsed = modelRequestSchema.safeParse(request);
  if (!parsed.success) throw schemaError(parsed.error);
  const { project, name, base_model: baseModel } = parsed.data;
  const entity = parsed.data.entity ?? options.entity;
  options.authorize?.(`${entity}/${project}`);
  const id = randomUUID();
  const stored = await store.insertModel({ id, entity, project, name, baseModel });
  if (stored.id !== id && parsed.data.return_existing !== true) {
    const msg = "there is a model of this name in the project; send return_existing to have it";
    throw new RequestError("schema", [{ loc: ["name"], msg, type: "already_exists" }]);
  }
  return toModel(stored);
}

export function toModel({ id, entity, project, name, baseModel }: StoredModel): TrainingModel {
  return { id, entity, project, name, base_model: baseModel };
}
