import { identity, type Dictionaries } from "../keys/catalog.ts";
import type { CallBatch } from "../merge/call-batch.ts";
import { settleTrial } from "../merge/settle-trial.ts";
import { exampleDigest, noteExample, type RowChanges, type RowName, type StoredRows } from "./row-entries.ts";
import type { WritableTrial } from "./trial-columns.ts";

/** Settles the trials of a batch; what they change in rows is noted in `changes`. */
export async function settleTrials(
  { cache, turns, resolve }: StoredRows,
  catalog: Dictionaries,
  batch: Pick<CallBatch, "trials">,
  changes: RowChanges,
): Promise<WritableTrial[]> {
  const drafts = [];
  const wanted = new Map<string, RowName>();
  for (const { trial, children } of batch.trials.values()) {
    if (turns.shouldYield()) await turns.next();
    const { call, parent } = trial;
    const part = call?.trial ?? null;
    if (call === null || part === null || parent === null) continue;
    const digest = exampleDigest(cache, part.example);
    const rowId = identity(trial.projectKey, digest);
    wanted.set(rowId, { projectKey: trial.projectKey, digest });
    drafts.push({ trial, call, part, parent, rowId, settled: settleTrial(call, part, children) });
  }
  const rows = await resolve(wanted, changes);
  const trials: WritableTrial[] = [];
  for (const { trial, call, part, parent, rowId, settled } of drafts) {
    const row = rows.get(rowId);
    const evaluation = catalog.evaluations.get(parent.identity);
    if (row === undefined || evaluation === undefined)
      throw new Error(`trial ${trial.id} has lost its row or evaluation`);
    if (noteExample(row, part.example)) changes.changed.add(row);
    trials.push({
      key: trial.key,
      projectKey: trial.projectKey,
      evaluationKey: evaluation.key,
      row,
      call,
      part,
      settled,
    });
  }
  return trials;
}
