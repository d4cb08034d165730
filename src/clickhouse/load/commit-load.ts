import { evaluationColumns } from "../../ingest/write/evaluations.ts";
import { readCommits, type Commits } from "../lookup/visible.ts";
import { findConflicts, type Conflicts } from "./conflicts.ts";
import { keyOf } from "../lookup/identify.ts";
import { withFresh, type Known } from "../lookup/dictionaries.ts";
import { keepKeys } from "../lookup/stored-rows.ts";
import type { LoadState } from "./load-state.ts";
import { beginLoad, checkAlone, checkNotDead, type OpenLoad } from "./open-load.ts";
import { checkStored, type Outbox } from "../insert/outbox.ts";
import { createSettledReader, type Named, resettle } from "./resettle.ts";
import { takeCommit } from "./take-commit.ts";
import { addCallSteps, addMergedCalls } from "./add-facts.ts";
import { noteEvaluations } from "./write-batch.ts";
import { columnsOf } from "../insert/tables.ts";
import { readCalls } from "../lookup/call-histories.ts";

/**
 * Makes a load visible, whole. What depends on other writers goes into a load of its own, which is written anew where
 * another commit came in between; that its key is above all that was committed before makes its records the latest.
 */
export async function commitLoad(state: LoadState, signal: AbortSignal | undefined): Promise<Known> {
  const { client, hasCoordinator, open } = state;
  if (open.outbox.sent.size === 0) return state.known;
  await open.outbox.flush();
  if (!hasCoordinator) await checkAlone(client, open.outbox.load, state.writer);
  await checkStored(state, open.outbox);
  for (;;) {
    signal?.throwIfAborted();
    const now = await readCommits(client, hasCoordinator, {
      since: state.known.commit,
      load: open.outbox.load,
    });
    checkNotDead(now);
    const last = await beginLoad(state, now, state.writer);
    let isDone = false;
    try {
      const known = await settleLast(state, last, now);
      await last.outbox.flush();
      await checkStored(state, last.outbox);
      open.checkLife();
      const loads = [open, last].flatMap(({ outbox }) => (outbox.sent.size > 0 ? [outbox.load] : []));
      isDone = await takeCommit(client, hasCoordinator, { number: now.number + 1n, loads, dead: [] });
      if (isDone) return keptKnown(state, known, loads);
    } finally {
      last.stop();
      if (!isDone) await last.giveUp();
    }
  }
}

/** What the writer knows from now on, with what the load stored. */
function keptKnown({ met, rows }: LoadState, known: Known, loads: readonly bigint[]): Known {
  met.replaceRecent({ known: new Map(), changed: new Map(), trials: new Map() });
  keepKeys(known.keys, rows.cache);
  for (const load of loads) known.own.add(load);
  return known;
}

/**
 * Writes what stands in the last load: what is settled again, and evaluations. Returns what is known with it; where the
 * commit does not come about, nothing of that may stay.
 */
async function settleLast(before: LoadState, { outbox }: OpenLoad, now: Commits): Promise<Known> {
  const isAlone = now.fresh.length === 0 && before.again.size === 0;
  const known = isAlone ? before.known : await withFresh(before.client, now, before.known);
  const state = { ...before, known, evaluations: new Map(before.evaluations) };
  const conflicts = await findConflicts(state, now.fresh);
  await resettle(state, outbox, now, allNamed(state, conflicts));
  await renewCalls(state, outbox, now, conflicts.calls);
  addEvaluations(state, outbox);
  return known;
}

function allNamed({ again }: LoadState, { trials }: Conflicts): Named[] {
  const all = new Map(trials.map(({ project, keys }) => [project, new Set(keys)]));
  for (const call of again.values()) {
    const keys = all.get(call.projectKey) ?? new Set();
    all.set(call.projectKey, keys.add(keyOf(call)));
  }
  return Array.from(all, ([project, keys]) => ({ project, keys }));
}

/**
 * Reads calls again, since others have stored records of them too, or found them to be evaluations, and stores what
 * they are.
 */
async function renewCalls(
  state: LoadState,
  outbox: Outbox,
  now: Commits,
  named: readonly Named[],
): Promise<void> {
  if (named.length === 0) return;
  const { calls, histories, first } = createSettledReader(state, outbox, now);
  for (const { project, keys } of named) {
    const found = await readCalls(histories, project, [...keys], first);
    const changed = new Map(found.map((call) => [call.identity, call]));
    noteEvaluations(state, await evaluationColumns(calls, state.known, { trials: new Map(), changed }));
    addCallSteps(
      outbox,
      state.known.known,
      found.map((call) => ({ call, position: 0 })),
    );
    const merged = found.filter(({ records }) => records > 1);
    addMergedCalls(
      outbox,
      state.known.known,
      merged.map((call) => ({ call, group: call.group, position: 0 })),
    );
  }
}

function addEvaluations({ evaluations }: LoadState, outbox: Outbox): void {
  const records = [...evaluations.values()];
  outbox.add(
    "evaluations",
    records.length,
    Object.fromEntries(
      columnsOf("evaluations").map(({ name }) => [name, records.map((record) => record[name] ?? null)]),
    ),
  );
}
