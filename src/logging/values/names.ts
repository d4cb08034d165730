import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { parseReference } from "../../model/references.ts";
import { invalidValue } from "./plain-json.ts";

/** The scheme of references that are written; on reading any is accepted. */
const SCHEME = "svc";

export function callReference(projectId: string, id: string): string {
  return `${SCHEME}:///${projectId}/call/${id}`;
}

function objectReference(projectId: string, name: string, version = "latest"): string {
  return `${SCHEME}:///${projectId}/object/${name}:${version}`;
}

/** The reference to a scorer; null where its name cannot stand in one: the op name then tells it. */
export function scorerReference(projectId: string, scorer: string): string | null {
  const written = objectReference(projectId, scorer);
  return parseReference(written)?.name === scorer ? written : null;
}

/** A model or dataset, as a reference, and what else is said of it. */
interface NamedObject {
  readonly reference: string;
  readonly others: JsonObject;
}

/** `what` is the option: `model` or `dataset`. Throws `invalid_value` on a name that a reference cannot have. */
export function namedObject(projectId: string, what: string, option: Json): NamedObject {
  if (isJsonObject(option)) {
    const { name, version, ...others } = option;
    if (typeof name !== "string") throw invalidValue([what, "name"], "must be a text");
    if (version !== undefined && typeof version !== "string")
      throw invalidValue([what, "version"], "must be a text");
    if (parseReference(name) !== null) return { reference: name, others };
    checkName([what, "name"], name, /[/:\p{Cc}]/u);
    return { reference: checkedReference(projectId, what, name, version), others };
  }
  if (typeof option !== "string") throw invalidValue([what], "must be a text or an object with a name");
  if (parseReference(option) !== null) return { reference: option, others: {} };
  const [name = "", ...versions] = option.split(":");
  const version = versions.length === 0 ? undefined : versions.join(":");
  checkName([what], name, /[/\p{Cc}]/u);
  return { reference: checkedReference(projectId, what, name, version), others: {} };
}

function checkedReference(
  projectId: string,
  what: string,
  name: string,
  version: string | undefined,
): string {
  if (version !== undefined) checkName([what, "version"], version, /[/\p{Cc}]/u);
  return objectReference(projectId, name, version);
}

function checkName(path: readonly string[], name: string, forbidden: RegExp): void {
  if (name === "") throw invalidValue(path, "must not be empty");
  const [found] = forbidden.exec(name) ?? [];
  if (found === undefined) return;
  const shown = /\p{Cc}/u.test(found)
    ? `U+${found.codePointAt(0)?.toString(16).padStart(4, "0").toUpperCase()}`
    : `"${found}"`;
  throw invalidValue(path, `${JSON.stringify(name)} has ${shown}, which a name cannot have`);
}
