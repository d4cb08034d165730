import { v7 as uuidv7 } from "uuid";
import { EvalcubeError, formatPath, requestFault, type InputPath, withIssues } from "../errors.ts";
import { z } from "zod";
import { checkArgument, plainText } from "../model/arguments.ts";
import { isDeeper } from "../model/json-bounds.ts";
import { canonicalText } from "../model/json.ts";
import { memberTexts, writeMembers } from "../model/member-texts.ts";
import { MAX_JSON_DEPTH } from "../model/read-json.ts";
import { mapInSlices, type Spread } from "../model/turns.ts";
import { now } from "../store/records.ts";
import { checkFeedback } from "./families.ts";
import { contentOf, feedbackRecordSchema, payloadOf } from "./record.ts";
import type { FeedbackStore, StoredFeedback } from "./sql-store.ts";

const MAX_PAYLOAD_BYTES = 1024 * 1024;
/** Each byte of a payload may be sent as an escape of six characters. */
const MOST_CHARACTERS = 8 * MAX_PAYLOAD_BYTES;

/** Who gives feedback, and to which projects. */
export interface Giver {
  readonly userId: string;
  readonly authorize?: ((projectId: string) => void) | undefined;
}

/**
 * Stores records from their JSON texts, all or none, in one transaction; returns them in order. Errors are located at
 * `place` and the number of the record.
 */
export async function createAllFeedback(
  store: FeedbackStore,
  texts: readonly string[],
  giver: Giver,
  place: InputPath,
): Promise<readonly StoredFeedback[]> {
  const sent = await mapInSlices(texts, (text, i) => located([...place, i], () => prepare(text, giver)));
  return store.insertMany(sent, (i, stored) => located([...place, i], () => checkSame(sent[i], stored)));
}

/** Stores one record, with errors located in it. Records that are sent at once are checked in `spread`. */
export async function createOneFeedback(
  store: FeedbackStore,
  text: string,
  giver: () => Giver,
  spread: Spread,
): Promise<StoredFeedback> {
  const sent = await spread(() => prepare(text, giver()));
  const stored = await store.insert(sent);
  checkSame(sent, stored);
  return stored;
}

const replaced = z.looseObject({ feedback_id: plainText.min(1).max(128) });

/** Stores one record instead of another, which its member `feedback_id` names. */
export async function replaceFeedback(
  store: FeedbackStore,
  text: string,
  giver: Giver,
): Promise<StoredFeedback> {
  const { feedback_id: id } = checkArgument(parseText(text), replaced);
  const members = memberTexts(text);
  members.delete("feedback_id");
  if ((members.get("id") ?? "null") === "null") members.set("id", JSON.stringify(id));
  const sent = prepare(writeMembers(members), giver);
  const stored = await store.replace(id, sent, (one) => isSame(sent, one));
  checkSame(sent, stored);
  return stored;
}

function prepare(text: string, { userId, authorize }: Giver): StoredFeedback {
  if (text.length > MOST_CHARACTERS) throw tooLarge();
  const record = checkArgument(parseText(text), feedbackRecordSchema);
  authorize?.(record.project_id);
  checkFeedback(record);
  const content = contentOf(text);
  if (Buffer.byteLength(payloadOf(content)) > MAX_PAYLOAD_BYTES) throw tooLarge();
  return {
    project_id: record.project_id,
    id: record.id ?? uuidv7(),
    createdAt: now(),
    svc_user_id: userId,
    svc_ref: record.svc_ref,
    feedback_type: record.feedback_type,
    content,
  };
}

function tooLarge(): EvalcubeError {
  return new EvalcubeError("payload_too_large", `The payload is larger than ${MAX_PAYLOAD_BYTES} bytes.`);
}

/** Parses a JSON text that is not nested too deep; throws `RequestError` on any other. */
export function parseText(text: string): unknown {
  try {
    if (!isDeeper(text, MAX_JSON_DEPTH)) return JSON.parse(text);
  } catch {
    // The error is thrown below.
  }
  const msg = `must be a JSON text, nested at most ${MAX_JSON_DEPTH} levels deep`;
  throw requestFault("schema", [], msg, "invalid_json");
}

function checkSame(sent: StoredFeedback | undefined, stored: StoredFeedback): void {
  if (sent !== undefined && isSame(sent, stored)) return;
  throw new EvalcubeError("conflict", "Different feedback already has this id; nothing was changed.");
}

function isSame(sent: StoredFeedback, stored: StoredFeedback): boolean {
  if (sent.svc_user_id !== stored.svc_user_id) return false;
  return sent.content === stored.content || canonicalText(sent.content) === canonicalText(stored.content);
}

/** Runs `check` of a record at `place`, and says the place in its errors. */
function located<T>(place: InputPath, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof EvalcubeError && (error.code === "conflict" || error.code === "payload_too_large")) {
      throw new EvalcubeError(error.code, `${formatPath(place)}: ${error.message}`);
    }
    throw withIssues(error, (issue) => ({ ...issue, loc: [...place, ...issue.loc] }));
  }
}
