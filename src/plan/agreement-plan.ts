import type { InputPath } from "../errors.ts";
import { meaningless } from "../request/meaningless.ts";
import { fieldText } from "../model/field-path.ts";
import type { Exponents, Plan } from "./plan.ts";
import type { CatalogPath } from "./query-catalog.ts";
import type { ValueKinds } from "./virtual-leaves.ts";
import { nameText } from "../model/name-text.ts";

/** The type that the values of a dimension are read as; values of another kind count as missing. */
export type Scale = "boolean" | "number" | "text";

/** Two score dimensions to compare; plain data. */
export interface AgreementPlan {
  readonly plan: Plan;
  readonly a: PlannedSide;
  readonly b: PlannedSide;
  /** `text` for two text dimensions, `boolean` for two boolean ones, else `number`. */
  readonly scale: Scale;
}

export interface PlannedSide {
  readonly pathKey: number;
  /** Member names, the scorer key first. */
  readonly path: readonly string[];
  readonly exponents: Exponents | null;
}

/** Finds the dimension that a request names at `loc`. Throws `RequestError` where no trial of the project has it. */
export function agreementSide(
  loc: InputPath,
  path: readonly string[],
  paths: readonly CatalogPath[],
): PlannedSide {
  const text = JSON.stringify(path);
  const found = paths.find((one) => one.leaf && JSON.stringify(one.path) === text);
  if (found !== undefined) return { pathKey: found.key, path: found.path, exponents: found.exponents };
  const known = paths.filter((one) => one.leaf).map((one) => nameText(fieldText(one.path)));
  const listed = known.slice(0, LISTED).join(", ") + (known.length > LISTED ? ", …" : "");
  const msg = `there is no score ${JSON.stringify(fieldText(path))}; this project has ${listed === "" ? "none" : listed}`;
  throw meaningless(loc, msg);
}

const LISTED = 20;

/** The one dimension below a scorer that is named; else the path itself. */
export function leafOf(path: readonly string[], paths: readonly CatalogPath[]): readonly string[] {
  const below = paths.filter((one) => one.leaf && path.every((part, i) => one.path[i] === part));
  return below.length === 1 ? (below[0]?.path ?? path) : path;
}

/** The scale of a dimension with these kinds of values; null where it has no values. */
export function valueType({ number, boolean, text }: ValueKinds): Scale | null {
  if (number) return "number";
  if (boolean) return "boolean";
  return text ? "text" : null;
}

/** The scale on which two dimensions are compared. Throws `RequestError` where only one of them is text. */
export function commonScale(a: Scale, b: Scale): Scale {
  if (a === b) return a;
  if (a !== "text" && b !== "text") return "number";
  const [member, other] = a === "text" ? (["a", b] as const) : (["b", a] as const);
  const msg = `has texts only, which cannot agree with what is ${other}`;
  throw meaningless([member], msg);
}
