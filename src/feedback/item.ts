import { parseJson, writeJson, type JsonObject } from "../model/json.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { payloadOf } from "./record.ts";
import type { StoredFeedback } from "./store.ts";

/** Feedback as users get it back. */
export interface FeedbackItem {
  /** Chosen by the client, or a new UUID. */
  readonly id: string;
  /** ISO 8601 in UTC, microseconds. */
  readonly created_at: string;
  /** Who gave it. */
  readonly svc_user_id: string;
  /** `entity/project`. */
  readonly project_id: string;
  /** The object, op or call that it is attached to. */
  readonly svc_ref: string;
  /** Its kind, such as `svc.note.1`. */
  readonly feedback_type: string;
  /** What was said. */
  readonly payload: JsonObject;
  /** Name of the giver for people. */
  readonly creator: string | null;
  /** The annotation form that was filled in. */
  readonly annotation_ref: string | null;
  /** The op that gave it, where no person did. */
  readonly runnable_ref: string | null;
  /** The call of that op. */
  readonly call_ref: string | null;
  /** What started that op. */
  readonly trigger_ref: string | null;
  /** The annotation queue that it came from. */
  readonly queue_id: string | null;
}

/** A stored record as users get it back. */
export function toItem(stored: StoredFeedback): FeedbackItem {
  const { id, svc_user_id, project_id, svc_ref, feedback_type } = stored;
  const content = parseJson(stored.content) as JsonObject;
  const text = (name: string) => (typeof content[name] === "string" ? content[name] : null);
  return {
    id,
    created_at: formatTimestamp(stored.createdAt),
    svc_user_id,
    project_id,
    svc_ref,
    feedback_type,
    payload: (content["payload"] ?? {}) as JsonObject,
    creator: text("creator"),
    annotation_ref: text("annotation_ref"),
    runnable_ref: text("runnable_ref"),
    call_ref: text("call_ref"),
    trigger_ref: text("trigger_ref"),
    queue_id: text("queue_id"),
  };
}

/** The text of an object, with the payload of a content as it is stored. */
export function withPayload(members: object, content: string): string {
  return `${writeJson(members).slice(0, -1)},"payload":${payloadOf(content)}}`;
}
