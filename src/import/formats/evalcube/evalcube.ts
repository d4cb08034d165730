import type { Format, LogSource, ReadContext } from "../../format.ts";
import { orRefused } from "../../read/fault.ts";
import type { ImportedEvaluation } from "../../translate/import-result.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import type { RecordItem } from "../../translate/record-rows.ts";
import { writeJson } from "../../../model/json.ts";
import { nameList } from "../../../model/messages.ts";
import { modelName } from "../../../model/references.ts";
import { formatTimestamp } from "../../../model/timestamp.ts";
import { type ExportedEvaluation, type ExportedTrial, readTrial } from "./exported-trial.ts";
import { exportRecords, isExport } from "./read-export.ts";
import { rootRecord, rowOf, trialRecords } from "./trial-records.ts";

/**
 * Exports of evalcube. Evaluations, trials and rows keep their ids and digests, so what is stored already stays as it
 * is, and the rest is added.
 */
export const evalcube: Format = {
  name: "evalcube",
  statesNoFigures: () => true,
  keepsStored: true,
  recognises: isExport,
  read: readExport,
};

/** What was read of an evaluation. */
interface Counted {
  readonly evaluation: ExportedEvaluation;
  readonly rows: Set<string>;
  readonly scorers: Set<string>;
  trials: number;
  errors: number;
}

async function* readExport(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const { project, table } = context;
  if (project === null) throw new Error("an export is imported into a project");
  const flags = Object.keys(table);
  if (flags.length > 0)
    yield { kind: "note", text: `an export tells the roles of its columns; not used: ${nameList(flags)}` };
  const counts = new Map<string, Counted>();
  const rows = new Set<string>();
  for await (const record of exportRecords(source, context)) {
    const { place } = record;
    const trial = orRefused(() => readTrial(record), place, context.refuse);
    if (trial === null) continue;
    const items = [
      ...(counts.has(trial.evaluation.id) ? [] : rootItems(trial, project, source.head.name)),
      ...trialItems(trial, project, rows),
    ];
    count(counts, trial);
    for (const item of items) yield { ...item, text: writeJson(item.record), place };
  }
  for (const counted of counts.values()) yield { kind: "overview", evaluation: overviewOf(counted) };
}

type Item = Pick<RecordItem, "kind" | "record" | "row">;

function rootItems({ evaluation }: ExportedTrial, project: string, source: string): Item[] {
  const root = rootRecord(evaluation, project, source);
  return root === null ? [] : [{ kind: "call", record: root }];
}

/** The calls of a trial; before them its row, where it comes for the first time. */
function trialItems(trial: ExportedTrial, project: string, rows: Set<string>): Item[] {
  const { example, record } = rowOf(trial, project);
  const calls = trialRecords(trial, project, example).map((call, i): Item => ({
    kind: "call",
    record: call,
    row: i === 0 ? record : null,
  }));
  if (record === null || rows.has(trial.digest)) return calls;
  rows.add(trial.digest);
  return [{ kind: "row", record, row: record }, ...calls];
}

function count(counts: Map<string, Counted>, trial: ExportedTrial): void {
  const { evaluation, digest, error, scores } = trial;
  const counted = counts.get(evaluation.id) ?? {
    evaluation,
    rows: new Set(),
    scorers: new Set(),
    trials: 0,
    errors: 0,
  };
  counts.set(evaluation.id, counted);
  counted.rows.add(digest);
  counted.trials++;
  if (error !== null) counted.errors++;
  for (const key of Object.keys(scores)) counted.scorers.add(key);
}

function overviewOf({ evaluation, rows, scorers, trials, errors }: Counted): ImportedEvaluation {
  const { id, name, ref, model, startedAt } = evaluation;
  return {
    evaluation_call_id: id,
    name: name ?? id,
    task: (ref === null ? name : modelName(ref)) ?? "unknown",
    model: model === null ? "unknown" : modelName(model),
    label: null,
    started_at: startedAt === null ? null : formatTimestamp(startedAt),
    rows: rows.size,
    trials,
    errors,
    scorers: [...scorers],
  };
}
