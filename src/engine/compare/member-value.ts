import { modelName } from "../../model/references.ts";
import { isJsonObject, parseJson, writeJson } from "../../model/json.ts";
import type { RootCondition, WhereValue } from "../../request/where.ts";

const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Whether a member of a root call, as JSON text, has one of the wanted values; null stands for a missing member. */
export function matchesMember({ isModel, values }: RootCondition, member: string | null): boolean {
  const stored: unknown = member === null ? null : parseJson(member);
  const value = isModel && typeof stored === "string" ? modelName(stored) : stored;
  return values.some((wanted) => isEqual(value, wanted));
}

/** Compares as a filter does: in the type of the wanted value. */
function isEqual(value: unknown, wanted: WhereValue): boolean {
  if (wanted === null || value === null || value === undefined) return (value ?? null) === wanted;
  if (typeof wanted === "number") return numberOf(value) === wanted;
  if (typeof wanted === "string") return textOf(value) === wanted;
  return numberOf(value) === Number(wanted) || value === String(wanted);
}

function numberOf(value: unknown): number | null {
  if (typeof value === "string") return NUMBER_TEXT.test(value) ? Number(value) : null;
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? Number(value)
    : null;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isJsonObject(value) || Array.isArray(value) ? writeJson(value) : String(value);
}
