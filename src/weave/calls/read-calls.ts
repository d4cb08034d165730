import type { Key } from "../../model/digest.ts";
import { writeJson } from "../../model/json.ts";
import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { createTurnTaker, isLongText, nextTurn, runSteps, type TurnTaker } from "../../model/turns.ts";
import type { CallSearch, CallSelection, RecordStore, Session } from "../../store/session.ts";
import { sortByTexts, sortKeys } from "../conditions/order.ts";
import { feedbackOutside } from "../feedback/names.ts";
import { authorize, meaningFault, readRequest } from "../request/read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../request/seam.ts";
import { readInParts } from "../request/long-answers.ts";
import { EMPTY, integer, join, loaded, ofFewTexts, spelled, sql, type Sql, text } from "../../store/sql.ts";
import { isAmongTexts } from "../objects/versions.ts";
import { lineMembers, lineValue, writeLine } from "./call-line.ts";
import { type CallQuery, countCallsRequest, readCallRequest, streamCallsRequest } from "./requests.ts";
import { isCallField, testsOf } from "./test-call.ts";

/** Stored calls, as an SDK reads them. Requests and answers are JSON texts. */
export interface WeaveCallReads {
  /** Calls, each as JSON with a line end, by start and id; made as they are read, so that memory is bounded. */
  readonly streamCalls: (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
  /** How many calls a filter selects. */
  readonly countCalls: (request: string, caller: WeaveCaller) => Promise<string>;
  /** One call; null where it is not stored. */
  readonly readCall: (request: string, caller: WeaveCaller) => Promise<string>;
}

type Seam = Pick<WeaveSeam, "store" | "feedback">;
type Line = Map<string, string>;

export function createCallReads(seam: Seam): WeaveCallReads {
  return {
    streamCalls: async function* (request, caller) {
      const asked = await readRequest(request, streamCallsRequest, caller);
      authorize(caller, asked.project_id);
      for await (const line of selected(seam, asked, caller.signal))
        yield `${writeLine(line, asked.columns ?? null)}\n`;
    },
    countCalls: async (request, caller) => {
      const asked = await readRequest(request, countCallsRequest, caller);
      authorize(caller, asked.project_id);
      return writeJson({ count: await countSelected(seam, asked, caller.signal) });
    },
    readCall: async (request, caller) => {
      const { project_id, id } = await readRequest(request, readCallRequest, caller);
      authorize(caller, project_id);
      const asked = { project_id, filter: { call_ids: [id] } };
      for await (const line of selected(seam, asked, caller.signal)) return `{"call":${writeMembers(line)}}`;
      return '{"call":null}';
    },
  };
}

async function countSelected(seam: Seam, asked: CallQuery, signal: AbortSignal | undefined): Promise<number> {
  if (testsOf(asked).length === 0) {
    const { length } = await candidatesOf(seam, asked, signal);
    return Math.min(length, asked.limit ?? length);
  }
  let count = 0;
  for await (const line of selected(seam, asked, signal)) count += line.size > 0 ? 1 : 0;
  return count;
}

function candidatesOf(
  seam: Seam,
  { project_id, filter }: Pick<CallQuery, "project_id" | "filter">,
  signal: AbortSignal | undefined,
): Promise<readonly Key[]> {
  const { call_ids: ids, op_names: ops, parent_ids: parents, trace_roots_only: rootsOnly } = filter ?? {};
  return readerOf(seam).find(project_id, { ids, ops, parents, rootsOnly }, signal);
}

function readerOf({ store }: Seam): CallSearch {
  return store.calls ?? relationOfCalls(store);
}

/** Records are read in parts of at most this many, each on a snapshot of its own. */
const PART = 500;

function recordsOf(seam: Seam, projectId: string, calls: readonly Key[], signal: AbortSignal | undefined) {
  const read = (part: readonly Key[]) => readerOf(seam).records(projectId, part, signal);
  return readInParts(calls, { most: PART, keyOf: (key) => key, read, signal });
}

/** The lines of the calls that a query selects, in its order. */
async function* selected(
  seam: Seam,
  asked: CallQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<Line, void, undefined> {
  const tests = testsOf(asked);
  const keys = sortKeys(asked.sort_by);
  for (const { field } of keys)
    if (!isCallField(field)) throw meaningFault(["sort_by"], `unknown field ${JSON.stringify(field)}`);
  const candidates = await candidatesOf(seam, asked, signal);
  const ordered =
    keys.length === 0
      ? candidates
      : await sortByTexts(recordsOf(seam, asked.project_id, candidates, signal), keys, {
          turns: seam.store.turns,
          valueOf: async (record) => lineValue(await membersOf(record, null)),
        });
  const from = asked.offset ?? 0;
  const to = asked.limit == null ? Infinity : from + asked.limit;
  const read = (calls: readonly Key[]) => linesOf(seam, calls, asked, signal);
  if (tests.length === 0) return yield* read(ordered.slice(from, to));
  const turns = createTurnTaker();
  let met = 0;
  for await (const line of read(ordered)) {
    if (met >= to) return;
    if (!(await passes(line, tests, turns))) continue;
    if (met++ >= from) yield line;
  }
}

async function passes(line: Line, tests: ReturnType<typeof testsOf>, turns: TurnTaker): Promise<boolean> {
  const call = await lineValue(line);
  let characters = 0;
  for (const value of line.values()) characters += value.length;
  for (const test of tests) if (!(await runSteps(test(call), turns, characters))) return false;
  return true;
}

async function* linesOf(
  seam: Seam,
  calls: readonly Key[],
  asked: Pick<CallQuery, "project_id" | "include_feedback">,
  signal?: AbortSignal,
): AsyncGenerator<Line, void, undefined> {
  for await (const [, record] of recordsOf(seam, asked.project_id, calls, signal)) {
    await seam.store.turns.take();
    if (record === undefined) continue;
    const given =
      asked.include_feedback === true ? await feedbackOn(seam.feedback, asked.project_id, record) : null;
    yield await membersOf(record, given);
  }
}

/** As {@link lineMembers}, of a long record in a turn of its own. */
async function membersOf(record: string, feedback: string | null): Promise<Line> {
  if (!isLongText(record)) return lineMembers(record, feedback);
  await nextTurn();
  const line = lineMembers(record, feedback);
  await nextTurn();
  return line;
}

/** Feedback on a call as the JSON text of a list, under the names of the SDKs. */
async function feedbackOn(feedback: Seam["feedback"], projectId: string, record: string): Promise<string> {
  const id = JSON.parse(memberTexts(record).get("id") ?? '""') as string;
  const items: string[] = [];
  for (const scheme of ["weave", "svc"])
    for await (const item of feedbackOutside(feedback, projectId, {
      svcRef: `${scheme}:///${projectId}/call/${id}`,
    }))
      items.push(writeMembers(item));
  return `[${items.join(",")}]`;
}

/** Reads calls where they are a relation. */
function relationOfCalls({ read }: Pick<RecordStore, "read">): CallSearch {
  return {
    find: (projectId, selection, signal) =>
      read((session) => findCandidates(session, projectId, selection), signal),
    records: (_, keys, signal) => read((session) => readRecords(session, keys), signal),
  };
}

/** Keys of the calls that the narrow columns let pass, by start, then id. */
async function findCandidates(
  session: Session,
  projectId: string,
  selection: CallSelection,
): Promise<readonly Key[]> {
  const [project] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  if (project === undefined) return [];
  const key = Number(project[0]);
  const found = await session.rows(sql`SELECT call_key FROM calls
    WHERE project_key = ${integer(key)} AND NOT hidden AND started_at IS NOT NULL${narrow(session, key, selection)}
    ORDER BY started_at, id`);
  return found.map(([one]) => Number(one));
}

function narrow(session: Session, projectKey: number, { ids, ops, parents, rootsOnly }: CallSelection): Sql {
  return join(
    [
      ids == null ? EMPTY : sql` AND ${isAmongTexts(session, "weave_ids", sql`id`, ids)}`,
      ops == null ? EMPTY : sql` AND (${ofOps(session, ops)})`,
      parents == null ? EMPTY : sql` AND ${isBelow(session, projectKey, parents)}`,
      rootsOnly === true ? sql` AND parent_hash IS NULL` : EMPTY,
    ],
    EMPTY,
  );
}

const ANY_VERSION = ":*";

/** An op name that ends in `:*` stands for every version of the op. */
function ofOps(session: Session, ops: readonly string[]): Sql {
  const prefixes = ops.filter((name) => name.endsWith(ANY_VERSION)).map((name) => name.slice(0, -1));
  const names = ops.filter((name) => !name.endsWith(ANY_VERSION));
  const starts = prefixes.map((prefix) => sql`starts_with(op_name, ${text(prefix)})`);
  return join([isAmongTexts(session, "weave_ops", sql`op_name`, names), ...starts], sql` OR `);
}

/** By hash; the parent itself is compared when the record is read. */
function isBelow(session: Session, projectKey: number, parents: readonly string[]): Sql {
  if (parents.length === 0) return sql`false`;
  session.load("weave_parents", [
    { name: "id", type: "VARCHAR", values: parents.map((id) => `${projectKey}:${id}`) },
  ]);
  return sql`parent_hash IN (SELECT md5_number_lower(id) FROM ${loaded("weave_parents")})`;
}

/** The records of these calls by key, as they were sent; one that was hidden meanwhile is missing. */
async function readRecords(session: Session, keys: readonly Key[]): Promise<Map<Key, string>> {
  const wanted = spelled((dialect) => {
    const shown = sql`${dialect.amongKeys(sql`call_key`, keys)} AND NOT hidden`;
    return dialect.ofFew(sql`calls`, shown, keys.length);
  });
  const found = await session.rows(ofFewTexts(sql`SELECT call_key, record FROM calls WHERE ${wanted}`));
  return new Map(found.map(([key, record]) => [Number(key), String(record)]));
}
