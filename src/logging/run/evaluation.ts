import { v7 as uuidv7 } from "uuid";
import type { Conventions } from "../../model/conventions.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { EvaluationOptions } from "../api.ts";
import type { Evaluation } from "../records/call-records.ts";
import { namedObject } from "../values/names.ts";
import { plainJson } from "../values/plain-json.ts";

/** What the options say of an evaluation. Throws `invalid_value`. */
export function evaluationOf(
  projectId: string,
  { name, id = uuidv7(), model, dataset, attributes = {} }: EvaluationOptions,
  conventions: Conventions,
): Evaluation {
  const { reference, others } = namedObject(projectId, "model", plainJson(model, "model").value);
  const set = dataset === undefined ? null : plainJson(dataset, "dataset").value;
  return {
    id,
    projectId,
    name: name.toWellFormed(),
    self: set === null ? name : namedObject(projectId, "dataset", set).reference,
    model: reference,
    attributes: withModel(objectOf(plainJson(attributes, "attributes").value), others),
    ...markers(conventions),
  };
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Members of the model stand below those that the caller gives `attributes.model` itself. */
function withModel(attributes: JsonObject, others: JsonObject): JsonObject {
  if (Object.keys(others).length === 0) return attributes;
  return { ...attributes, model: { ...others, ...objectOf(attributes["model"] ?? null) } };
}

/** How trials and score calls are marked so that this database finds them. */
export function markers({
  predictAndScoreOps,
  attributeNamespaces,
}: Conventions): Pick<Evaluation, "trialOp" | "namespace"> {
  return {
    trialOp: usual("Evaluation.predict_and_score", predictAndScoreOps),
    namespace: usual("svc", attributeNamespaces),
  };
}

function usual(name: string, allowed: readonly string[]): string {
  return allowed.includes(name) ? name : (allowed[0] ?? name);
}
