import { MOST_INLINE_BYTES, replaceStubs, stubsIn, type PlacedStub } from "../model/text-stubs.ts";
import { grouped } from "../model/grouped.ts";
import { StoreError } from "../errors.ts";
import type { FileSession, Session } from "../store/session.ts";
import { bigint, EMPTY, integer, join, sql, text as textOf, type Sql } from "../store/sql.ts";

/** What reads long texts: a session, and what their stubs begin with, null where texts are stored whole. */
export type TextSession = Pick<Session | FileSession, "rows" | "mark">;

/** Bytes of texts that one statement goes through, and that one hands out. */
export const BYTES_AT_ONCE = 16 * 1024 * 1024;
const BYTES_HELD = 4 * 1024 * 1024;
const PIECES_HELD = BYTES_HELD / MOST_INLINE_BYTES;

/** A text in which a stub stands instead of each long text, as it was sent; in parts, so that little of it is held. */
export async function* wholeParts(
  session: TextSession,
  text: string,
): AsyncGenerator<string, void, undefined> {
  let at = 0;
  for (const group of groupsOf(stubsIn(session.mark ?? null, text), BYTES_HELD)) {
    const found = new Map<number, string>();
    const [first] = group;
    const isAlone = first !== undefined && first.bytes > BYTES_HELD;
    if (!isAlone) await readTexts(session, group, found);
    for (const { start, end, key, bytes } of group) {
      yield text.slice(at, start);
      at = end;
      if (isAlone) yield* partsOf(session, key, bytes);
      else yield textFor(found, key);
    }
  }
  yield text.slice(at);
}

/** Several texts, each as it was sent; their long ones are read together. */
export async function wholeTexts(session: TextSession, texts: readonly string[]): Promise<readonly string[]> {
  const mark = session.mark ?? null;
  const found = new Map<number, string>();
  for (const group of groupsOf(
    texts.flatMap((text) => stubsIn(mark, text)),
    BYTES_HELD,
  )) {
    const [first] = group;
    if (first === undefined || first.bytes <= BYTES_HELD) await readTexts(session, group, found);
    else found.set(first.key, await joined(partsOf(session, first.key, first.bytes)));
  }
  return texts.map((text) => replaceStubs(mark, text, ({ key }) => textFor(found, key)));
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const part of parts) all.push(part);
  return all.join("");
}

/** Bytes that hold as many characters of a text as any order looks at, whatever their spelling. */
const BYTES_BEGUN = 6 * 1024;

/** How the long text begins that each of these stubs stands for. */
export async function textsBegin(session: TextSession, texts: readonly string[]): Promise<readonly string[]> {
  const stubs = texts.flatMap((text) => stubsIn(session.mark ?? null, text));
  const found = await textStarts(session, stubs, BYTES_BEGUN);
  return stubs.map(({ key }) => textFor(found, key));
}

/**
 * Escapes of characters that JSON does not escape, or not so, in the one spelling: with the number, or with large
 * letters.
 */
const OTHER_ESCAPES = String.raw`\\u(00([2-7]|0[89acdACD]|[01][A-F])|D|d[0-9a-f]{0,2}[A-F])`;

/**
 * Whether the long text that each of these stubs stands for may have a part, which is of plain ASCII, or surely lacks
 * it in any spelling; `folds`: without regard to case, the part is in lower case.
 */
export async function textsMayHave(
  session: TextSession,
  texts: readonly string[],
  part: string,
  folds: boolean,
): Promise<readonly boolean[]> {
  const text = folds ? sql`lower(txt)` : sql`txt`;
  const other = folds ? sql`true` : sql`regexp_matches(txt, ${textOf(OTHER_ESCAPES)})`;
  const stubs = texts.flatMap((one) => stubsIn(session.mark ?? null, one));
  const found = new Map<number, boolean>();
  for (const group of groupsOf(stubs.toSorted((a, b) => a.key - b.key))) {
    const told =
      await session.rows(sql`SELECT text_key, CASE WHEN contains(${text}, ${textOf(part)}) THEN true
        WHEN contains(txt, '\\u') THEN ${other} ELSE false END
      FROM (SELECT text_key, string_agg(txt, '' ORDER BY piece) AS txt FROM ${textScans(
        group.map(({ key }) => key),
      )}
        GROUP BY text_key)`);
    for (const [key, has] of told) found.set(Number(key), has === true);
  }
  return stubs.map(({ key }) => textFor(found, key));
}

/** The same of one text. */
export async function wholeText(session: TextSession, text: string): Promise<string> {
  if (session.mark === undefined || !text.includes(session.mark)) return text;
  return joined(wholeParts(session, text));
}

/** How the texts of some stubs begin, by key: at least so many bytes of each. */
export async function textStarts(
  session: TextSession,
  stubs: readonly Pick<PlacedStub, "key">[],
  bytes: number,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  // A piece ends before the character that does not fit.
  const pieces = Math.ceil(bytes / MOST_INLINE_BYTES) + 1;
  for (const group of groupsOf(stubs.map((stub) => ({ ...stub, bytes }))))
    await readTexts(session, group, found, pieces);
  return found;
}

/** Runs of stubs that one statement reads; one that is too long for that stands alone. */
export function* groupsOf<T extends { readonly bytes: number }>(
  all: Iterable<T>,
  most = BYTES_AT_ONCE,
): Generator<readonly T[]> {
  let group: T[] = [];
  let bytes = 0;
  for (const one of all) {
    if (group.length > 0 && bytes + one.bytes > most) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(one);
    bytes += one.bytes;
  }
  if (group.length > 0) yield group;
}

/** Texts between two others that are rather read with them than passed over: DuckDB reads 2,048 pieces at once. */
const MOST_BETWEEN = 4;
const MOST_RUNS = 200;

/**
 * The pieces of some texts as a FROM item (text_key, piece, txt). Of texts that lie apart each run has a scan of its
 * own: a scan of all reads every piece between the first and the last.
 */
export function textScans(keys: Iterable<number>, condition: Sql = EMPTY): Sql {
  const runs: number[][] = [];
  for (const key of [...new Set(keys)].toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last === undefined || key - (last.at(-1) ?? 0) > MOST_BETWEEN) runs.push([key]);
    else last.push(key);
  }
  const isOneScan = runs.length === 0 || runs.length > MOST_RUNS;
  const scans = (isOneScan ? [runs.flat()] : runs).map((run) => {
    const [least, most] = [run[0] ?? 0, run.at(-1) ?? 0];
    const among = most - least + 1 === run.length ? EMPTY : sql` AND ${amongTexts(sql`text_key`, run)}`;
    const within = sql`text_key BETWEEN ${bigint(least)} AND ${bigint(most)}`;
    return sql`SELECT text_key, piece, txt FROM pieces WHERE ${within}${among}${condition}`;
  });
  return sql`(${join(scans, sql` UNION ALL `)})`;
}

/** Whether `key` is one of these. DuckDB joins the list, and leaves out what lies outside of its range. */
export function amongTexts(column: Sql, keys: Iterable<number>): Sql {
  return sql`${column} IN (SELECT unnest(${textOf(JSON.stringify([...keys]))}::BIGINT[]))`;
}

async function readTexts(
  session: TextSession,
  stubs: readonly Pick<PlacedStub, "key">[],
  found: Map<number, string>,
  pieces: number | null = null,
) {
  const keys = stubs.map(({ key }) => key);
  const first = pieces === null ? EMPTY : sql` AND piece < ${integer(pieces)}`;
  const read = await session.rows(sql`SELECT text_key, piece, txt FROM ${textScans(keys, first)}`);
  for (const [, own] of grouped(read, ([key]) => key)) {
    const texts = own.toSorted(([, a], [, b]) => Number(a) - Number(b)).map(([, , text]) => String(text));
    found.set(Number(own[0]?.[0]), texts.join(""));
  }
}

function textFor<T>(found: ReadonlyMap<number, T>, key: number): T {
  const text = found.get(key);
  if (text === undefined) {
    const message = `the long text ${key} is missing; evalcube check lists what is`;
    throw new StoreError("damaged_database", message);
  }
  return text;
}

/** One text in parts. */
async function* partsOf(session: TextSession, key: number, bytes: number): AsyncGenerator<string> {
  let read = 0;
  for (let from = 0; read < bytes; from += PIECES_HELD) {
    const [part] = await session.rows(sql`SELECT string_agg(txt, '' ORDER BY piece) FROM pieces
      WHERE text_key = ${bigint(key)} AND piece >= ${integer(from)} AND piece < ${integer(from + PIECES_HELD)}`);
    const text = part?.[0];
    if (typeof text !== "string") return void textFor(new Map(), key);
    read += Buffer.byteLength(text);
    yield text;
  }
}
