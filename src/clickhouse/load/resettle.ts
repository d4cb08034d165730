import { evaluationColumns } from "../../ingest/write/evaluations.ts";
import { noRowChanges } from "../../ingest/write/row-entries.ts";
import { settleTrials } from "../../ingest/write/settle-trials.ts";
import type { KnownCall } from "../../ingest/lookup/known-call.ts";
import { isTrial } from "../../ingest/merge/call-batch.ts";
import { type Visible, withLoads } from "../lookup/visible.ts";
import { childKeys, type HistorySource, readCalls, type StoredCall } from "../lookup/call-histories.ts";
import { grouped } from "../../model/grouped.ts";
import { keyOf } from "../lookup/identify.ts";
import { halvesOf } from "../lookup/stored-keys.ts";
import type { Outbox } from "../insert/outbox.ts";
import { createTurnTaker } from "../../model/turns.ts";
import { createMetCalls } from "../lookup/met-calls.ts";
import { createStoredCalls } from "../lookup/stored-calls.ts";
import { createStoredRows } from "../lookup/stored-rows.ts";
import { addCallSteps, addRows, addTrials } from "./add-facts.ts";
import type { LoadState } from "./load-state.ts";
import { endVersions } from "./versions.ts";
import { noteEvaluations } from "./write-batch.ts";

/** Calls of a project by their keys. */
export interface Named {
  readonly project: number;
  readonly keys: Iterable<bigint>;
}

/**
 * Settles trials anew from all of their records, those of the load included, as versions of `outbox`, and ends the
 * versions that were there. Calls that are no trials are left alone; the trials above them, and what is below hidden
 * ones, are settled, too.
 */
export async function resettle(
  state: LoadState,
  outbox: Outbox,
  now: Visible,
  named: readonly Named[],
): Promise<void> {
  if (named.length === 0) return;
  await state.open.outbox.flush();
  const { client, known } = state;
  const projects = known.known;
  const { visible, calls, rows, histories, first, turns } = createSettledReader(state, outbox, now);
  const changes = noRowChanges();
  for (const { project, keys } of named) {
    const found = await withRelated(histories, project, keys, first);
    addCallSteps(
      outbox,
      projects,
      found.map((call) => ({ call, position: 0 })),
    );
    const names = found.map((call) => ({ trial: keyOf(call), evaluations: call.parents.map(keyOf) }));
    await endVersions(client, visible, outbox, projects.key(project), names);
    const trials = found.filter((call) => isTrial(call) && !call.hidden);
    const settled = childrenOf(await calls.children(trials), trials);
    noteEvaluations(state, await evaluationColumns(calls, known, { trials: settled, changed: new Map() }));
    const written = await settleTrials(rows, known, { trials: settled }, changes);
    await addTrials(outbox, known, written, first, turns);
  }
  addRows(outbox, projects, changes, 0);
  for (const { key } of changes.created) known.keys?.rows.add(halvesOf(BigInt(key)));
}

/**
 * The calls, with what is below hidden ones, and the trials that others are or were below: a record may not name its
 * parent.
 */
async function withRelated(
  source: HistorySource,
  project: number,
  wanted: Iterable<bigint>,
  first: Parameters<typeof readCalls>[3],
) {
  const found = new Map<string, StoredCall>();
  for (let keys = [...wanted]; keys.length > 0;) {
    const calls = await readCalls(source, project, keys, first);
    const hidden = calls.filter((call) => call.hidden && !found.has(call.identity));
    for (const call of calls) found.set(call.identity, call);
    const below = hidden.length === 0 ? [] : await childKeys(source, project, hidden.map(keyOf));
    const above = calls.flatMap((call) => (isTrial(call) ? [] : call.parents));
    const unknown = above.filter(({ identity }) => !found.has(identity));
    keys = [...new Set([...below, ...unknown.map(keyOf)])];
  }
  return [...found.values()];
}

function childrenOf(children: readonly KnownCall[], trials: readonly KnownCall[]) {
  const byParent = grouped(children, ({ parent }) => parent?.identity);
  return new Map(
    trials.map((trial) => {
      const own = (byParent.get(trial.identity) ?? []).flatMap(({ call, text, hidden }) =>
        call === null || hidden ? [] : [{ call, text }],
      );
      return [trial.identity, { trial, children: own }] as const;
    }),
  );
}

const notKept = () => null;

/** Reads what is visible now, with what a load has sent, and remembers nothing of what the load met. */
export function createSettledReader(state: LoadState, outbox: Outbox, now: Visible) {
  const { client, known, reading, open } = state;
  const visible = withLoads(now, [open.outbox.load]);
  const turns = createTurnTaker();
  const met = createMetCalls(notKept);
  const source = { client, visible, projects: known.known, turns, keys: notKept };
  const calls = createStoredCalls({ ...source, reading, met, outbox: null, looked: null });
  const histories = { client, visible, projectKey: known.known.key, stored: calls, looked: null };
  return {
    visible,
    calls,
    rows: createStoredRows({ ...source, outbox }),
    histories,
    /** Where the calls that were read were first stored, by identity. */
    first: met.first,
    turns,
  };
}
