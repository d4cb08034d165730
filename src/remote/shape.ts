import { isJsonObject } from "../model/json.ts";
import { foreign } from "./faults.ts";
import type { ServicePlace } from "./place.ts";

/** What a value must be: of a list of names, a list of objects that have these members. */
export type Shape =
  | "string"
  | "number"
  | "boolean"
  | "values"
  | "object"
  | readonly string[]
  | { readonly [member: string]: Shape };

/** Reads an answer. Rejects with `foreign_service` on what is no JSON, or of another shape than an evalcube's. */
export async function readAnswer<T>(place: ServicePlace, shape: Shape, read: () => unknown): Promise<T> {
  const value = await Promise.resolve()
    .then(read)
    .catch(() => undefined);
  if (!fits(value, shape)) throw notOurs(place);
  return value as T;
}

export function notOurs(place: ServicePlace) {
  return foreign(place, "the answer is not that of an evalcube; see whether the address is right");
}

function fits(value: unknown, shape: Shape): boolean {
  if (shape === "values") return Array.isArray(value);
  if (shape === "object") return isJsonObject(value);
  if (typeof shape === "string") return typeof value === shape;
  if (isNames(shape))
    return (
      Array.isArray(value) &&
      value.every((one) => isJsonObject(one) && shape.every((name) => one[name] !== undefined))
    );
  return isJsonObject(value) && Object.entries(shape).every(([name, own]) => fits(value[name], own));
}

function isNames(shape: Exclude<Shape, string>): shape is readonly string[] {
  return Array.isArray(shape);
}
