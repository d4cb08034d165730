import type { Key } from "../../model/digest.ts";
import { writeJson } from "../../model/json.ts";
import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { createTurnTaker, runSteps, type TurnTaker } from "../../model/turns.ts";
import type { CallSearch, Session } from "../../store/session.ts";
import { beginningAt, LongField, wholeValueAt } from "../conditions/long-field.ts";
import { sortByValues, sortKeys, sortValues } from "../conditions/order.ts";
import { feedbackOutside } from "../feedback/names.ts";
import { readInParts } from "../request/long-answers.ts";
import { authorize, meaningFault, readRequest } from "../request/read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../request/seam.ts";
import { inWhole } from "../request/whole-answers.ts";
import { writeLine } from "./call-line.ts";
import { relationOfCalls } from "./call-relation.ts";
import { type FoundCall, judged, type JudgedCall } from "./judge-calls.ts";
import { membersOf, readLines } from "./read-lines.ts";
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

export function createCallReads(seam: Seam): WeaveCallReads {
  return {
    streamCalls: async function* (request, caller) {
      const asked = await readRequest(request, streamCallsRequest, caller);
      authorize(caller, asked.project_id);
      for await (const line of linesOf(seam, asked, caller.signal)) yield `${line}\n`;
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
      for await (const line of linesOf(seam, asked, caller.signal)) return `{"call":${line}}`;
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
  for await (const { line } of selected(seam, asked, signal)) count += line.size > 0 ? 1 : 0;
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

/** The texts of the lines of the calls that a query selects, in its order. */
async function* linesOf(
  seam: Seam,
  asked: CallQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const { store } = seam;
  const write = ({ line }: FoundCall) => writeLine(line, asked.columns ?? null, store.mark);
  const texts = mapped(selected(seam, asked, signal), (one) => [one, write(one)] as const);
  const again = async (session: Session, calls: readonly FoundCall[]) => {
    const found = await readLines(session, calls);
    const byKey = new Map(found.map((one) => [one.key, write(one)]));
    return calls.map(({ key }) => byKey.get(key));
  };
  for await (const [, line] of inWhole(texts, { store, again, signal })) if (line !== undefined) yield line;
}

async function* mapped<From, To>(
  items: AsyncIterable<From>,
  map: (item: From) => To,
): AsyncGenerator<To, void, undefined> {
  for await (const item of items) yield map(item);
}

/** The calls that a query selects, in its order. */
async function* selected(
  seam: Seam,
  asked: CallQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundCall, void, undefined> {
  const tests = testsOf(asked);
  const ordered = await orderedCalls(seam, asked, signal);
  const from = asked.offset ?? 0;
  const to = asked.limit == null ? Infinity : from + asked.limit;
  if (tests.length === 0) return yield* foundCalls(seam, ordered.slice(from, to), asked, signal);
  if (to === from) return;
  const turns = createTurnTaker();
  const judging = { store: seam.store, judge: (call: JudgedCall) => passes(call, tests, turns), signal };
  let met = 0;
  for await (const [found, isSelected] of judged(foundCalls(seam, ordered, asked, signal), judging)) {
    if (!isSelected) continue;
    if (met++ >= from) yield found;
    if (met >= to) return;
  }
}

async function orderedCalls(
  seam: Seam,
  asked: CallQuery,
  signal: AbortSignal | undefined,
): Promise<readonly Key[]> {
  const keys = sortKeys(asked.sort_by);
  for (const { field } of keys)
    if (!isCallField(field)) throw meaningFault(["sort_by"], `unknown field ${JSON.stringify(field)}`);
  const candidates = await candidatesOf(seam, asked, signal);
  if (keys.length === 0) return candidates;
  const found = foundCalls(seam, candidates, { project_id: asked.project_id }, signal);
  const judge = (call: JudgedCall) =>
    sortValues(keys, (path) => beginningAt(call, path) ?? wholeValueAt(call, path));
  const values = judged(found, { store: seam.store, judge, signal });
  return sortByValues(
    mapped(values, ([{ key }, own]) => [key, own] as const),
    keys,
  );
}

async function passes(
  call: JudgedCall,
  tests: ReturnType<typeof testsOf>,
  turns: TurnTaker,
): Promise<boolean> {
  let long: LongField | null = null;
  for (const test of tests)
    try {
      if (!(await runSteps(test(call), turns, call.characters))) return false;
    } catch (error) {
      if (!(error instanceof LongField)) throw error;
      long = error;
    }
  if (long !== null) throw long;
  return true;
}

async function* foundCalls(
  seam: Seam,
  calls: readonly Key[],
  asked: Pick<CallQuery, "project_id" | "include_feedback">,
  signal?: AbortSignal,
): AsyncGenerator<FoundCall, void, undefined> {
  for await (const [key, record] of recordsOf(seam, asked.project_id, calls, signal)) {
    await seam.store.turns.take();
    if (record === undefined) continue;
    const feedback =
      asked.include_feedback === true ? await feedbackOn(seam.feedback, asked.project_id, record) : null;
    yield { key, line: await membersOf(record, feedback), feedback };
  }
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
