import { requestFault } from "../errors.ts";
import { checkArgument, functionOf, projectName } from "../model/arguments.ts";
import type { TrainingStore } from "./sql-store.ts";
import type { StoredModel } from "./stored.ts";
import { randomUUID } from "node:crypto";
import { z } from "zod";

const modelName = z
  .string()
  .regex(/^[^/\s\p{Cc}]{1,128}$/u, "must be 1 to 128 characters without slash, blank or control character");

/** Schema of a model to register, as a client sends it. Unknown members are ignored. */
export const modelRequestSchema = z
  .object({
    /** Null or left out stands for the entity of the key. */
    entity: projectName.nullish(),
    project: projectName,
    name: modelName,
    base_model: z
      .string()
      .regex(/^\P{Cc}{1,512}$/u, "must be 1 to 512 characters without control characters"),
    return_existing: z.boolean().nullish(),
  })
  .meta({ id: "ModelRequest" });

/** A registered model. */
export interface TrainingModel {
  /** Id of the model, a UUID. */
  readonly id: string;
  /** The entity that the model belongs to. */
  readonly entity: string;
  /** The project of the entity. */
  readonly project: string;
  /** Name of the model, unique in the project. */
  readonly name: string;
  /** The model that training starts from. */
  readonly base_model: string;
}

/** Options of a model registration. */
export interface RegisterModelOptions {
  /** The entity of a request that names none. */
  readonly entity: string;
  /** Called with the model's project before anything is stored; throws to refuse. */
  readonly authorize?: ((projectId: string) => void) | undefined;
}

const optionsSchema = z.strictObject({
  entity: z.string(),
  authorize: functionOf<(projectId: string) => void>().optional(),
});

/** Registers a model, or returns the existing one of this entity, project and name if `return_existing` is set. */
export async function registerModel(
  store: TrainingStore,
  request: unknown,
  options: RegisterModelOptions,
): Promise<TrainingModel> {
  const { authorize, entity: usual } = checkArgument(options, optionsSchema, ["options"]);
  const asked = checkArgument(request, modelRequestSchema);
  const { project, name, base_model: baseModel } = asked;
  const entity = checkArgument(asked.entity ?? usual, projectName, ["entity"]);
  authorize?.(`${entity}/${project}`);
  const id = randomUUID();
  const stored = await store.insertModel({ id, entity, project, name, baseModel });
  if (stored.id !== id && asked.return_existing !== true) {
    const msg = "there is a model of this name in the project; send return_existing to have it";
    throw requestFault("schema", ["name"], msg, "already_exists");
  }
  return toModel(stored);
}

export function toModel({ id, entity, project, name, baseModel }: StoredModel): TrainingModel {
  return { id, entity, project, name, base_model: baseModel };
}
