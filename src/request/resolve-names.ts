import type { InputPath } from "../errors.ts";
import { evaluationLabels, labelTexts, type Labelled } from "../model/labels.ts";
import type { EvaluationName, IdOf } from "./evaluation-name.ts";
import { findEvaluation, PREVIOUS } from "./find-evaluation.ts";
import { meaningless } from "./meaningless.ts";

/** A request with the ids of the evaluations that it names. */
export interface ResolvedRequest<Request, Evaluation extends Labelled = Labelled> {
  readonly request: Request;
  readonly list: readonly Evaluation[];
  /** Which evaluations names stand for, where the names alone do not tell. */
  readonly notes: readonly string[];
  /** Writes labels where sentences quote ids. */
  readonly label: (texts: readonly string[]) => string[];
}

/** The error of a name that is of none of the forms; null keeps it, since it may be an id that comes later. */
export type UnknownName = ((name: EvaluationName, fault: string) => Error) | null;

export const refuseUnknown: UnknownName = ({ place }, fault) => meaningless(place, fault);

/** A member that no wire format has. */
const KNOWN = Symbol("all names stand for evaluations");

/** The request, with which a name that stands for no evaluation is an error. */
export function ofKnownEvaluations<Request extends object>(request: Request): Request {
  return { ...request, [KNOWN]: true };
}

export function isOfKnown(request: unknown): boolean {
  return typeof request === "object" && request !== null && KNOWN in request;
}

/** A note or an error, where the request has the name that it is of. */
interface Told {
  readonly place: InputPath;
  readonly note: string | (() => Error);
}

/**
 * Resolves the names of a request that was parsed from `input`: `withIds` makes it with their ids. Throws where a text
 * cannot stand for an evaluation; of several such texts the one that comes first in the input is told.
 */
export function resolveNames<Asked, Request, Evaluation extends Labelled>(
  list: readonly Evaluation[],
  input: unknown,
  asked: Asked,
  withIds: (asked: Asked, idOf: IdOf) => Request,
  unknown: UnknownName = isOfKnown(input) ? refuseUnknown : null,
): ResolvedRequest<Request, Evaluation> {
  const told: Told[] = [];
  const ids = new Set<string>();
  const request = withIds(asked, (name) => {
    const { text, place } = name;
    if (text === PREVIOUS && ["baseline", "of"].includes(String(place.at(-1)))) return text;
    const found = findEvaluation(text, list);
    if ("id" in found) {
      if (found.note !== null) told.push({ place, note: found.note });
      ids.add(found.id);
      return found.id;
    }
    const fail = found.unknown ? unknown : () => meaningless(place, found.fault);
    if (fail !== null) told.push({ place, note: () => fail(name, found.fault) });
    return text;
  });
  const notes = new Set<string>();
  for (const { note } of told.toSorted((a, b) => orderIn(input, a.place, b.place))) {
    if (typeof note === "function") throw note();
    notes.add(note);
  }
  const shown = ids.size === 0 ? list : list.filter(({ id }) => ids.has(id));
  return { request, list, notes: [...notes], label: labelTexts(evaluationLabels(shown)) };
}

/** Compares two places by where the input has them. */
function orderIn(input: unknown, a: InputPath, b: InputPath): number {
  const [[own, ...below], [other, ...others]] = [a, b];
  if (own === undefined || other === undefined) return 0;
  const value = Object(input) as Readonly<Record<string | number, unknown>>;
  if (own === other) return orderIn(value[own], below, others);
  if (typeof own === "number") return own - Number(other);
  const names = Object.keys(value);
  // Members with a default come last.
  const [at, otherAt] = [own, other].map((name) =>
    Object.hasOwn(value, name) ? names.indexOf(String(name)) : Infinity,
  );
  return at === otherAt ? 0 : (at ?? 0) - (otherAt ?? 0);
}
