import type { Column, FileSession } from "../../store/session.ts";
import { identifier, sql, text } from "../../store/sql.ts";
import type { CallBatch } from "../../ingest/merge/call-batch.ts";
import type { TextCutter } from "../../ingest/texts/text-cutter.ts";
import type { RecordText } from "../../ingest/record/record-text.ts";
import { bytesOfStubs } from "../../model/text-stubs.ts";
import { writeCallTexts } from "./call-texts.ts";
import type { Catalog, ScorePathEntry } from "../../ingest/keys/catalog.ts";
import type { Key } from "../../model/digest.ts";
import { partsOf } from "../../model/turns.ts";
import { evaluationColumns } from "../../ingest/write/evaluations.ts";
import { replaceRecent, type RecentCalls } from "./recent-calls.ts";
import { hashColumn } from "../../ingest/lookup/identity-hash.ts";
import type { RowChanges, StoredRows } from "../../ingest/write/row-entries.ts";
import type { PendingScores } from "./pending-scores.ts";
import { collectScores } from "../../ingest/write/collect-scores.ts";
import { nullColumns, pathColumns } from "../../ingest/write/score-columns.ts";
import { stepColumns } from "../../ingest/write/step-columns.ts";
import { settleTrials } from "../../ingest/write/settle-trials.ts";
import {
  asStored,
  type CallIdentity,
  type KnownCall,
  type StoredCalls,
} from "../../ingest/lookup/known-call.ts";
import { meet, type CallLookup } from "./stored-calls.ts";
import { errorColumns, trialColumns, type WritableTrial } from "../../ingest/write/trial-columns.ts";

/**
 * Writes a prepared batch: calls, evaluations and trials; their scores and what they change in rows are noted in
 * `later`.
 */
export async function writeBatch(
  lookup: CallLookup,
  recent: RecentCalls,
  stored: { readonly calls: StoredCalls; readonly rows: StoredRows },
  catalog: Catalog,
  batch: CallBatch,
  later: { readonly rows: RowChanges; readonly scores: PendingScores; readonly cutter: TextCutter },
): Promise<void> {
  if (batch.changed.size === 0) return;
  const { session, hashes, turns } = lookup;
  const { mark } = later.cutter;
  await writeCallTexts(session, later.cutter, batch);
  const calls = [...batch.changed.values()];
  for (const id of lookup.met.keys()) if (batch.changed.has(id)) lookup.met.delete(id);
  for (const part of partsOf(calls, CALLS_AT_ONCE)) {
    if (calls.length > CALLS_AT_ONCE) await turns.next();
    await writeCalls(session, part, mark);
  }
  await writeNameRanks(session, calls);
  await writeMovedParents(session, batch.moved);
  await writeEvaluations(session, await evaluationColumns(stored.calls, catalog, batch));
  for (const call of calls) if (catalog.evaluations.has(call.identity)) meet(lookup.met, asStored(call));
  await replaceRecent(recent, batch.changed, hashes, turns);
  later.scores.remove(batch.staleTrials);
  await removeTrials(session, batch.staleTrials);
  const trials = await settleTrials(stored.rows, catalog, batch, later.rows);
  if (trials.length > 0) await writeTrials(lookup, catalog, trials, later.scores);
}

/** A batch has fewer, unless it hides what is below its calls. */
const CALLS_AT_ONCE = 32_768;

/** Bytes of the texts of a record; one that was never cut is not looked through. */
function textBytes(mark: string, record: RecordText): number | null {
  return typeof record === "string" ? bytesOfStubs(mark, record) : null;
}

async function writeMovedParents(session: FileSession, parents: readonly CallIdentity[]): Promise<void> {
  if (parents.length === 0) return;
  const hashes = parents.map(({ hash }) => hash);
  session.load("moved_parents", [hashColumn("parent_hash", hashes)]);
  await session.run(sql`INSERT INTO moved_parents SELECT parent_hash FROM loaded('moved_parents')`);
}

async function writeCalls(session: FileSession, calls: readonly KnownCall[], mark: string): Promise<void> {
  session.load("calls", [
    { name: "call_key", type: "INTEGER", values: calls.map((call) => call.key) },
    { name: "project_key", type: "INTEGER", values: calls.map((call) => call.projectKey) },
    hashColumn(
      "id_hash",
      calls.map((call) => call.hash),
    ),
    hashColumn(
      "parent_hash",
      calls.map((call) => call.parent?.hash ?? null),
    ),
    { name: "hidden", type: "BOOLEAN", values: calls.map((call) => call.hidden) },
    { name: "id", type: "VARCHAR", values: calls.map((call) => call.id) },
    { name: "parent_id", type: "VARCHAR", values: calls.map(({ parent }) => parent?.id ?? null) },
    { name: "record", type: "VARCHAR", values: calls.map((call) => call.text) },
    { name: "text_bytes", type: "BIGINT", values: calls.map((call) => textBytes(mark, call.text)) },
    { name: "op_name", type: "VARCHAR", values: calls.map(({ columns }) => columns.opName) },
    { name: "started_at", type: "BIGINT", values: calls.map(({ columns }) => columns.startedAt) },
    { name: "ended_at", type: "BIGINT", values: calls.map(({ columns }) => columns.endedAt) },
    { name: "exception", type: "VARCHAR", values: calls.map(({ columns }) => columns.exception) },
  ]);
  if (calls.some((call) => call.isStored))
    for (const table of ["calls", "call_steps"])
      await session.run(
        sql`DELETE FROM ${identifier(table)} WHERE call_key IN (SELECT call_key FROM loaded('calls'))`,
      );
  await session.run(sql`INSERT INTO calls BY NAME SELECT * FROM loaded('calls')`);
  await writeSteps(
    session,
    calls.filter(({ hidden }) => !hidden),
  );
}

/** Writes what calls tell of steps. */
export async function writeSteps(
  session: FileSession,
  calls: readonly Pick<KnownCall, "key" | "call">[],
): Promise<void> {
  const steps = calls.flatMap(({ key, call }) => (call?.step == null ? [] : [{ key, step: call.step }]));
  if (steps.length === 0) return;
  session.load("call_steps", stepColumns(steps));
  await session.run(sql`INSERT INTO call_steps BY NAME SELECT * FROM loaded('call_steps')`);
}

/** Notes where the names come from that are not those of a start; a rank never falls. */
async function writeNameRanks(session: FileSession, calls: readonly KnownCall[]): Promise<void> {
  const named = calls.filter(({ nameRank }) => nameRank > 0);
  if (named.length === 0) return;
  session.load("named_calls", [
    { name: "call_key", type: "INTEGER", values: named.map(({ key }) => key) },
    { name: "name_rank", type: "UTINYINT", values: named.map(({ nameRank }) => nameRank) },
  ]);
  await session.run(
    sql`DELETE FROM named_calls WHERE call_key IN (SELECT call_key FROM loaded('named_calls'))`,
  );
  await session.run(sql`INSERT INTO named_calls SELECT call_key, name_rank FROM loaded('named_calls')`);
}

async function writeEvaluations(session: FileSession, columns: readonly Column[]): Promise<void> {
  if (columns[0]?.values.length === 0) return;
  session.load("evaluations", columns);
  await session.run(
    sql`DELETE FROM evaluations WHERE evaluation_key IN (SELECT evaluation_key FROM loaded('evaluations'))`,
  );
  await session.run(sql`INSERT INTO evaluations BY NAME SELECT * FROM loaded('evaluations')`);
}

async function removeTrials(session: FileSession, keys: ReadonlySet<Key>): Promise<void> {
  if (keys.size === 0) return;
  session.load("stale_trials", [{ name: "trial_key", type: "INTEGER", values: [...keys] }]);
  for (const table of ["trials", "scores", "null_scores", "errored_trials"])
    await session.run(
      sql`DELETE FROM ${identifier(table)} WHERE trial_key IN (SELECT trial_key FROM loaded('stale_trials'))`,
    );
}

async function writeTrials(
  { session, turns }: CallLookup,
  catalog: Catalog,
  trials: readonly WritableTrial[],
  pending: PendingScores,
): Promise<void> {
  const keys = trials.map(() => catalog.next.version++);
  session.load("trials", [...trialColumns(trials), { name: "version_key", type: "BIGINT", values: keys }]);
  await session.run(sql`INSERT INTO trials BY NAME SELECT * FROM loaded('trials')`);
  const { nulls, touchedPaths } = await collectScores(catalog, trials, pending.values, turns);
  if (touchedPaths.size > 0) await writeScorePaths(session, [...touchedPaths]);
  await pending.added();
  for (const [name, columns] of [
    ["null_scores", nullColumns(nulls)],
    ["errored_trials", errorColumns(trials)],
  ] as const) {
    if ((columns[0]?.values.length ?? 0) === 0) continue;
    session.load(name, columns);
    await session.run(sql`INSERT INTO ${identifier(name)} BY NAME SELECT * FROM loaded(${text(name)})`);
  }
}

async function writeScorePaths(session: FileSession, paths: readonly ScorePathEntry[]): Promise<void> {
  session.load("paths", pathColumns(paths));
  await session.run(sql`DELETE FROM score_paths WHERE path_key IN (SELECT path_key FROM loaded('paths'))`);
  await session.run(sql`INSERT INTO score_paths BY NAME SELECT * FROM loaded('paths')`);
}
