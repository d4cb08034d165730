import type { Column } from "../../store/session.ts";
import type { SqlType, SqlValue } from "../../store/sql.ts";
import type { Key } from "../../model/digest.ts";
import type { Call, TrialPart } from "../record/call.ts";
import type { RowEntry } from "./row-entries.ts";
import type { SettledTrial } from "../merge/settle-trial.ts";

/** What the trial takes from its call, with its output. */
export type WritablePart = TrialPart & { readonly output: Uint8Array | null };

/** A trial ready to be written. */
export interface WritableTrial {
  readonly key: Key;
  readonly projectKey: number;
  readonly evaluationKey: Key;
  readonly row: RowEntry;
  /** The row whose digest is that of what `row` holds here; `row` itself where it has no key. */
  readonly content: RowEntry;
  readonly call: Call;
  readonly part: WritablePart;
  readonly settled: SettledTrial;
}

export function trialColumns(trials: readonly WritableTrial[]): Column[] {
  const column =
    (type: SqlType) =>
    (name: string, read: (trial: WritableTrial) => SqlValue): Column => ({
      name,
      type,
      values: trials.map(read),
    });
  const keys = column("INTEGER");
  const doubles = column("DOUBLE");
  const texts = column("VARCHAR");
  return [
    keys("trial_key", (trial) => trial.key),
    keys("evaluation_key", (trial) => trial.evaluationKey),
    keys("row_key", (trial) => trial.row.key),
    keys("content_key", ({ row, content }) => (content === row ? null : content.key)),
    { name: "started_at", type: "BIGINT", values: trials.map((trial) => trial.call.startedAt) },
    doubles("latency_seconds", ({ settled }) => settled.latencySeconds),
    doubles("total_tokens", ({ settled }) => settled.totalTokens),
    doubles("own_latency_seconds", ({ part }) => part.latencySeconds),
    doubles("own_total_tokens", ({ call }) => call.totalTokens),
    texts("id", (trial) => trial.call.id),
    texts("predict_call_id", (trial) => trial.settled.predictCallId),
    texts("scorer_call_ids", (trial) => textMap(trial.settled.scorerCallIds, JSON.stringify)),
    { name: "output", type: "VARCHAR", values: trials.map((trial) => trial.part.output) },
    { name: "text_bytes", type: "BIGINT", values: trials.map((trial) => trial.part.textBytes) },
    texts("late_scores", (trial) => textMap(trial.settled.lateScores, (score) => score.text)),
    texts("span_refs", ({ settled }) => settled.spanRefs),
    texts("own_span_refs", ({ call }) => call.spanRefs),
    texts("stop_reason", ({ settled }) => settled.stopReason),
    texts("reference_prefix", ({ part }) => part.example.reference?.prefix ?? null),
    texts("example", ({ part: { example }, row }) =>
      example.reference !== null || example.text === row.inlineExample ? null : example.text,
    ),
  ];
}

/** A JSON object of the map's entries, null when it is empty. */
function textMap<T>(map: ReadonlyMap<string, T>, write: (value: T) => string): string | null {
  if (map.size === 0) return null;
  return `{${Array.from(map, ([name, value]) => `${JSON.stringify(name.toWellFormed())}:${write(value)}`).join(",")}}`;
}

/** The failed trials as columns of `errored_trials`. */
export function errorColumns(trials: readonly WritableTrial[]): Column[] {
  const errored = trials.filter(({ settled }) => settled.error !== null);
  return [
    { name: "trial_key", type: "INTEGER", values: errored.map((trial) => trial.key) },
    { name: "evaluation_key", type: "INTEGER", values: errored.map((trial) => trial.evaluationKey) },
    { name: "row_key", type: "INTEGER", values: errored.map((trial) => trial.row.key) },
    { name: "own", type: "BOOLEAN", values: errored.map(({ settled }) => settled.error === "own") },
  ];
}
