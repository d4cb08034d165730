import { countBatch, type LoadCounts } from "../../ingest/counts.ts";
import { identity } from "../../ingest/keys/catalog.ts";
import { identityOf, type CallIdentity, type KnownCall } from "../../ingest/lookup/known-call.ts";
import { prepareBatch, type CallBatch, type RecordOutcome } from "../../ingest/merge/call-batch.ts";
import type { ParsedCall } from "../../ingest/record/call-record.ts";
import { evaluationColumns } from "../../ingest/write/evaluations.ts";
import type { RowChanges } from "../../ingest/write/row-entries.ts";
import { settleTrials } from "../../ingest/write/settle-trials.ts";
import { writeBoth } from "../../ingest/write-loads.ts";
import type { StorableRecord } from "../../ingest/writer.ts";
import type { Column } from "../../store/session.ts";
import { addCallSteps, addFragments, addRows, addTrials } from "./add-facts.ts";
import { grouped } from "../../model/grouped.ts";
import { keyOf } from "../lookup/identify.ts";
import { firstOf, type EvaluationRecord, type LoadState } from "./load-state.ts";
import { endVersions, type TrialName } from "./versions.ts";

/** Merges a batch with what is stored, and adds what it changes to the outbox of the load. */
export async function writeBatch(
  state: LoadState,
  batch: readonly StorableRecord[],
  owners: readonly LoadCounts[],
): Promise<readonly RecordOutcome[]> {
  const outcomes = await writeBoth(
    state.rows,
    batch,
    owners,
    (calls, own, changes) => writeCalls(state, calls, own, changes),
    (changes) => addRows(state.open.outbox, state.known.known, changes, state.position),
  );
  addProjects(state, batch);
  state.position += batch.length;
  return outcomes;
}

function addProjects({ known, open }: LoadState, batch: readonly StorableRecord[]): void {
  const ids = new Set(batch.map(({ projectId }) => projectId));
  const fresh = [...ids].filter((id) => !known.stored.has(known.known.number(id)));
  open.outbox.add("projects", fresh.length, {
    project_key: fresh.map((id) => known.known.key(known.known.number(id))),
    project_id: fresh,
  });
  for (const id of fresh) known.stored.add(known.known.number(id));
}

async function writeCalls(
  state: LoadState,
  records: readonly ParsedCall[],
  owners: readonly LoadCounts[],
  changes: RowChanges,
): Promise<readonly RecordOutcome[]> {
  const { open, known, met } = state;
  const batch = await prepareBatch(state.calls, records);
  addStored(state, batch, records);
  noteEvaluations(state, await evaluationColumns(state.calls, known, batch));
  await endStale(state, batch);
  const fresh = new Map([...batch.trials].filter(([, { trial }]) => !isSettled(state, trial)));
  const trials = await settleTrials(state.rows, known, { trials: fresh }, changes);
  await addTrials(open.outbox, known, trials, met.first, state.turns);
  for (const { trial } of fresh.values()) state.settled.add(trial.hash);
  countBatch(known, batch, owners);
  met.replaceRecent(batch);
  return batch.outcomes;
}

/** Whether the load has made a version of the trial; it is then settled again at the end, and only there. */
function isSettled({ settled, again }: LoadState, trial: KnownCall): boolean {
  if (!settled.has(trial.hash)) return false;
  again.set(trial.identity, identityOf(trial));
  return true;
}

function addStored(state: LoadState, batch: CallBatch, records: readonly ParsedCall[]): void {
  const { open, met, known, looked, unchanged } = state;
  const begun = new Set<string>();
  const stored = records.flatMap((record, i) => {
    const id = batch.identities[i] ?? "";
    const call = batch.known.get(id);
    if (call === undefined) return [];
    if (batch.outcomes[i] === "unchanged") unchanged.add(call.hash);
    if (batch.outcomes[i] !== "stored") return [];
    const position = state.position + i;
    if (!met.first.has(id)) met.first.set(id, { load: open.outbox.load, position });
    const isLater = batch.before.has(id) || begun.has(id);
    begun.add(id);
    return [{ call, record, position, isLater }];
  });
  addFragments(open.outbox, known, stored);
  const last = state.position + records.length - 1;
  const changed = [...batch.changed.values()].map((call) => ({ call, position: last }));
  addCallSteps(open.outbox, known.known, changed);
  batch.known.forEach(({ hash, parent, hidden }) => {
    looked.add(hash);
    if (parent !== null) looked.add(parent.hash);
    if (hidden) state.hidden.add(hash);
  });
}

/** Records of `evaluations` are written at the end, each once. */
export function noteEvaluations(state: LoadState, columns: readonly Column[]): void {
  const count = columns[0]?.values.length ?? 0;
  for (let i = 0; i < count; i++) {
    const record: EvaluationRecord = Object.fromEntries(
      columns.map(({ name, values }) => [name, values[i] ?? null]),
    );
    const project = Number(record["project_key"]);
    const name = identity(project, String(record["id"]));
    const { load, position } = firstOf(state, name);
    state.evaluations.set(name, {
      ...record,
      project_key: state.known.known.key(project),
      first_load: load,
      first_position: position,
    });
  }
}

/** Ends the versions that were visible before the load. */
async function endStale(state: LoadState, { staleTrials, before, known }: CallBatch): Promise<void> {
  if (staleTrials.size === 0) return;
  const stale: { readonly call: CallIdentity; readonly name: TrialName }[] = [];
  known.forEach((call, id) => {
    if (!staleTrials.has(call.key)) return;
    const parents = [call.parent, before.get(id)?.parent ?? null].flatMap((one) => one ?? []);
    stale.push({ call, name: { trial: keyOf(call), evaluations: parents.map(keyOf) } });
    if (state.settled.has(call.hash)) state.again.set(id, identityOf(call));
  });
  const { client, snapshot, open } = state;
  for (const [project, some] of grouped(stale, ({ call }) => call.projectKey)) {
    const names = some.map(({ name }) => name);
    await endVersions(client, snapshot, open.outbox, state.known.known.key(project), names);
  }
}
