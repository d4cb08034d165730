import { parseReference } from "../../model/references.ts";

/** The name of a model without the rest of its reference; the whole text where it is no reference to an object. */
export function modelName(ref: string): string {
  const reference = parseReference(ref);
  return reference?.kind === "object" ? reference.name : ref;
}
