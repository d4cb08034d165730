import { z } from "zod";

const name = z.string().regex(/^[^/\s]{1,128}$/, "must be 1 to 128 characters without slash or blank");

/** A model to register, as a client sends it. Unknown members are ignored. */
export const modelRequestSchema = z
  .object({
    /** Null: the entity of the key. */
    entity: name.nullish(),
    project: name,
    name,
    base_model: z.string().min(1).max(512),
    return_existing: z.boolean().nullish(),
  })
  .meta({ id: "ModelRequest" });

export type ModelRequest = z.output<typeof modelRequestSchema>;
