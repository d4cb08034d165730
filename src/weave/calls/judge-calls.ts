import type { Key } from "../../model/digest.ts";
import { type Json, parseAnyJson } from "../../model/json.ts";
import { bytesOfStubs } from "../../model/text-stubs.ts";
import type { RecordStore, Session } from "../../store/session.ts";
import { BYTES_AT_ONCE, groupsOf, textsBegin, textsMayHave, wholeTexts } from "../../texts/whole-texts.ts";
import { LongField, type Question, type StubbedValue } from "../conditions/long-field.ts";
import { inGroups } from "../request/whole-answers.ts";
import { lineValue, type Line } from "./call-line.ts";
import { readLines } from "./read-lines.ts";

/** A call that was found, with its line, in which stubs stand instead of long texts. */
export interface FoundCall {
  readonly key: Key;
  readonly line: Line;
  /** Feedback on it that stands in the line: the JSON text of a list. */
  readonly feedback: string | null;
}

/** A call to be judged. */
export interface JudgedCall extends StubbedValue {
  /** Characters of its line and of its long texts that were read. */
  readonly characters: number;
}

/** What is told of a call; throws `LongField` where a long text has to be read before. */
type Judge<Verdict> = (call: JudgedCall) => Verdict | Promise<Verdict>;

interface Looked<Verdict> {
  readonly found: FoundCall;
  /** Null before long texts are read. */
  readonly told: { readonly verdict: Verdict } | null;
  readonly longBytes: number;
  readonly characters: number;
}

interface Judging<Verdict> {
  readonly store: RecordStore;
  readonly judge: Judge<Verdict>;
  readonly signal: AbortSignal | undefined;
}

/** What is told of each call, in their order. Long texts that are asked for are read in groups. */
export async function* judged<Verdict>(
  calls: AsyncIterable<FoundCall>,
  { store, judge, signal }: Judging<Verdict>,
): AsyncGenerator<readonly [FoundCall, Verdict], void, undefined> {
  const sizes = {
    longBytes: (one: Looked<Verdict>) => one.longBytes,
    heldBytes: (one: Looked<Verdict>) => one.characters,
    most: BYTES_AT_ONCE,
  };
  for await (const group of inGroups(looked(calls, store.mark ?? null, judge), sizes)) {
    const open = group.flatMap(({ found, told }) => (told === null ? [found] : []));
    const settled =
      open.length === 0
        ? new Map<Key, { readonly verdict: Verdict }>()
        : await store.read((session) => settle(session, open, { store, judge, signal }), signal);
    for (const { found, told } of group) {
      const known = told ?? settled.get(found.key);
      if (known !== undefined) yield [found, known.verdict];
    }
  }
}

async function* looked<Verdict>(
  calls: AsyncIterable<FoundCall>,
  mark: string | null,
  judge: Judge<Verdict>,
): AsyncGenerator<Looked<Verdict>, void, undefined> {
  for await (const found of calls) {
    const call = await beginCall(found.line, mark);
    const told = await tried(call, judge);
    const longBytes = bytesOf(asked(call).values(), mark) / (asked(call).has("value") ? 1 : TESTED_AT_ONCE);
    yield { found, told, longBytes: told === null ? longBytes : 0, characters: call.characters };
  }
}

/** Long texts of which the database tells something are not held: of so many times as many bytes at once. */
const TESTED_AT_ONCE = 16;

function bytesOf(stubs: Iterable<ReadonlySet<string>>, mark: string | null): number {
  return bytesOfStubs(mark, JSON.stringify([...stubs].flatMap((some) => [...some]))) ?? 0;
}

interface OpenCall extends JudgedCall {
  characters: number;
}

async function beginCall(line: Line, mark: string | null): Promise<OpenCall> {
  let characters = 0;
  let isStubbed = false;
  for (const text of line.values()) {
    characters += text.length;
    isStubbed ||= mark !== null && text.includes(mark);
  }
  const value = await lineValue(line);
  return { value, mark: isStubbed ? mark : null, known: new Map(), met: new Map(), characters };
}

async function tried<Verdict>(
  call: JudgedCall,
  judge: Judge<Verdict>,
): Promise<{ readonly verdict: Verdict } | null> {
  try {
    return { verdict: await judge(call) };
  } catch (error) {
    if (error instanceof LongField) return null;
    throw error;
  }
}

/** What is told of calls whose long texts are asked for; one that was hidden meanwhile is missing. */
async function settle<Verdict>(
  session: Session,
  calls: readonly FoundCall[],
  { store, judge, signal }: Judging<Verdict>,
): Promise<ReadonlyMap<Key, { readonly verdict: Verdict }>> {
  const told = new Map<Key, { readonly verdict: Verdict }>();
  let open: { readonly key: Key; readonly call: OpenCall }[] = [];
  for (const { key, line } of await readLines(session, calls))
    open.push({ key, call: await beginCall(line, store.mark ?? null) });
  while (open.length > 0) {
    const [some = []] = groupsOf(open.map((one) => ({ ...one, bytes: valueBytes(one.call) })));
    const answers = await answersOf(
      session,
      some.map(({ call }) => call),
    );
    const left: typeof open = [];
    for (const one of some) {
      signal?.throwIfAborted();
      await store.turns.take();
      one.call.characters += await learn(one.call, answers);
      const verdict = await tried(one.call, judge);
      if (verdict === null) left.push(one);
      else told.set(one.key, verdict);
      if (verdict !== null) one.call.known.clear();
    }
    open = [...left, ...open.slice(some.length)];
  }
  return told;
}

/** What is asked of a call; what may spare a value is asked before it. */
function asked({ met }: OpenCall): OpenCall["met"] {
  const others = new Map([...met].filter(([question]) => question !== "value"));
  return others.size > 0 ? others : met;
}

/** Bytes of the long texts that a call has read next. */
function valueBytes(call: OpenCall): number {
  return bytesOf([asked(call).get("value") ?? new Set<string>()], call.mark);
}

type Answers = ReadonlyMap<Question, ReadonlyMap<string, string | boolean>>;

async function answersOf(session: Session, calls: readonly OpenCall[]): Promise<Answers> {
  const all = new Map<Question, Set<string>>();
  for (const [question, stubs] of calls.flatMap((call) => [...asked(call)]))
    all.set(question, new Set([...(all.get(question) ?? []), ...stubs]));
  const answers = new Map<Question, ReadonlyMap<string, string | boolean>>();
  for (const [question, stubs] of all) {
    const found = await answersTo(session, question, [...stubs]);
    answers.set(question, new Map([...stubs].map((stub, i) => [stub, found[i] ?? "null"])));
  }
  return answers;
}

function answersTo(
  session: Session,
  question: Question,
  stubs: readonly string[],
): Promise<readonly (string | boolean)[]> {
  const texts = stubs.map((stub) => `"${stub}"`);
  if (question === "value") return wholeTexts(session, texts);
  if (question === "beginning") return textsBegin(session, texts);
  const [kind] = question.split(" ", 1);
  const part = question.slice(question.indexOf(" ") + 1);
  return textsMayHave(session, texts, part, kind === "folded");
}

/** Takes the answers to what was asked; values are parsed. Returns how many characters were read. */
async function learn(call: OpenCall, answers: Answers): Promise<number> {
  let characters = 0;
  for (const [question, stubs] of asked(call)) {
    const known = call.known.get(question) ?? new Map<string, Json>();
    call.known.set(question, known);
    for (const stub of stubs) {
      const answer = answers.get(question)?.get(stub) ?? "null";
      const isText = question === "value" && typeof answer === "string";
      known.set(stub, isText ? await parseAnyJson(answer) : answer);
      if (isText) characters += answer.length;
    }
  }
  call.met.clear();
  return characters;
}
