import { memberTexts, writeMembers } from "../../model/member-texts.ts";

/**
 * Merges a later record into an earlier one of the same call: members that are present and not null replace the earlier
 * ones. Returns the merged text, or null when nothing changes.
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
  return writeMembers(members);
}
