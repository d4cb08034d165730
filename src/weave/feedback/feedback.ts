import { v5 as uuidv5 } from "uuid";
import { RequestError, type RequestIssue } from "../../errors.ts";
import { itemTexts, memberTexts, writeMembers, textAt } from "../../model/member-texts.ts";
import { mapInSlices } from "../../model/turns.ts";
import { z } from "zod";
import { authorize, readRequest, schemaFault } from "../request/read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../request/seam.ts";
import { aggregateFeedback } from "./aggregate.ts";
import { recordInside, recordOutside } from "./names.ts";
import { payloadSchema } from "./payload-schema.ts";
import { queryFeedback } from "./query-feedback.ts";
import { queryFeedbackRequest } from "./requests.ts";
import {
  feedbackAggregateRequest,
  feedbackStatsRequest,
  payloadSchemaRequest,
} from "./statistics-requests.ts";
import { feedbackStats } from "./stats.ts";

/**
 * Feedback under the names of the SDKs: `weave_ref`, `wandb.runnable.<name>`. It is stored once, as `engine.feedback`
 * has it. A record with `svc_ref` is taken and answered as `engine.feedback` does. Requests and answers are JSON texts.
 */
export interface WeaveFeedback {
  /**
   * Stores one record of feedback; answers its id, time and user. Rejects with `conflict` where its id stands for
   * another.
   */
  readonly createFeedback: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Stores `{ batch: […] }` in one transaction, all or none; answers `{ res: […] }` in order. */
  readonly createFeedbackBatch: (request: string, caller: WeaveCaller) => Promise<string>;
  /**
   * Deletes the record with the id `feedback_id` and stores this one, in one transaction; answers as `createFeedback`.
   */
  readonly replaceFeedback: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Figures of the payloads of a window, in buckets of time and of the whole: `{ buckets, window_stats, … }`. */
  readonly feedbackStats: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Tags and ratings, counted and added up by time and by who gave them: `{ buckets, … }`. */
  readonly aggregateFeedback: (request: string, caller: WeaveCaller) => Promise<string>;
  /** The paths of the payloads of a window and what is there: `{ paths: [{ json_path, value_type }] }`. */
  readonly payloadSchema: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Feedback of a project that a condition selects, in pieces. */
  readonly queryFeedback: (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
}

export function createWeaveFeedback(feedback: WeaveSeam["feedback"]): WeaveFeedback {
  return {
    createFeedback: (request, caller) =>
      storeOne(feedback.createJson, request, caller, () => withScoreId(recordInside(request), caller.userId)),
    replaceFeedback: (request, caller) =>
      storeOne(feedback.replaceJson, request, caller, () => recordInside(request, ["feedback_id"])),
    createFeedbackBatch: async (request, caller) => {
      const body = await readRequest(request, z.looseObject({ batch: z.array(z.unknown()) }), caller);
      const ours = body.batch.map((one, i) => isWeave(one, ["batch", i]));
      if (!ours.includes(true)) return feedback.createManyJson(request, giverOf(caller));
      const texts = itemTexts(await textAt(request, "batch"));
      const records = await mapInSlices(texts, (text, i) =>
        ours[i] === true ? withScoreId(recordInside(text), caller.userId) : text,
      );
      return named(async () => {
        const created = await feedback.createManyJson(`{"batch":[${records.join(",")}]}`, giverOf(caller));
        const items = itemTexts(memberTexts(created).get("res") ?? "[]");
        const res = items.map((item, i) => (ours[i] === true ? writeMembers(recordOutside(item)) : item));
        return `{"res":[${res.join(",")}]}`;
      });
    },
    feedbackStats: statistic(feedback, feedbackStatsRequest, feedbackStats),
    aggregateFeedback: statistic(feedback, feedbackAggregateRequest, aggregateFeedback),
    payloadSchema: statistic(feedback, payloadSchemaRequest, payloadSchema),
    queryFeedback: async function* (request, caller) {
      const asked = await readRequest(request, queryFeedbackRequest, caller);
      authorize(caller, asked.project_id);
      yield* queryFeedback(feedback, asked);
    },
  };
}

function statistic<Schema extends z.ZodType<{ readonly project_id: string }>>(
  feedback: WeaveSeam["feedback"],
  schema: Schema,
  answer: (feedback: WeaveSeam["feedback"], asked: z.output<Schema>) => Promise<string>,
) {
  return async (request: string, caller: WeaveCaller): Promise<string> => {
    const asked = await readRequest(request, schema, caller);
    authorize(caller, asked.project_id);
    return answer(feedback, asked);
  };
}

async function storeOne(
  store: WeaveSeam["feedback"]["createJson"],
  request: string,
  caller: WeaveCaller,
  inside: () => string,
): Promise<string> {
  const isOurs = isWeave(await readRequest(request, z.looseObject({}), caller), []);
  if (!isOurs) return store(request, giverOf(caller));
  return named(async () => writeMembers(recordOutside(await store(inside(), giverOf(caller)))));
}

function giverOf({ userId, authorize: ask }: WeaveCaller) {
  return ask === undefined ? { userId } : { userId, authorize: ask };
}

/** Whether a record has the names of the SDKs; one with both kinds of names is refused. */
function isWeave(record: unknown, place: readonly (string | number)[]): boolean {
  if (typeof record !== "object" || record === null || !("weave_ref" in record)) return false;
  if ("svc_ref" in record) throw schemaFault([...place, "svc_ref"], "must not be sent beside weave_ref");
  return true;
}

/** Says `weave_ref` in errors that are about `svc_ref`. */
async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const [first, ...rest] = error.issues.map((issue): RequestIssue => {
      return { ...issue, loc: issue.loc.map((name) => (name === "svc_ref" ? "weave_ref" : name)) };
    });
    throw first === undefined ? error : new RequestError(error.kind, [first, ...rest]);
  }
}

/**
 * Gives the score of a score call an id that is made from what was sent, unless it has one. The TypeScript SDK leaves
 * the id to the service and sends a score again whose answer it did not get: a score call has one score, which is then
 * stored once.
 */
function withScoreId(record: string, userId: string): string {
  const members = memberTexts(record);
  const has = (name: string) => (members.get(name) ?? "null") !== "null";
  if (has("id") || !has("call_ref")) return record;
  members.set("id", JSON.stringify(uuidv5(JSON.stringify([userId, record]), uuidv5.URL)));
  return writeMembers(members);
}
