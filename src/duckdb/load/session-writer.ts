import type { Conventions } from "../../model/conventions.ts";
import { createTurnTaker, type TurnTaker } from "../../model/turns.ts";
import type { FileStore } from "../../store/session.ts";
import { countBatch } from "../../ingest/counts.ts";
import { projectKey, type Catalog } from "../../ingest/keys/catalog.ts";
import type { StoredCalls } from "../../ingest/lookup/known-call.ts";
import {
  lookUpCalls,
  lookUpChildren,
  noRecentCalls,
  replaceRecent,
  type RecentCalls,
} from "./recent-calls.ts";
import { callIdentity, type CallLookup } from "./stored-calls.ts";
import { prepareBatch } from "../../ingest/merge/call-batch.ts";
import { createCallReading } from "../../ingest/record/call-reading.ts";
import { writeBatch } from "./write-calls.ts";
import { createTextCutter, cutValue, endTexts, type TextCutter } from "../../ingest/texts/text-cutter.ts";
import { callTexts } from "./call-texts.ts";
import { compareRows, findRow, resolveRows, writeRows, type RowLookup } from "./dataset-rows.ts";
import type { StoredRows } from "../../ingest/write/row-entries.ts";
import { pendingScores, type PendingScores } from "./pending-scores.ts";
import { writeBehind, type WriteBehind } from "./write-behind.ts";
import { writeBoth, type WriteCalls } from "../../ingest/write-loads.ts";
import type { Writer, Writers } from "../../ingest/writer.ts";
import {
  beginLoad,
  createWriterMemory,
  forget,
  knownHashes,
  saveHashes,
  type WriterMemory,
} from "./writer-memory.ts";

/** Writers that write through sessions of a store, where keys are dense: one writes at a time. */
export function createSessionWriters(
  store: Pick<FileStore, "closing" | "inTurn" | "limitToOneThread" | "shedMemory" | "memoryBytes">,
  conventions: Conventions,
  memory: WriterMemory = createWriterMemory(store.memoryBytes),
): Writers {
  return {
    closing: store.closing,
    inTurn: (turn) =>
      store.inTurn((write) =>
        turn((work, signal) =>
          write(
            async (session) => work(await openWriter(writeBehind(session, store), conventions, memory)),
            signal,
          ),
        ),
      ),
    rolledBack: () => forget(memory),
  };
}

/** A writer of one transaction. */
export async function openWriter(
  behind: WriteBehind,
  conventions: Conventions,
  memory: WriterMemory,
  turns: TurnTaker = createTurnTaker(undefined, behind.session.signal),
): Promise<Writer> {
  const { session } = behind;
  const catalog = await beginLoad(session, memory);
  const recent = noRecentCalls();
  const scores = pendingScores(session, turns);
  const cutter = createTextCutter(catalog.mark, () => catalog.next.text++);
  let isLarge = false;
  const lookUp = { session, catalog, cache: memory.cache, turns, isLarge: () => isLarge };
  const rows = storedRows(lookUp, cutter);
  const writeCalls = callWriter({ lookUp, rows, recent, scores, cutter }, conventions, memory);
  return {
    write: (batch, owners) =>
      writeBoth(rows, batch, owners, writeCalls, async (changes) => {
        await writeRows(session, changes, cutter);
        endTexts(cutter);
      }),
    endBatch: behind.endBatch,
    becomesLarge: async () => {
      isLarge = true;
      await behind.limitToOneThread();
    },
    finish: async () => {
      await scores.write();
      await replaceRecent(recent, new Map(), memory.hashes, turns);
      await saveHashes(session, memory, catalog);
      await behind.written();
    },
    stop: behind.stop,
    isEvaluation: (identity) => catalog.evaluations.has(identity),
  };
}

interface OfWriter {
  readonly lookUp: RowLookup;
  readonly rows: StoredRows;
  readonly recent: RecentCalls;
  readonly scores: PendingScores;
  readonly cutter: TextCutter;
}

function callWriter(
  { lookUp, rows, recent, scores, cutter }: OfWriter,
  conventions: Conventions,
  memory: WriterMemory,
): WriteCalls {
  const { session, catalog, turns } = lookUp;
  const { mark } = catalog;
  const reading = createCallReading(conventions, mark);
  const texts = callTexts({ rows: session.rows, mark }, cutter, reading, (name) => findRow(lookUp, name));
  return async (records, owners, changes) => {
    const hashes = await knownHashes(session, memory, catalog, records.length, turns);
    const lookup: CallLookup = { session, reading, hashes, met: memory.met, turns };
    const stored = { ...storedCalls(lookup, recent, catalog), texts };
    const batch = await prepareBatch(stored, records);
    const later = { rows: changes, scores, cutter };
    await writeBatch(lookup, recent, { calls: stored, rows }, catalog, batch, later);
    countBatch(catalog, batch, owners);
    return batch.outcomes;
  };
}

function storedCalls(lookup: CallLookup, recent: RecentCalls, catalog: Catalog): StoredCalls {
  return {
    reading: lookup.reading,
    turns: lookup.turns,
    projectKey: (id) => catalog.projects.get(id) ?? projectKey(lookup.session, catalog, id),
    identify: callIdentity,
    newKey: () => catalog.next.call++,
    find: (wanted) => lookUpCalls(lookup, recent, wanted),
    children: (parents) => lookUpChildren(lookup, recent, parents),
  };
}

function storedRows(lookup: RowLookup, cutter: TextCutter): StoredRows {
  const { session, catalog, cache, turns } = lookup;
  return {
    cache,
    turns,
    projectKey: (id) => catalog.projects.get(id) ?? projectKey(session, catalog, id),
    resolve: (wanted, changes) => resolveRows(lookup, wanted, changes),
    cut: ({ projectKey: project, digest }, val) => cutValue(cutter, `${project}:val:${digest}`, val),
    compare: (values) => compareRows(session, cutter.mark, values),
  };
}
