import { unchecked } from "../../check/agreement.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { noSamples } from "../../read/fault.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { groupFigures, type ComputedTask } from "./figures.ts";
import { openRun, samplesOf } from "./run.ts";
import { readTask } from "./task.ts";

/** Logs of lm-evaluation-harness: `results_<time>.json` with the samples files of that time, or a samples file. */
export const lmEval: Format = {
  name: "lm-eval",
  recognises: (head) => isResults(head) || isSamples(head),
  claims: (head) => (isResults(head) ? samplesOf(head.name, head.siblings).map(({ name }) => name) : []),
  read: readLmEval,
};

function isResults({ json, size, bytes }: Head): boolean {
  if (!isPrefixObject(json) || !isPrefixObject(json["results"])) return false;
  const has = (...names: readonly string[]) => names.every((name) => isPrefixObject(json[name]));
  // What comes last is not seen of a long file. Versions before 0.4 have one `config`.
  return has("configs") ? size > bytes.length || has("versions", "n-shot") : has("versions", "config");
}

function isSamples({ firstLine, json }: Head): boolean {
  if (firstLine === undefined) return hasMembers(json, "doc_id", "doc");
  return hasMembers(firstLine, "doc_id", "doc", "arguments", "resps", "filtered_resps");
}

async function* readLmEval(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const run = await openRun(source, context, isSamples(source.head));
  if (run.tasks.length === 0)
    throw noSamples(
      "holds figures only, and no samples_<task>_<time>.jsonl of its time is beside it: run lm_eval with --log_samples and keep the files together",
    );
  const computed = new Map<string, ComputedTask>();
  for (const task of run.tasks) computed.set(task.name, yield* readTask(task, context));
  for (const task of run.withoutSamples)
    yield unchecked(task, "no samples file of this task is beside the results");
  for (const group of run.groups) yield* groupFigures(group, computed);
}
