import { isJsonObject, parseJson, writeJson, type JsonObject } from "../model/json.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { memberTexts } from "../model/member-texts.ts";
import type { StoredFeedback } from "./sql-store.ts";

/** Feedback as the API returns it. */
export interface FeedbackItem {
  /** Id chosen by the client, or a new UUID. */
  readonly id: string;
  /** Time of creation, ISO 8601 in UTC with microseconds. */
  readonly created_at: string;
  /** The user who gave the feedback. */
  readonly svc_user_id: string;
  /** Project of the feedback, `entity/project`. */
  readonly project_id: string;
  /** The object, op or call that the feedback is attached to. */
  readonly svc_ref: string;
  /** Type of the feedback, such as `svc.note.1`. */
  readonly feedback_type: string;
  /** Content of the feedback. */
  readonly payload: JsonObject;
  /** Human-readable name of the giver. */
  readonly creator: string | null;
  /** The annotation form that was filled in. */
  readonly annotation_ref: string | null;
  /** The op that gave the feedback, where no person did. */
  readonly runnable_ref: string | null;
  /** The call of that op. */
  readonly call_ref: string | null;
  /** Reference to the trigger of that op. */
  readonly trigger_ref: string | null;
  /** The annotation queue that the feedback came from. */
  readonly queue_id: string | null;
  /** What the scorer says beside the payload, where it says something. */
  readonly weave?: JsonObject;
}

/** Converts a stored record to the item that the API returns. */
export function toItem(stored: StoredFeedback): FeedbackItem {
  const { id, svc_user_id, project_id, svc_ref, feedback_type } = stored;
  const created_at = formatTimestamp(stored.createdAt);
  const known = { id, created_at, svc_user_id, project_id, svc_ref, feedback_type };
  return itemOf(known, parseJson(stored.content) as JsonObject);
}

type KnownMembers = Pick<
  FeedbackItem,
  "id" | "created_at" | "svc_user_id" | "project_id" | "svc_ref" | "feedback_type"
>;

/** The item of a record: what is known of it, and what its content says. */
export function itemOf(known: KnownMembers, content: JsonObject): FeedbackItem {
  const text = (name: string) => (typeof content[name] === "string" ? content[name] : null);
  return {
    ...known,
    payload: (content["payload"] ?? {}) as JsonObject,
    creator: text("creator"),
    annotation_ref: text("annotation_ref"),
    runnable_ref: text("runnable_ref"),
    call_ref: text("call_ref"),
    trigger_ref: text("trigger_ref"),
    queue_id: text("queue_id"),
    ...(isJsonObject(content["weave"]) ? { weave: content["weave"] } : {}),
  };
}

/** The JSON text of an object with members of `content` added exactly as stored. */
export function withStored(
  members: object,
  content: string,
  names: readonly ("payload" | "weave")[],
): string {
  const stored = memberTexts(content);
  const texts = names.flatMap((name) => {
    const text = stored.get(name) ?? (name === "payload" ? "{}" : undefined);
    return text === undefined ? [] : [`"${name}":${text}`];
  });
  return `${writeJson(members).slice(0, -1)}${texts.map((one) => `,${one}`).join("")}}`;
}
