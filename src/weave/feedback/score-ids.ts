import { v5 as uuidv5 } from "uuid";
import { memberTexts, writeMembers } from "../../model/member-texts.ts";

/**
 * Gives the score of a score call an id that is made from what was sent, unless it has one. The TypeScript SDK leaves the id to the
 * service and sends a score again whose answer it did not get: a score call has one score, which is then stored once.
 */
export function withScoreId(record: string, userId: string): string {
  const members = memberTexts(record);
  const has = (name: string) => (members.get(name) ?? "null") !== "null";
  if (has("id") || !has("call_ref")) return record;
  members.set("id", JSON.stringify(uuidv5(JSON.stringify([userId, record]), uuidv5.URL)));
  return writeMembers(members);
}
