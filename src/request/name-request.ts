import { isByModel } from "../model/field-path.ts";
import type { InputPath } from "../errors.ts";
import { isJsonObject } from "../model/json.ts";
import { evaluationLabels, labelTexts, type Labelled } from "../model/labels.ts";
import { meaningless } from "./meaningless.ts";
import { findEvaluation, PREVIOUS } from "./find-evaluation.ts";

/** A request in which every evaluation is named by its id. */
export interface NamedRequest<T extends Labelled> {
  readonly request: unknown;
  readonly list: readonly T[];
  /** Which evaluations names stand for, where the names alone do not tell. */
  readonly notes: readonly string[];
  /** Writes labels where sentences quote ids. */
  readonly label: (texts: readonly string[]) => string[];
}

/** Members of requests that hold an evaluation, several of them, or parts that may name one. */
const ONE = new Set(["baseline", "candidate", "evaluation_call_id"]);
const SEVERAL = new Set(["evaluation_call_ids", "evaluation_run_ids", "evaluations", "candidates"]);
const PARTS = new Set(["filters", "sort_by", "pairs", "moved"]);
/** Names stand above such a depth; what is nested deeper, or in itself, is refused later. */
const DEEPEST = 16;
/** Members that hold models where a request is by model. */
const COMPARED = new Set(["baseline", "candidates", "pairs"]);

/**
 * Puts ids where a request of any capability names evaluations otherwise. What has a wrong shape stays as it is, and so
 * does a name that is of none of the forms, unless `strict`. Throws `RequestError` where a text cannot stand for one.
 */
export function nameIn<T extends Labelled>(
  input: unknown,
  list: readonly T[],
  strict: boolean,
): NamedRequest<T> {
  const ofModels = isJsonObject(input) && isByModel(input["by"]);
  const notes = new Set<string>();
  const ids = new Set<string>();
  const one = (text: unknown, place: InputPath): unknown => {
    if (typeof text !== "string" || (text === PREVIOUS && place.at(-1) === "baseline")) return text;
    const found = findEvaluation(text, list);
    if ("fault" in found) {
      if (strict || !found.unknown) throw meaningless(place, found.fault);
      return text;
    }
    if (found.note !== null) notes.add(found.note);
    ids.add(found.id);
    return found.id;
  };
  const each = (value: unknown, place: InputPath, own: typeof one): unknown =>
    Array.isArray(value) ? value.map((item: unknown, i) => own(item, [...place, i])) : value;
  const members = (value: unknown, place: InputPath): unknown => {
    if (place.length > DEEPEST) return value;
    if (!isJsonObject(value)) return each(value, place, members);
    const entries = Object.entries(value).map(([name, inner]) => {
      const at = [...place, name];
      if (ofModels && COMPARED.has(name)) return [name, inner];
      if (ONE.has(name)) return [name, one(inner, at)];
      if (SEVERAL.has(name)) return [name, each(inner, at, one)];
      return [name, PARTS.has(name) ? members(inner, at) : inner];
    });
    return Object.fromEntries(entries) as unknown;
  };
  const request = isJsonObject(input) ? members(input, []) : input;
  const shown = ids.size === 0 ? list : list.filter(({ id }) => ids.has(id));
  return { request, list, notes: [...notes], label: labelTexts(evaluationLabels(shown)) };
}
