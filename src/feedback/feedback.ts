import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { EvalcubeError, RequestError } from "../errors.ts";
import { checkArgument, functionOf, plainText } from "../model/arguments.ts";
import { isDeeper } from "../model/json-depth.ts";
import { canonicalText } from "../model/json.ts";
import { projectId as projectIdSchema } from "../model/project-id.ts";
import { MAX_JSON_DEPTH } from "../model/read-json.ts";
import { formatTimestamp, parseTimestamp } from "../model/timestamp.ts";
import { checkFeedback } from "./families.ts";
import { toItem, withPayload, type FeedbackItem } from "./item.ts";
import { contentOf, feedbackRecordSchema, payloadOf } from "./record.ts";
import { requestText } from "../model/schema-issues.ts";
import type { FeedbackQuery, FeedbackStore, StoredFeedback } from "./store.ts";

const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** Options of creating feedback. */
export interface CreateFeedbackOptions {
  /** The user who gives the feedback. */
  readonly userId: string;
  /** Called with the record's project before anything is stored; throws to refuse. */
  readonly authorize?: (projectId: string) => void;
}

const createOptionsSchema = z.strictObject({
  userId: plainText.min(1),
  authorize: functionOf<(projectId: string) => void>().optional(),
});

const listOptionsSchema = z.strictObject({
  svc_ref: plainText.optional(),
  feedback_type: plainText.optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  after: plainText.optional(),
  limit: z.int().min(1).max(1000).default(100),
});

/** Filters and paging of a list; all optional. */
export interface ListFeedbackOptions {
  /** Only feedback on this object, op or call. */
  readonly svc_ref?: string | undefined;
  /** Only feedback of this type. */
  readonly feedback_type?: string | undefined;
  /** Only feedback given at this time or later, ISO 8601. */
  readonly since?: string | undefined;
  /** Only feedback given before this time, ISO 8601. */
  readonly until?: string | undefined;
  /** Id of the last record of the previous page. */
  readonly after?: string | undefined;
  /** Page size, 1 to 1000; default 100. */
  readonly limit?: number | undefined;
}

/** One page of feedback, oldest first; pass the last id as `after` for the next page. */
export interface FeedbackPage {
  /** The records. */
  readonly data: readonly FeedbackItem[];
  /** Whether more records follow the last one. */
  readonly has_more: boolean;
}

/** Feedback on objects, ops and calls. */
export interface Feedback {
  /**
   * Stores a record durably. Throws `RequestError` (`schema` or `meaning`), and `EvalcubeError` with the code
   * `conflict` (other content has the id) or `payload_too_large`.
   */
  create(record: unknown, options: CreateFeedbackOptions): Promise<FeedbackItem>;
  /**
   * Stores a record from its JSON text; returns id, time, user and payload as JSON text, with every digit as it was
   * sent.
   */
  createJson(record: string, options: CreateFeedbackOptions): Promise<string>;
  /** Lists feedback of one project. Throws `RequestError` on malformed options or an unknown `after`. */
  list(projectId: string, options?: ListFeedbackOptions): Promise<FeedbackPage>;
  /** Like {@link Feedback.list}, but returns JSON text with every digit as it was sent. */
  listJson(projectId: string, options?: ListFeedbackOptions): Promise<string>;
}

/** Creates the feedback API over `store`. */
export function createFeedback(store: FeedbackStore): Feedback {
  return {
    create: async (record, options) => toItem(await create(store, requestText(record), options)),
    async createJson(record, options) {
      const text = checkArgument(record, z.string());
      const { id, createdAt, svc_user_id, content } = await create(store, text, options);
      return withPayload({ id, created_at: formatTimestamp(createdAt), svc_user_id }, content);
    },
    async list(projectId, options = {}) {
      const { found, has_more } = await list(store, projectId, options);
      return { data: found.map(toItem), has_more };
    },
    async listJson(projectId, options = {}) {
      const { found, has_more } = await list(store, projectId, options);
      const items = found.map((one) => withPayload({ ...toItem(one), payload: undefined }, one.content));
      return `{"data":[${items.join(",")}],"has_more":${has_more}}`;
    },
  };
}

async function create(
  store: FeedbackStore,
  text: string,
  options: CreateFeedbackOptions,
): Promise<StoredFeedback> {
  const { userId, authorize } = checkArgument(options, createOptionsSchema, ["options"]);
  const record = checkArgument(parseText(text), feedbackRecordSchema);
  authorize?.(record.project_id);
  checkFeedback(record);
  const content = contentOf(text);
  if (Buffer.byteLength(payloadOf(content)) > MAX_PAYLOAD_BYTES) {
    throw new EvalcubeError("payload_too_large", `The payload is larger than ${MAX_PAYLOAD_BYTES} bytes.`);
  }
  const sent: StoredFeedback = {
    project_id: record.project_id,
    id: record.id ?? uuidv7(),
    createdAt: now(),
    svc_user_id: userId,
    svc_ref: record.svc_ref,
    feedback_type: record.feedback_type,
    content,
  };
  const stored = await store.insert(sent);
  if (!isSame(sent, stored)) {
    throw new EvalcubeError("conflict", "Different feedback already has this id; nothing was changed.");
  }
  return stored;
}

function parseText(text: string): unknown {
  try {
    if (!isDeeper(text, MAX_JSON_DEPTH)) return JSON.parse(text);
  } catch {
    // The error is thrown below.
  }
  const msg = `must be a JSON text, nested at most ${MAX_JSON_DEPTH} levels deep`;
  throw new RequestError("schema", [{ loc: [], msg, type: "invalid_json" }]);
}

function isSame(sent: StoredFeedback, stored: StoredFeedback): boolean {
  return (
    sent.svc_user_id === stored.svc_user_id && canonicalText(sent.content) === canonicalText(stored.content)
  );
}

async function list(
  store: FeedbackStore,
  projectId: string,
  options: ListFeedbackOptions,
): Promise<{ readonly found: readonly StoredFeedback[]; readonly has_more: boolean }> {
  checkArgument(projectId, projectIdSchema, ["project_id"]);
  const asked = checkArgument(options, listOptionsSchema);
  const { limit, after = null, svc_ref: svcRef = null, feedback_type: feedbackType = null } = asked;
  if (after !== null && (await store.get(projectId, after)) === undefined) {
    throw new RequestError("schema", [{ loc: ["after"], msg: "no such feedback", type: "invalid_cursor" }]);
  }
  const since = timeIn(asked.since, "since");
  const until = timeIn(asked.until, "until");
  const query: FeedbackQuery = { svcRef, feedbackType, since, until, after, limit: limit + 1 };
  const found = await store.list(projectId, query);
  return { found: found.slice(0, limit), has_more: found.length > limit };
}

function timeIn(text: string | undefined, name: string): bigint | null {
  if (text === undefined) return null;
  const time = parseTimestamp(text);
  if (time !== null) return time;
  throw new RequestError("schema", [
    { loc: [name], msg: "must be an ISO 8601 time", type: "invalid_format" },
  ]);
}

/** The wall-clock time in microseconds since 1970. */
function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000));
}
