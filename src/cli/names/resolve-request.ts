import type { InputPath } from "../../errors.ts";
import type { EvaluationEntry } from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { resolveEvaluation } from "./resolve-evaluation.ts";

/** Members of requests that hold an evaluation, several of them, or parts that may name one. */
const ONE = new Set(["baseline", "evaluation_call_id"]);
const SEVERAL = new Set(["evaluation_call_ids", "evaluation_run_ids", "evaluations", "candidates"]);
/** Members that hold models where a request is by model. */
const COMPARED = new Set(["baseline", "candidates"]);
const PARTS = new Set(["filters", "sort_by"]);

/**
 * Puts ids in the place of names, `latest` and the like wherever a request of any capability names an evaluation. What
 * has a wrong shape stays as it is; the engine refuses it.
 *
 * @throws RequestError as `resolveEvaluation` does.
 */
export function resolveEvaluations(request: unknown, list: readonly EvaluationEntry[]): unknown {
  const resolveMembers = (value: unknown, place: InputPath): unknown => {
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      resolveMember(name, member, [...place, name]),
    ]);
    return Object.fromEntries(members) as unknown;
  };
  const resolveOne = (value: unknown, place: InputPath): unknown =>
    typeof value === "string" ? resolveEvaluation(value, list, place) : value;
  const ofModels = isJsonObject(request) && request["by"] === "model";
  const resolveMember = (name: string, value: unknown, place: InputPath): unknown => {
    if (ofModels && COMPARED.has(name)) return value;
    if (ONE.has(name)) return resolveOne(value, place);
    const resolve = SEVERAL.has(name) ? resolveOne : PARTS.has(name) ? resolveMembers : null;
    if (resolve === null || !Array.isArray(value)) return value;
    return value.map((one: unknown, i) => resolve(one, [...place, i]));
  };
  return resolveMembers(request, []);
}
