import { memberTexts } from "../../model/json.ts";

/**
 * Lays a later record of one identity over an earlier one: members present and not null replace. Returns
 * the merged text, or null when the later record says nothing new.
 */
export function mergeRecords(earlier: string, later: string): string | null {
  const members = memberTexts(earlier);
  let changed = false;
  for (const [name, value] of memberTexts(later)) {
    if (value === "null" || members.get(name) === value) continue;
    members.set(name, value);
    changed = true;
  }
  if (!changed) return null;
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}
