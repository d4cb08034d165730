import { firstAndMore } from "../../model/messages.ts";
import { RequestError, type InputPath } from "../../errors.ts";
import type { EvaluationEntry } from "../../index.ts";
import { modelName } from "../../model/references.ts";

type List = readonly EvaluationEntry[];

/**
 * Finds the evaluation that a text stands for, and returns its id. The text is an id, a display name, `latest`,
 * `latest~N` (N evaluations before the latest by start) or `model:<name>` (the latest of that model). An id that exists
 * comes first. A text that is none of these is returned as it is, so that the engine says that it has no such
 * evaluation.
 *
 * @param list The evaluations of the project, by start.
 * @param place Where the text was given: a flag such as `["--baseline"]`, or a location in the request.
 * @throws RequestError where several evaluations are meant, or where `latest~N` or `model:<name>` finds none.
 */
export function resolveEvaluation(text: string, list: List, place: InputPath): string {
  if (list.some(({ id }) => id === text)) return text;
  const named = list.filter(({ display_name: name }) => name === text);
  const pointed = pointedAt(text, list);
  const candidates = new Set([...named, ...(typeof pointed === "object" ? pointed : [])]);
  const [first, second] = candidates;
  if (second !== undefined) throw faulty(place, severalMeant(text, [...candidates]), "ambiguous_evaluation");
  if (first !== undefined) return first.id;
  if (typeof pointed === "string") throw faulty(place, pointed, "unknown_evaluation");
  return text;
}

/** What `latest`, `latest~N` and `model:<name>` find, or a message where they find nothing; none for other texts. */
function pointedAt(text: string, list: List): List | string {
  const latest = /^latest(?:~(\d+))?$/.exec(text);
  const started = list.filter(({ started_at: at }) => at !== null);
  if (latest !== null) {
    const one = started.at(-1 - Number(latest[1] ?? 0));
    return one === undefined ? `the project has ${evaluations(started.length)} with a start` : [one];
  }
  const [, model] = /^model:(.+)$/s.exec(text) ?? [];
  if (model === undefined) return [];
  const one = started.findLast(({ model_ref: ref }) => ref === model || nameOf(ref) === model);
  return one === undefined ? noModel(model, started) : [one];
}

function nameOf(ref: string | null): string | null {
  return ref === null ? null : modelName(ref);
}

const SHOWN = 10;

function severalMeant(text: string, candidates: List): string {
  const lines = candidates.map(
    ({ id, display_name: name, started_at: at }) =>
      `${id} (${name ?? "no name"}, ${at === null ? "no start" : `started ${at.slice(0, 19)}`})`,
  );
  return `${JSON.stringify(text)} stands for ${evaluations(candidates.length)}; give the id of one: ${firstAndMore(lines, SHOWN)}`;
}

function noModel(model: string, started: List): string {
  const names = new Set(started.map(({ model_ref: ref }) => nameOf(ref)).filter((name) => name !== null));
  const known =
    names.size === 0 ? "none names its model" : `their models are ${firstAndMore([...names], SHOWN)}`;
  return `no evaluation with a start is of the model ${JSON.stringify(model)}; ${known}`;
}

function evaluations(count: number): string {
  return count === 1 ? "1 evaluation" : `${count} evaluations`;
}

function faulty(loc: InputPath, msg: string, type: string): RequestError {
  return new RequestError("meaning", [{ loc, msg, type }]);
}
