import { z } from "zod";
import { projectName } from "../model/arguments.ts";

const name = z
  .string()
  .regex(/^[^/\s\p{Cc}]{1,128}$/u, "must be 1 to 128 characters without slash, blank or control character");

/** Schema of a model to register, as a client sends it. Unknown members are ignored. */
export const modelRequestSchema = z
  .object({
    /** Null or left out stands for the entity of the key. */
    entity: projectName.nullish(),
    project: projectName,
    name,
    base_model: z
      .string()
      .regex(/^\P{Cc}{1,512}$/u, "must be 1 to 512 characters without control characters"),
    return_existing: z.boolean().nullish(),
  })
  .meta({ id: "ModelRequest" });
