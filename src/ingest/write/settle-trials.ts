import { identity, type Dictionaries } from "../keys/catalog.ts";
import type { CallBatch } from "../merge/call-batch.ts";
import { IN_RECORD, type Example } from "../record/call.ts";
import { readText, type RecordText } from "../record/record-text.ts";
import { settleTrial } from "../merge/settle-trial.ts";
import { keyDigest } from "../../model/digest.ts";
import { compactText } from "../../model/json.ts";
import { memberTexts } from "../../model/member-texts.ts";
import { contentDigest, noteExample, type RowChanges, type RowName, type StoredRows } from "./row-entries.ts";
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
    const ids = namesOf(cache, part.example).map((digest) => {
      const id = identity(trial.projectKey, digest);
      wanted.set(id, { projectKey: trial.projectKey, digest });
      return id;
    });
    const output = part.output === IN_RECORD ? outputIn(trial.text) : part.output;
    const { key, projectKey } = trial;
    const settled = settleTrial(call, part, children);
    drafts.push({ id: trial.id, parent, ids, trial: { key, projectKey, call, part, output, settled } });
  }
  const rows = await resolve(wanted, changes);
  const trials: WritableTrial[] = [];
  for (const { id, parent, ids, trial } of drafts) {
    const { example } = trial.part;
    const [content, row = content] = ids.map((name) => rows.get(name));
    const evaluation = catalog.evaluations.get(parent.identity);
    if (row === undefined || content === undefined || evaluation === undefined)
      throw new Error(`trial ${id} has lost its row or evaluation`);
    for (const one of example.reference === null ? [row] : [row, content])
      if (noteExample(one, example)) changes.changed.add(one);
    trials.push({ ...trial, evaluationKey: evaluation.key, row, content });
  }
  return trials;
}

function outputIn(record: RecordText): Uint8Array {
  return Buffer.from(compactText(memberTexts(readText(record)).get("output") ?? "null"));
}

/** The digest of what a trial's row holds, and where the row has a key that of the row. */
function namesOf(cache: StoredRows["cache"], example: Example): string[] {
  const content = contentDigest(cache, example);
  return example.key === null ? [content] : [content, keyDigest(example.key)];
}
