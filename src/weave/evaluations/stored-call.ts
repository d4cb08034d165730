import { parseJson, type Json } from "../../model/json.ts";
import { memberTexts } from "../../model/member-texts.ts";

/** Reads members of the record of a call; of a call that is not stored, nothing. */
export interface StoredCallMembers {
  /** The JSON text at a path of members; null where that leads nowhere. */
  readonly json: (...names: readonly string[]) => string | null;
  /** The text at a path of members; null where there is another value. */
  readonly text: (...names: readonly string[]) => string | null;
  /** The text of a member of `attributes` in the first namespace that has one. */
  readonly attribute: (name: string) => string | null;
}

export function membersOf(record: string | undefined, namespaces: readonly string[]): StoredCallMembers {
  const split = new Map<string, ReadonlyMap<string, string>>();
  const membersIn = (text: string) => {
    const members = split.get(text) ?? memberTexts(text);
    split.set(text, members);
    return members;
  };
  const json = (...names: readonly string[]) => {
    let at = record ?? "null";
    for (const name of names) at = isObject(at) ? (membersIn(at).get(name) ?? "null") : "null";
    return at === "null" ? null : at;
  };
  const text = (...names: readonly string[]) => {
    const value: Json = parseJson(json(...names) ?? "null");
    return typeof value === "string" ? value : null;
  };
  const attribute = (name: string) =>
    namespaces.map((space) => text("attributes", space, name)).find((one) => one !== null) ?? null;
  return { json, text, attribute };
}

/** Whether a JSON text is that of an object. */
export function isObject(text: string | null): text is string {
  return text?.startsWith("{") === true;
}
