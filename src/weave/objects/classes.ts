import { isJsonObject, type Json } from "../../model/json.ts";

/** What an object is, told from its value. */
interface ObjectClasses {
  readonly kind: "op" | "object";
  readonly base: string | null;
  readonly leaf: string | null;
}

const ROOTS: ReadonlySet<unknown> = new Set(["Object", "BaseObject"]);

export function classesOf(val: Json): ObjectClasses {
  const none = { kind: "object", base: null, leaf: null } as const;
  if (!isJsonObject(val)) return none;
  const type = val["weave_type"];
  if (val["_type"] === "CustomWeaveType" && isJsonObject(type) && type["type"] === "Op")
    return { ...none, kind: "op" };
  const { _bases: bases, _class_name: name } = val;
  if (!Array.isArray(bases) || typeof name !== "string") return none;
  if (bases.at(-1) !== "BaseModel" || !ROOTS.has(bases.at(-2))) return none;
  const base: unknown = bases.length === 2 ? name : bases.at(-3);
  return { kind: "object", base: typeof base === "string" ? base : null, leaf: name };
}
