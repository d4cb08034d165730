import type { Key } from "../../model/digest.ts";
import { parseAnyJson } from "../../model/json.ts";
import { bytesOfStubs } from "../../model/text-stubs.ts";
import type { RecordStore, Session } from "../../store/session.ts";
import { BYTES_AT_ONCE, wholeTexts } from "../../texts/whole-texts.ts";
import { LongField, type StubbedValue } from "../conditions/long-field.ts";
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
    const longBytes = bytesOfStubs(mark, JSON.stringify([...call.met])) ?? 0;
    yield { found, told, longBytes: told === null ? longBytes : 0, characters: call.characters };
  }
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
  return { value, mark: isStubbed ? mark : null, known: new Map(), met: new Set(), characters };
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
    const texts = await textsOf(
      session,
      open.map(({ call }) => call),
    );
    const left: typeof open = [];
    for (const one of open) {
      signal?.throwIfAborted();
      await store.turns.take();
      one.call.characters += await learn(one.call, texts);
      const verdict = await tried(one.call, judge);
      if (verdict === null) left.push(one);
      else told.set(one.key, verdict);
      if (verdict !== null) one.call.known.clear();
    }
    open = left;
  }
  return told;
}

/** The long texts that were asked for and are not known, by stub. */
async function textsOf(session: Session, calls: readonly OpenCall[]): Promise<ReadonlyMap<string, string>> {
  const asked = calls.flatMap(({ met, known }) => [...met].filter((stub) => !known.has(stub)));
  const stubs = [...new Set(asked)];
  const texts = await wholeTexts(
    session,
    stubs.map((stub) => `"${stub}"`),
  );
  return new Map(stubs.map((stub, i) => [stub, texts[i] ?? "null"]));
}

/** Takes the texts that were asked for, and parses those that were taken before. */
async function learn({ known, met }: OpenCall, texts: ReadonlyMap<string, string>): Promise<number> {
  let characters = 0;
  for (const stub of met) {
    const text = known.get(stub)?.text;
    if (text === undefined) {
      const read = texts.get(stub) ?? "null";
      known.set(stub, { text: read });
      characters += read.length;
    } else known.set(stub, { text, value: await parseAnyJson(text) });
  }
  met.clear();
  return characters;
}
