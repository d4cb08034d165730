import { compactJson, type Json, type JsonObject } from "../../model/json.ts";
import { memberTexts } from "../../model/member-texts.ts";
import { rowDigest } from "../../model/digest.ts";
import { PROJECT_ID, PROJECT_ID_RULE } from "../../model/project-id.ts";
import { parseObject, requiredText } from "./call-record.ts";
import { InvalidRecord } from "./invalid-record.ts";

/** A dataset row that was read. */
export interface ParsedRow {
  readonly projectId: string;
  readonly digest: string;
  /** Compact JSON. */
  readonly val: string;
  readonly unknownMembers: readonly string[];
}

const MEMBERS = new Set(["project_id", "digest", "val"]);

/** Reads and checks one dataset row; see {@link parseObject}. Throws {@link InvalidRecord}. */
export function parseDatasetRow(text: string, parsed?: JsonObject): ParsedRow {
  const { members, fragile } = parseObject(text, parsed);
  const projectId = requiredText(members, "project_id");
  if (!PROJECT_ID.test(projectId)) throw new InvalidRecord(["project_id"], PROJECT_ID_RULE);
  if (!Object.hasOwn(members, "val")) {
    const isCall = Object.hasOwn(members, "op_name");
    const hint = isCall ? "; this is a call: load it with ingestCalls (--kind calls)" : "";
    throw new InvalidRecord(["val"], `is required${hint}`);
  }
  const val = members["val"] as Json;
  const digest = (members["digest"] ?? null) === null ? rowDigest(val) : requiredText(members, "digest");
  return {
    projectId,
    digest,
    val: fragile ? compactJson(memberTexts(text).get("val") ?? "null") : JSON.stringify(val),
    unknownMembers: Object.keys(members).filter((name) => !MEMBERS.has(name)),
  };
}
