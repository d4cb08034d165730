import { identity, type Dictionaries } from "../keys/catalog.ts";
import type { CallBatch } from "../merge/call-batch.ts";
import { IN_RECORD, type Example, type TrialPart } from "../record/call.ts";
import { readText } from "../record/record-text.ts";
import { settleTrial } from "../merge/settle-trial.ts";
import { keyDigest } from "../../model/digest.ts";
import { compactText } from "../../model/json.ts";
import { memberTexts } from "../../model/member-texts.ts";
import type { KnownCall } from "../lookup/known-call.ts";
import { contentDigest, noteExample, type RowChanges, type RowName, type StoredRows } from "./row-entries.ts";
import type { WritablePart, WritableTrial } from "./trial-columns.ts";

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
    const part = partOf(trial);
    if (call === null || part === null || parent === null) continue;
    const ids = namesOf(cache, part.example).map((digest) => {
      const id = identity(trial.projectKey, digest);
      wanted.set(id, { projectKey: trial.projectKey, digest });
      return id;
    });
    drafts.push({ trial, call, part, parent, ids, settled: settleTrial(call, part, children) });
  }
  const rows = await resolve(wanted, changes);
  const trials: WritableTrial[] = [];
  for (const { trial, call, part, parent, ids, settled } of drafts) {
    const [content, row = content] = ids.map((id) => rows.get(id));
    const evaluation = catalog.evaluations.get(parent.identity);
    if (row === undefined || content === undefined || evaluation === undefined)
      throw new Error(`trial ${trial.id} has lost its row or evaluation`);
    for (const one of part.example.reference === null ? [row] : [row, content])
      if (noteExample(one, part.example)) changes.changed.add(one);
    const { key, projectKey } = trial;
    trials.push({ key, projectKey, evaluationKey: evaluation.key, row, content, call, part, settled });
  }
  return trials;
}

/** A part as it is written. The same object where it can be: V8 is slow with copies of so many. */
function partOf({ call, text }: KnownCall): WritablePart | null {
  const part = call?.trial ?? null;
  if (part === null || isWritable(part)) return part;
  return { ...part, output: Buffer.from(compactText(memberTexts(readText(text)).get("output") ?? "null")) };
}

function isWritable(part: TrialPart): part is WritablePart {
  return part.output !== IN_RECORD;
}

/** The digest of what a trial's row holds, and where the row has a key that of the row. */
function namesOf(cache: StoredRows["cache"], example: Example): string[] {
  const content = contentDigest(cache, example);
  return example.key === null ? [content] : [content, keyDigest(example.key)];
}
