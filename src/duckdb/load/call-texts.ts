import type { CallBatch } from "../../ingest/merge/call-batch.ts";
import type { CallTexts, KnownCall } from "../../ingest/lookup/known-call.ts";
import type { CallReading } from "../../ingest/record/call-reading.ts";
import { readText } from "../../ingest/record/record-text.ts";
import { cutCall } from "../../ingest/texts/cut-call.ts";
import { takePieces, type TextCutter } from "../../ingest/texts/text-cutter.ts";
import type { RowEntry, RowName } from "../../ingest/write/row-entries.ts";
import { keysOfStubs, ownKeysOfStubs, replaceStubs, stubsIn } from "../../model/text-stubs.ts";
import type { FileSession } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import { amongTexts, wholeText, type TextSession } from "../../texts/whole-texts.ts";

/** How the long texts of calls leave their records. */
export function callTexts(
  session: TextSession,
  cutter: TextCutter,
  reading: CallReading,
  findRow: (name: RowName) => Promise<RowEntry | null>,
): CallTexts {
  return {
    cut: (record, { projectKey }, earlier) =>
      cutCall(cutter, record, {
        reading,
        projectKey,
        earlier: earlier === undefined ? null : { call: earlier.call, text: readText(earlier.text) },
        exampleOf: async (digest) => {
          const row = await findRow({ projectKey, digest });
          return stubsIn(cutter.mark, row?.inlineExample ?? "")[0] ?? null;
        },
      }),
    whole: (text) => wholeText(session, withPending(cutter, text)),
  };
}

/** The text with those of its texts that are yet to be written. */
function withPending({ mark, pending }: TextCutter, text: string): string {
  return replaceStubs(mark, text, (stub) => {
    const bytes = pending.get(stub.key);
    return bytes === undefined ? text.slice(stub.start, stub.end) : readText(bytes);
  });
}

/** Writes the texts of the calls that a batch changed, and removes those that they have no more. */
export async function writeCallTexts(
  session: FileSession,
  cutter: TextCutter,
  { changed, before }: Pick<CallBatch, "changed" | "before">,
): Promise<void> {
  const { mark } = cutter;
  const gone: number[] = [];
  const written: string[] = [];
  for (const [id, call] of changed) {
    const now = call.hidden ? withoutTexts(mark, call) : call;
    if (now !== call) changed.set(id, now);
    if (typeof now.text === "string") written.push(now.text);
    const had = before.get(id)?.text ?? (now === call ? undefined : call.text);
    if (typeof had !== "string") continue;
    const keys = ownKeysOfStubs(mark, had);
    if (keys.length === 0) continue;
    const kept = new Set(keysOfStubs(mark, readText(now.text)));
    gone.push(...keys.filter((key) => !kept.has(key)));
  }
  await writeTexts(session, cutter, written);
  await removeTexts(session, gone);
}

/** A call that nobody sees any more needs no text. */
function withoutTexts(mark: string, call: KnownCall): KnownCall {
  const text = readText(call.text);
  return text.includes(mark) ? { ...call, text: replaceStubs(mark, text, () => "null") } : call;
}

/** Writes the texts that these records name and that are not written yet. */
export async function writeTexts(
  session: FileSession,
  cutter: TextCutter,
  records: Iterable<string>,
): Promise<void> {
  const pieces = takePieces(cutter, records);
  if (pieces === null) return;
  session.load("pieces", pieces);
  await session.run(sql`INSERT INTO pieces BY NAME SELECT * FROM loaded('pieces')`);
}

export async function removeTexts(session: FileSession, keys: readonly number[]): Promise<void> {
  if (keys.length > 0) await session.run(sql`DELETE FROM pieces WHERE ${amongTexts(sql`text_key`, keys)}`);
}
