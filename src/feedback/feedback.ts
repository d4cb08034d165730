import { requestFault } from "../errors.ts";
import {
  createAllFeedback,
  createOneFeedback,
  type Giver,
  parseText,
  replaceFeedback,
} from "./create-feedback.ts";
import { type FeedbackItem, toItem, withStored } from "./item.ts";
import type { FeedbackRecord } from "./record.ts";
import type { FeedbackQuery, FeedbackStore, StoredFeedback } from "./sql-store.ts";
import { checkArgument, functionOf, plainText, projectId as projectIdSchema } from "../model/arguments.ts";
import { itemTexts, memberTexts } from "../model/member-texts.ts";
import { shown } from "../model/messages.ts";
import { requestText } from "../model/schema-issues.ts";
import { formatTimestamp, parseTimestamp } from "../model/timestamp.ts";
import { createSpread, inOwnTurn, mapInSlices } from "../model/turns.ts";
import { z } from "zod";

/** Which feedback to delete: what all given members hold for. At least one of them is needed. */
export interface PurgeFeedbackSelection {
  /** Only feedback with one of these ids. */
  readonly ids?: readonly string[] | undefined;
  /** Only feedback on this object, op or call. */
  readonly svc_ref?: string | undefined;
  /** Only feedback of this type. */
  readonly feedback_type?: string | undefined;
}

/** What a {@link PurgeFeedbackSelection} may be. */
export const selectionSchema = z.strictObject({
  ids: z.array(plainText).optional(),
  svc_ref: plainText.optional(),
  feedback_type: plainText.optional(),
});

/** Deletes what is selected; returns how many records that were. An empty selection is refused. */
async function purgeFeedback(
  store: FeedbackStore,
  projectId: string,
  selection: PurgeFeedbackSelection,
): Promise<{ readonly purged: number }> {
  const project = checkArgument(projectId, projectIdSchema, ["project_id"]);
  const selected = checkArgument(selection, selectionSchema, ["selection"]);
  const { ids = null, svc_ref: svcRef = null, feedback_type: feedbackType = null } = selected;
  if (ids === null && svcRef === null && feedbackType === null) {
    const msg = "must name ids, svc_ref or feedback_type: everything in a project is not purged at once";
    throw requestFault("meaning", ["selection"], msg, "empty_selection");
  }
  return { purged: await store.purge(project, { ids, svcRef, feedbackType }) };
}

/** Options of creating feedback. */
export interface CreateFeedbackOptions {
  /** The user who gives the feedback. */
  readonly userId: string;
  /** Called with each record's project before anything is stored; throws to refuse. */
  readonly authorize?: ((projectId: string) => void) | undefined;
}

const createOptionsSchema = z.strictObject({
  userId: plainText.min(1),
  authorize: functionOf<(projectId: string) => void>().optional(),
});

/** Schema of many records in one body. Each is checked by itself, so that an error tells which. */
const batchSchema = z.strictObject({ batch: z.array(z.unknown()) });

/** What {@link ListFeedbackOptions} may be. */
export const listOptionsSchema = z.strictObject({
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
  create(record: FeedbackRecord, options: CreateFeedbackOptions): Promise<FeedbackItem>;
  /**
   * Stores a record from its JSON text; returns id, time, user and payload as JSON text, with every digit as it was
   * sent.
   */
  createJson(record: string, options: CreateFeedbackOptions): Promise<string>;
  /**
   * Stores records durably in one transaction, all or none; resolves to the stored ones in order. Throws as `create`
   * does, with the number of the record, from 0, at the head of the `path`, or of the message where there is none.
   */
  createMany(records: readonly unknown[], options: CreateFeedbackOptions): Promise<readonly FeedbackItem[]>;
  /**
   * Like {@link Feedback.createMany}, from the JSON text `{"batch": […]}`; returns the text `{"res": […]}`, an item as
   * from `createJson`.
   */
  createManyJson(batch: string, options: CreateFeedbackOptions): Promise<string>;
  /**
   * Deletes the record with the id `feedback_id` of the project and stores this one from its JSON text, in one
   * transaction. A record without `id` keeps that id. An unknown `feedback_id` is no error. What is stored already in
   * this form stays. Else as `createJson`.
   */
  replaceJson(record: string, options: CreateFeedbackOptions): Promise<string>;
  /** Deletes feedback of one project for good. Throws `RequestError` where nothing is selected. */
  purge(projectId: string, selection: PurgeFeedbackSelection): Promise<{ readonly purged: number }>;
  /** Lists feedback of one project. Throws `RequestError` on malformed options or an unknown `after`. */
  list(projectId: string, options?: ListFeedbackOptions): Promise<FeedbackPage>;
  /** Like {@link Feedback.list}, but returns JSON text with every digit as it was sent. */
  listJson(projectId: string, options?: ListFeedbackOptions): Promise<string>;
}

/** Creates the feedback API over `store`. */
export function createFeedback(store: FeedbackStore): Feedback {
  const spread = createSpread();
  return {
    create: async (record, options) => {
      const stored = await createOneFeedback(store, requestText(record), laterGiver(options), spread);
      return spread(() => toItem(stored));
    },
    createJson: async (record, options) => {
      const text = checkArgument(record, z.string());
      const stored = await createOneFeedback(store, text, laterGiver(options), spread);
      return spread(() => createdText(stored));
    },
    createMany: async (records, options) => {
      const giver = giverOf(options);
      const given = checkArgument(records, z.array(z.unknown()));
      const texts = await mapInSlices(given, (one, i) => requestText(one, [i]));
      return mapInSlices(await createAllFeedback(store, texts, giver, []), toItem);
    },
    createManyJson: async (batch, options) => {
      const giver = giverOf(options);
      const text = checkArgument(batch, z.string());
      await inOwnTurn(text, () => checkArgument(parseText(text), batchSchema));
      const texts = itemTexts(memberTexts(text).get("batch") ?? "[]");
      const stored = await createAllFeedback(store, texts, giver, ["batch"]);
      return `{"res":[${(await mapInSlices(stored, createdText)).join(",")}]}`;
    },
    replaceJson: async (record, options) => {
      const text = checkArgument(record, z.string());
      return createdText(await replaceFeedback(store, text, giverOf(options)));
    },
    purge: async (projectId, selection) => purgeFeedback(store, projectId, selection),
    ...createLists(store),
  };
}

function createLists(store: FeedbackStore): Pick<Feedback, "list" | "listJson"> {
  return {
    async list(projectId, options = {}) {
      const { found, has_more } = await list(store, projectId, options);
      return { data: found.map(toItem), has_more };
    },
    async listJson(projectId, options = {}) {
      const { found, has_more } = await list(store, projectId, options);
      return `{"data":[${found.map(listedText).join(",")}],"has_more":${has_more}}`;
    },
  };
}

function listedText(stored: StoredFeedback): string {
  const members = { ...toItem(stored), payload: undefined, weave: undefined };
  return withStored(members, stored.content, ["payload", "weave"]);
}

const EVERYTHING = { svcRef: null, feedbackType: null, since: null, until: null, newestFirst: false };
const PAGE = 1000;

/** Reads the selected records of a project page by page, each record as in {@link Feedback.listJson}. */
export function eachFeedbackJson(store: FeedbackStore) {
  return async function* each(
    projectId: string,
    selection: Partial<Omit<FeedbackQuery, "after" | "limit">>,
  ): AsyncGenerator<string> {
    for (let after: StoredFeedback | undefined, more = true; more;) {
      const query = { ...EVERYTHING, ...selection, after: after ?? null, limit: PAGE };
      const found = await store.list(projectId, query);
      for (const one of found) yield listedText(one);
      after = found.at(-1);
      more = found.length === PAGE;
    }
  };
}

/** Reads the options now, and checks them when the record's turn has come. */
function laterGiver(options: CreateFeedbackOptions): () => Giver {
  const read = typeof options === "object" && options !== null ? { ...options } : options;
  return () => giverOf(read);
}

function giverOf(options: CreateFeedbackOptions): Giver {
  return checkArgument(options, createOptionsSchema, ["options"]);
}

function createdText({ id, createdAt, svc_user_id, content }: StoredFeedback): string {
  return withStored({ id, created_at: formatTimestamp(createdAt), svc_user_id }, content, ["payload"]);
}

async function list(
  store: FeedbackStore,
  projectId: string,
  options: ListFeedbackOptions,
): Promise<{ readonly found: readonly StoredFeedback[]; readonly has_more: boolean }> {
  checkArgument(projectId, projectIdSchema, ["project_id"]);
  const asked = checkArgument(options, listOptionsSchema);
  const { limit, svc_ref: svcRef = null, feedback_type: feedbackType = null } = asked;
  const after = asked.after === undefined ? null : await store.get(projectId, asked.after);
  if (after === undefined) {
    throw requestFault("schema", ["after"], `no such feedback as ${shown(asked.after)}`, "invalid_cursor");
  }
  const since = timeIn(asked.since, "since");
  const until = timeIn(asked.until, "until");
  const query = { ...EVERYTHING, svcRef, feedbackType, since, until, after, limit: limit + 1 };
  const found = await store.list(projectId, query);
  return { found: found.slice(0, limit), has_more: found.length > limit };
}

function timeIn(text: string | undefined, name: string): bigint | null {
  if (text === undefined) return null;
  const time = parseTimestamp(text);
  if (time !== null) return time;
  throw requestFault("schema", [name], `must be an ISO 8601 time, not ${shown(text)}`, "invalid_format");
}
