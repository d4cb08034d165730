import { countsOf, type Kept, type KeptCall } from "../../ingest/kept.ts";
import type { ParsedRow } from "../../ingest/record/dataset-row-record.ts";
import type { Session } from "../../store/session.ts";
import { integer, sql, type Sql, type SqlValue } from "../../store/sql.ts";
import { groupsOf, wholeTexts } from "../../texts/whole-texts.ts";

const CALLS_AT_ONCE = 2000;
const ROWS_AT_ONCE = 1000;
/** Bytes of records, with their long texts, that are in memory at once, unless one has more. */
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** What a session of a file sees. Its calls are merged, so a call is one record. */
export function keptInFile(session: Session, signal: AbortSignal | undefined): Kept {
  return {
    counts: async () => {
      const [counted] =
        await session.rows(sql`SELECT (SELECT count(*) FROM projects), (SELECT count(*) FROM calls),
        (SELECT count(*) FROM rows WHERE val IS NOT NULL), (SELECT count(*) FROM trials), (SELECT count(*) FROM scores)`);
      return countsOf(counted);
    },
    calls: () => readCalls(session, signal),
    rows: () => readRows(session, signal),
  };
}

/**
 * Calls in the order in which they were first met. One that was hidden by what it was below once, and is not now, says
 * nothing of that itself: a deletion follows it.
 */
async function* readCalls(
  session: Session,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly KeptCall[]> {
  for await (const [from, to] of ranges(session, sql`SELECT max(call_key) FROM calls`, CALLS_AT_ONCE)) {
    signal?.throwIfAborted();
    const found =
      await session.rows(sql`SELECT c.record, coalesce(c.text_bytes, 0), coalesce(n.name_rank, 0), p.project_id, c.id,
        c.hidden AND (c.parent_hash IS NULL OR c.parent_hash NOT IN (SELECT id_hash FROM calls WHERE hidden)) AS alone
      FROM calls AS c JOIN projects AS p USING (project_key) LEFT JOIN named_calls AS n ON n.call_key = c.call_key
      WHERE c.call_key >= ${integer(from)} AND c.call_key < ${integer(to)} ORDER BY c.call_key`);
    for await (const part of wholeOnes(session, found, signal))
      yield part.flatMap(([text, rank, project, id, alone]) => {
        const call: KeptCall = { text, part: null, nameRank: rank === 2 ? 2 : rank === 1 ? 1 : 0 };
        return alone === true && !isDeleted(text) ? [call, deletionOf(String(project), String(id))] : [call];
      });
  }
}

/** Records of a text, the bytes of its long texts and others: the whole text and the others, in parts of few bytes. */
async function* wholeOnes(
  session: Session,
  found: readonly (readonly SqlValue[])[],
  signal: AbortSignal | undefined,
): AsyncGenerator<(readonly [text: string, ...others: SqlValue[]])[]> {
  const sized = found.map(([text, bytes, ...others]) => ({
    text: String(text),
    bytes: String(text).length + Number(bytes),
    others,
  }));
  for (const group of groupsOf(sized, BYTES_AT_ONCE)) {
    signal?.throwIfAborted();
    const texts = await wholeTexts(
      session,
      group.map(({ text }) => text),
    );
    yield group.map(({ others }, i) => [texts[i] ?? "", ...others]);
  }
}

function isDeleted(text: string): boolean {
  const { deleted_at: at = null } = JSON.parse(text) as { readonly deleted_at?: unknown };
  return at !== null;
}

function deletionOf(project_id: string, id: string): KeptCall {
  return {
    text: JSON.stringify({ project_id, id, deleted_at: new Date().toISOString() }),
    part: null,
    nameRank: 0,
  };
}

async function* readRows(
  session: Session,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ParsedRow[]> {
  for await (const [from, to] of ranges(session, sql`SELECT max(row_key) FROM rows`, ROWS_AT_ONCE)) {
    signal?.throwIfAborted();
    const found = await session.rows(sql`SELECT r.val, coalesce(r.text_bytes, 0), p.project_id, r.digest
      FROM rows AS r JOIN projects AS p USING (project_key)
      WHERE r.val IS NOT NULL AND r.row_key >= ${integer(from)} AND r.row_key < ${integer(to)} ORDER BY r.row_key`);
    for await (const part of wholeOnes(session, found, signal))
      yield part.map(([val, projectId, digest]) => ({
        projectId: String(projectId),
        digest: String(digest),
        val,
        unknownMembers: [],
      }));
  }
}

/** Ranges of keys, which are dense; each without its end. */
async function* ranges(
  session: Session,
  greatest: Sql,
  width: number,
): AsyncGenerator<readonly [from: number, to: number]> {
  const [found] = await session.rows(greatest);
  const last = found?.[0] ?? null;
  if (last === null) return;
  for (let from = 0; from <= Number(last); from += width) yield [from, from + width];
}
