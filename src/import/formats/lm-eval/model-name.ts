import { isJsonObject, type JsonObject } from "../../../model/json.ts";
import { textAt } from "../../read/members.ts";

/** Arguments of a model that name it, in the order in which the tool looks for them. */
const NAMING = ["peft", "delta", "pretrained", "model", "path", "engine"];

/**
 * The model of a run. Where no argument names it, newer versions of the tool make up a random `model_name` and older ones
 * leave it empty; then it is the kind of model.
 */
export function modelOf(name: string | null, config: JsonObject): string {
  const { model_args: given } = config;
  const kind = textAt(config, "model");
  const named = NAMING.map((key) => argument(given, key)).find((value) => value !== null);
  if (named !== undefined) return name ?? named;
  return kind ?? name ?? "unknown";
}

function argument(given: unknown, key: string): string | null {
  if (typeof given === "string") {
    const found = given.split(",").find((part) => part.trimStart().startsWith(`${key}=`));
    return found === undefined ? null : found.slice(found.indexOf("=") + 1).trim() || null;
  }
  const value = isJsonObject(given) ? given[key] : undefined;
  return typeof value === "string" && value !== "" ? value : null;
}
