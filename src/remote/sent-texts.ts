import { z } from "zod";
import { listOptionsSchema, type Feedback, type FeedbackPage } from "../feedback/feedback.ts";
import type { Engine } from "../engine/api.ts";
import { itemOf, type FeedbackItem } from "../feedback/item.ts";
import { UnsupportedError, withIssues } from "../errors.ts";
import { checkArgument, projectId as projectIdSchema } from "../model/arguments.ts";
import type { FeedbackRecord } from "../feedback/record.ts";
import { parseJson, type JsonObject } from "../model/json.ts";
import { itemTexts, memberTexts } from "../model/member-texts.ts";
import { needOf } from "../model/rights.ts";
import type { Weave } from "../weave/weave.ts";
import { lineBlocks, linesOf } from "../bytes/lines.ts";
import { bodyOf, textPieces } from "./answers.ts";
import { routeOf, type ServicePlace } from "./place.ts";
import { foreign } from "./faults.ts";
import type { RemoteSession } from "./session.ts";
import { readAnswer } from "./shape.ts";

/** Members that take the JSON text of a body and give that of the answer, by the paths of their routes. */
const FEEDBACK: Readonly<Partial<Record<keyof Feedback, string>>> = {
  createJson: "/feedback/create",
  createManyJson: "/feedback/batch/create",
  replaceJson: "/feedback/replace",
};

const WEAVE: Readonly<Partial<Record<keyof Weave, string>>> = {
  countCalls: "/calls/query_stats",
  readCall: "/call/read",
  startCall: "/call/start",
  endCall: "/call/end",
  upsertCalls: "/call/upsert_batch",
  renameCall: "/call/update",
  deleteCalls: "/calls/delete",
  createObject: "/obj/create",
  readObject: "/obj/read",
  createTable: "/table/create",
  createTableFromDigests: "/table/create_from_digests",
  updateTable: "/table/update",
  countTable: "/table/query_stats",
  createCosts: "/cost/create",
  purgeCosts: "/cost/purge",
  createFeedback: "/feedback/create",
  createFeedbackBatch: "/feedback/batch/create",
  replaceFeedback: "/feedback/replace",
  feedbackStats: "/feedback/stats",
  aggregateFeedback: "/feedback/aggregate",
  payloadSchema: "/feedback/payload_schema",
};

/** Members that give the text of an answer in pieces. */
const PIECES: Readonly<Partial<Record<keyof Weave, string>>> = {
  queryObjects: "/objs/query",
  queryTable: "/table/query",
  readReferences: "/refs/read_batch",
  queryCosts: "/cost/query",
  queryFeedback: "/feedback/query",
};

/** Sends a text to a route, which says who may; who sends is whose key it is. */
export async function sendText(session: RemoteSession, path: string, body: string, signal?: AbortSignal) {
  const again = needOf("POST", path) === "read";
  const work = (stop: AbortSignal) => session.connection.text({ method: "POST", path, body, again }, stop);
  return await (again ? session.run(work, signal) : session.change(work, signal));
}

export function remoteFeedback(session: RemoteSession): Feedback {
  const { place } = session.connection;
  const create: Feedback["create"] = async (record) =>
    await itemFrom(place, await sendText(session, "/feedback/create", bodyOf(record)), record);
  const createMany: Feedback["createMany"] = async (records) => {
    const given = checkArgument(records, z.array(z.unknown()));
    const answer = await sendText(session, "/feedback/batch/create", bodyOf({ batch: given })).catch(ofBatch);
    await readAnswer(place, { res: ["id", "created_at"] }, () => JSON.parse(answer));
    const told = itemTexts(memberTexts(answer).get("res") ?? "[]");
    return await Promise.all(told.map((one, i) => itemFrom(place, one, given[i])));
  };
  return refusing<Feedback>("feedback", {
    ...textMembers<Feedback>(session, FEEDBACK),
    create,
    createMany,
    ...remoteNotes(session),
  });
}

/** The members that list and delete feedback of one project. */
function remoteNotes({
  connection,
  run,
  change,
}: RemoteSession): Pick<Feedback, "list" | "listJson" | "purge"> {
  const { place } = connection;
  const listJson: Feedback["listJson"] = async (projectId, options = {}) => {
    checkArgument(projectId, projectIdSchema, ["project_id"]);
    const given = Object.entries(checkArgument(options, listOptionsSchema)).filter(
      ([, value]) => value != null,
    );
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const path = routeOf(projectId, `feedback?${query}`);
    return await run((signal) => connection.text({ method: "GET", path, again: true }, signal));
  };
  return {
    listJson,
    list: async (...given) => {
      const text = await listJson(...given);
      return await readAnswer<FeedbackPage>(place, { data: ["id"] }, () => parseJson(text));
    },
    purge: async (projectId, selection) => {
      checkArgument(projectId, projectIdSchema, ["project_id"]);
      const sent = {
        method: "DELETE",
        path: routeOf(projectId, "feedback"),
        body: bodyOf(selection),
        again: false,
      } as const;
      const answer = await change((signal) => connection.text(sent, signal));
      return await readAnswer(place, { purged: "number" }, () => JSON.parse(answer));
    },
  };
}

export function remoteWeave(session: RemoteSession): Weave {
  const inPieces = Object.entries(PIECES).map(([name, path]) => [
    name,
    (body: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}) =>
      textPieces(session, { path, body }, signal),
  ]);
  return refusing<Weave>("weave", {
    ...textMembers<Weave>(session, WEAVE),
    ...(Object.fromEntries(inPieces) as Partial<Weave>),
    ...createCallLines(session),
  });
}

/** A sink that keeps nothing and says so: what it is told has no promise that could reject. */
export const REFUSED_USAGE: Engine["usage"] = {
  recordUsage: () => {
    throw noRoute("usage.recordUsage");
  },
  flush: () => refused("usage.flush"),
};

/** Calls as lines, as they come. */
function createCallLines({ connection, pieces }: RemoteSession): Pick<Weave, "streamCalls"> {
  const tooLong = () => foreign(connection.place, "a line of the answer is too long");
  return {
    streamCalls: async function* (body, { signal }) {
      yield* pieces<string>(async (write, stop) => {
        const sent = { method: "POST", path: "/calls/stream_query", body, again: true } as const;
        const { chunks } = await connection.open(sent, stop);
        for await (const block of lineBlocks(chunks, tooLong))
          for (const line of linesOf(block, { line: 0 })) await write(`${line.toString("utf8")}\n`);
      }, signal);
    },
  };
}

/** The item of a record that was stored: what the service says of it, and what was sent. */
async function itemFrom(place: ServicePlace, told: string, record: unknown): Promise<FeedbackItem> {
  const shape = { id: "string", created_at: "string" } as const;
  const item = await readAnswer<FeedbackItem>(place, shape, () => parseJson(told));
  const { id, created_at, svc_user_id, payload } = item;
  const { project_id, svc_ref, feedback_type, ...content } = record as FeedbackRecord;
  const known = { id, created_at, svc_user_id, project_id, svc_ref, feedback_type };
  return itemOf(known, { ...(content as JsonObject), payload });
}

/** The places of faults are inside the list, which is the batch of what was sent. */
function ofBatch(error: unknown): never {
  throw withIssues(error, (issue) =>
    issue.loc[0] === "batch" ? { ...issue, loc: issue.loc.slice(1) } : issue,
  );
}

function textMembers<Of>(session: RemoteSession, paths: Readonly<Record<string, string>>): Partial<Of> {
  const members = Object.entries(paths).map(([name, path]) => [
    name,
    (text: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}) =>
      sendText(session, path, text, signal),
  ]);
  return Object.fromEntries(members) as Partial<Of>;
}

/** Members for which the service has no route: each rejects with `UnsupportedError` and says its name. */
export function refusing<Of extends object>(name: string, members: Partial<Of> = {}): Of {
  return new Proxy(members, {
    get: (target, member) => {
      if (typeof member === "symbol" || member === "then" || member in target)
        return Reflect.get(target, member) as unknown;
      return () => refused(`${name}.${member}`);
    },
  }) as Of;
}

/** Rejects, also where it is read in pieces: the service has no route for this member. */
export function refused(member: string): Promise<never> & AsyncIterable<never> {
  const rejected = Promise.reject(noRoute(member));
  return Object.assign(rejected, {
    [Symbol.asyncIterator]: () => ({ next: () => rejected }),
  });
}

function noRoute(member: string): UnsupportedError {
  return new UnsupportedError(
    member,
    `${member} is not offered over HTTP; open the file or the server itself`,
  );
}
